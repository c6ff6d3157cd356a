import { describe, expect, it } from 'vitest'
import { GatewayError } from '../../src/core/errors.ts'
import type { ChatRequest } from '../../src/operations/chat.ts'
import { fitsChat } from '../../src/protocols/openai/chat-fits.ts'
import { openaiChat } from '../../src/protocols/openai/chat.ts'
import { openai } from '../../src/protocols/openai/index.ts'
import { answerOf } from '../support/chat-answer.ts'
import { codecContext, received } from '../support/codec-context.ts'
import { readStream } from '../support/read-stream.ts'

const request: ChatRequest = { model: 'm', messages: [{ role: 'user', content: 'x' }] }
const chat = openaiChat()

function chunk(delta: object, rest: object = {}, index: number | undefined = 0) {
  return {
    id: 'c',
    object: 'chat.completion.chunk',
    created: 5,
    model: 'm',
    choices: [{ index, delta, ...rest }],
  }
}

function read(chunks: readonly (object | string)[], asked = request) {
  const events = chunks.map((data) => ({
    event: '',
    data: typeof data === 'string' ? data : JSON.stringify(data),
  }))
  return readStream(chat.stream!, { events, context: codecContext(), request: asked })
}

function calls(...pieces: readonly object[]) {
  const chunks = pieces.map((piece) => chunk({ tool_calls: [piece] }))
  return answerOf(read([...chunks, chunk({}, { finish_reason: 'tool_calls' }), '[DONE]']).steps)
}

const named = (name: string, text: string) => ({ function: { name, arguments: text } })
const expected = (id: string, name: string, input: string) => ({ id, name, input })

describe('streamed tool calls of compatible upstreams', () => {
  it.each([
    [
      'id, type and name in every piece',
      [
        { index: 0, id: 'a', type: 'function', ...named('f', '{"x"') },
        { index: 0, id: 'a', type: 'function', ...named('f', ':1}') },
      ],
      [expected('a', 'f', '{"x":1}')],
    ],
    [
      'no index, no type, whole calls',
      [
        { id: 'a', ...named('f', '{}') },
        { id: 'b', ...named('g', '{}') },
      ],
      [expected('a', 'f', '{}'), expected('b', 'g', '{}')],
    ],
    [
      'no index and no id: every name begins a call',
      [named('f', '{"x":'), { function: { arguments: '1}' } }, named('f', '{}')],
      [expected('call_1', 'f', '{"x":1}'), expected('call_2', 'f', '{}')],
    ],
    [
      'index 0 for each of two parallel calls',
      [
        { index: 0, id: 'a', ...named('f', '{}') },
        { index: 0, id: 'b', ...named('g', '{}') },
      ],
      [expected('a', 'f', '{}'), expected('b', 'g', '{}')],
    ],
    [
      'an empty id in later pieces',
      [
        { index: 0, id: 'a', ...named('f', '') },
        { index: 0, id: '', function: { name: '', arguments: '{}' } },
      ],
      [expected('a', 'f', '{}')],
    ],
    [
      'indexes that begin at 1',
      [
        { index: 1, id: 'a', ...named('f', '{') },
        { index: 1, function: { arguments: '}' } },
        { index: 3, id: 'b', ...named('g', '{}') },
      ],
      [expected('a', 'f', '{}'), expected('b', 'g', '{}')],
    ],
    [
      'pieces of two calls that interleave',
      [
        { index: 0, id: 'a', ...named('f', '{"x"') },
        { index: 1, id: 'b', ...named('g', '{"y"') },
        { index: 0, function: { arguments: ':1}' } },
        { index: 1, function: { arguments: ':2}' } },
      ],
      [expected('a', 'f', '{"x":1}'), expected('b', 'g', '{"y":2}')],
    ],
    [
      'the name after the first piece',
      [
        { index: 0, id: 'a', function: { arguments: '{' } },
        { index: 0, ...named('f', '}') },
      ],
      [expected('a', 'f', '{}')],
    ],
    [
      'arguments as an object',
      [{ index: 0, id: 'a', function: { name: 'f', arguments: { n: 1 } } }],
      [expected('a', 'f', '{"n":1}')],
    ],
    [
      'null where a field has nothing',
      [
        { index: 0, id: 'a', type: null, ...named('f', '{}') },
        { index: 0, id: null, function: { name: null, arguments: null } },
      ],
      [expected('a', 'f', '{}')],
    ],
    [
      'custom tools',
      [
        { index: 0, id: 'a', type: 'custom', custom: { name: 'sql', input: 'SEL' } },
        { index: 0, custom: { input: 'ECT' } },
      ],
      [expected('a', 'sql', 'SELECT')],
    ],
  ])('%s', (_name, pieces, told) => {
    expect(calls(...pieces).calls).toEqual(told)
  })

  it('keeps digits of long integers in arguments that come as an object', () => {
    const data = JSON.stringify(chunk({ tool_calls: ['CALL'] })).replace(
      '"CALL"',
      '{"index":0,"id":"a","function":{"name":"f","arguments":{"n":9007199254740993}}}',
    )
    expect(answerOf(read([data]).steps).calls).toEqual([
      expected('a', 'f', '{"n":9007199254740993}'),
    ])
  })

  it('passes on Google’s signature of a call', () => {
    const extra = { google: { thought_signature: 'sig' } }
    const { steps } = read([
      chunk({ tool_calls: [{ index: 0, id: 'a', ...named('f', '{}'), extra_content: extra }] }),
    ])
    const [, told] = steps.flatMap((step) => ('event' in step ? step.event.choices : []))
    expect(told?.delta.tool_calls?.[0]?.extra_content).toEqual(extra)
  })
})

describe('streams of compatible upstreams', () => {
  it.each([
    [
      'reasoning by either name, once',
      [chunk({ reasoning: 'a', reasoning_content: 'a' }), chunk({ reasoning: 'b' })],
      { reasoning: 'ab' },
    ],
    [
      'content as a list of thinking and text',
      [
        chunk({ content: [{ type: 'thinking', thinking: [{ type: 'text', text: 'hm' }] }] }),
        chunk({
          content: [
            { type: 'text', text: 'yes' },
            { type: 'reference', reference_ids: [1] },
          ],
        }),
      ],
      { reasoning: 'hm', text: 'yes' },
    ],
    [
      'a role in every chunk',
      [chunk({ role: 'assistant', content: 'a' }), chunk({ role: 'assistant', content: 'b' })],
      { text: 'ab' },
    ],
    [
      'no index',
      [chunk({ content: 'a' }, {}, undefined), chunk({ content: 'b' }, {}, undefined)],
      { text: 'ab' },
    ],
    [
      'ids and times that change',
      [chunk({ content: 'a' }), { ...chunk({ content: 'b' }), id: 'other', created: 9 }],
      { text: 'ab' },
    ],
    ['a refusal', [chunk({ refusal: 'No' }), chunk({ refusal: '.' })], { refusal: 'No.' }],
    [
      'empty choices before the first',
      [{ choices: [], prompt_filter_results: [] }, chunk({ content: 'a' })],
      { text: 'a' },
    ],
    [
      'content beside the finish reason',
      [chunk({ content: 'a' }, { finish_reason: 'stop' })],
      { text: 'a', finish: 'stop' },
    ],
    [
      'stop although there are calls',
      [
        chunk(
          { tool_calls: [{ index: 0, id: 'a', ...named('f', '{}') }] },
          { finish_reason: 'stop' },
        ),
      ],
      { finish: 'tool_calls' },
    ],
    [
      'an unknown finish reason',
      [chunk({ content: 'a' }), chunk({}, { finish_reason: 'eos' })],
      { finish: 'stop' },
    ],
    [
      'another word for length',
      [chunk({ content: 'a' }), chunk({}, { finish_reason: 'model_length' })],
      { finish: 'length' },
    ],
    [
      'an empty finish reason is none',
      [
        chunk({ content: 'a' }, { finish_reason: '' }),
        chunk({ content: 'b' }, { finish_reason: 'stop' }),
      ],
      { text: 'ab', finish: 'stop' },
    ],
    [
      'a finish reason twice',
      [chunk({ content: 'a' }, { finish_reason: 'stop' }), chunk({}, { finish_reason: 'stop' })],
      { text: 'a', finish: 'stop' },
    ],
    [
      'nothing in the message',
      [chunk({ content: null }), chunk({}, { finish_reason: 'length' })],
      { text: '', finish: 'length' },
    ],
    [
      'a deprecated call answered to tools',
      [
        chunk({ function_call: { name: 'f', arguments: '{' } }),
        chunk({ function_call: { arguments: '}' } }),
        chunk({}, { finish_reason: 'function_call' }),
      ],
      { calls: [expected('call_1', 'f', '{}')] },
    ],
  ])('%s', (_name, chunks, told) => {
    expect(answerOf(read([...chunks, '[DONE]']).steps)).toMatchObject(told)
  })

  it('keeps choices apart when they interleave', () => {
    const { steps, verdicts } = read([
      chunk({ role: 'assistant', content: 'a' }, {}, 0),
      chunk({ role: 'assistant', content: 'x' }, {}, 1),
      chunk({ content: 'b' }, { finish_reason: 'stop' }, 0),
      chunk({ content: 'y' }, { finish_reason: 'length' }, 1),
      '[DONE]',
    ])
    expect(answerOf(steps, 0)).toMatchObject({ text: 'ab', finish: 'stop' })
    expect(answerOf(steps, 1)).toMatchObject({ text: 'xy', finish: 'length' })
    expect(verdicts).toEqual(['content', 'content', 'content', 'finish', 'terminal'])
  })

  it('never makes up a finish', () => {
    const { steps } = read([chunk({ content: 'a' })])
    expect(answerOf(steps).finish).toBeUndefined()
  })
})

const usage = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 }

describe('usage in a stream', () => {
  it.each([
    ['in a chunk of its own', [chunk({ content: 'a' }), { choices: [], usage }]],
    [
      'in the finish chunk',
      [chunk({ content: 'a' }), { ...chunk({}, { finish_reason: 'stop' }), usage }],
    ],
    [
      'in every chunk, the last counts',
      [
        { ...chunk({ content: 'a' }), usage: { ...usage, completion_tokens: 1, total_tokens: 11 } },
        { ...chunk({}, { finish_reason: 'stop' }), usage },
      ],
    ],
    [
      'null in the others',
      [
        { ...chunk({ content: 'a' }), usage: null },
        { choices: [], usage },
        { ...chunk({}), usage: null },
      ],
    ],
    [
      'in x_groq',
      [chunk({ content: 'a' }), { ...chunk({}, { finish_reason: 'stop' }), x_groq: { usage } }],
    ],
    ['in the choice', [chunk({ content: 'a' }), chunk({}, { finish_reason: 'stop', usage })]],
  ])('%s', (_name, chunks) => {
    const told = read([...chunks, '[DONE]'])
    expect(told.usage).toEqual({ inputTokens: 10, outputTokens: 5 })
    const steps = told.steps.flatMap((step) => ('usage' in step ? [step.usage] : []))
    expect(steps.at(-1)).toEqual(told.usage)
  })

  it('is marked where a chunk exists only for it', () => {
    const watcher = chat.stream!.watcher()
    const see = (data: object) => {
      watcher.see({ event: '', data: JSON.stringify(data) })
      return watcher.usageOnly
    }
    expect(see(chunk({ content: 'a' }))).toBe(false)
    expect(see({ choices: [], prompt_filter_results: [] })).toBe(false)
    expect(see({ choices: [], usage })).toBe(true)
    expect(see({ ...chunk({}, { finish_reason: 'stop' }), usage })).toBe(false)
  })
})

describe('errors inside an answer with status 200', () => {
  it.each<[string, object, object]>([
    [
      'OpenAI’s',
      { error: { message: 'm', type: 'server_error', code: null } },
      { code: 'upstream_unavailable', upstreamCode: 'server_error' },
    ],
    [
      'a rate limit',
      { error: { message: 'm', type: 'tokens', code: 'rate_limit_exceeded' } },
      { code: 'upstream_rate_limited', upstreamCode: 'rate_limit_exceeded' },
    ],
    [
      'a numeric code',
      { error: { message: 'm', code: 429 } },
      { code: 'upstream_rate_limited', upstreamCode: '429' },
    ],
    [
      'a refused key',
      { error: { message: 'm', code: 'invalid_api_key' } },
      { code: 'upstream_refused_us', upstreamCode: 'invalid_api_key' },
    ],
    [
      'a bad request',
      {
        error: {
          message: 'm',
          type: 'invalid_request_error',
          param: 'messages',
          code: 'context_length_exceeded',
        },
      },
      {
        code: 'upstream_rejected',
        upstreamCode: 'context_length_exceeded',
        publicCode: 'context_length_exceeded',
        param: 'messages',
      },
    ],
    ['text alone', { error: 'm' }, { code: 'upstream_unavailable' }],
    [
      'vLLM’s',
      { object: 'error', message: 'm', type: 'BadRequestError', code: 400 },
      { code: 'upstream_rejected', upstreamCode: 'BadRequestError' },
    ],
    [
      'DashScope’s',
      { code: 'Throttling.RateQuota', message: 'm', request_id: 'r' },
      { code: 'upstream_rate_limited', upstreamCode: 'Throttling.RateQuota' },
    ],
  ])('%s', (_name, body, told) => {
    const flat = (error: GatewayError) => ({
      code: error.code,
      ...error.details,
      message: error.message,
    })
    const streamed = read([chunk({ content: 'a' }), body])
    expect(flat(streamed.error!)).toMatchObject({ ...told, message: 'm' })
    expect(streamed.verdicts).toEqual(['content'])
    const whole = caught(() => chat.decode(received(JSON.stringify(body)), codecContext(), request))
    expect(flat(whole)).toMatchObject({ ...told, message: 'm' })
  })

  it('is also an event named error, with a text that is no JSON', () => {
    const watcher = chat.stream!.watcher()
    const verdict = watcher.see({ event: 'error', data: 'upstream died' })
    expect(verdict).toBeInstanceOf(GatewayError)
    expect((verdict as GatewayError).message).toBe('upstream died')
  })

  it.each(['error', 'insufficient_system_resource'])('is also the finish reason %s', (reason) => {
    const { error } = read([chunk({ content: 'a' }), chunk({}, { finish_reason: reason })])
    expect(error?.code).toBe('upstream_unavailable')
    expect(error?.details.upstreamCode).toBe(reason)
  })

  it('reads garbage as garbage', () => {
    const { verdicts, steps } = read(['{"id":', chunk({ content: 'a' }), '[1]', '"text"'])
    expect(verdicts).toEqual(['garbage', 'content', 'garbage', 'garbage'])
    expect(answerOf(steps).text).toBe('a')
  })
})

describe('whole answers', () => {
  const decode = (body: unknown, asked = request) =>
    chat.decode(received(JSON.stringify(body)), codecContext(), asked).reply
  const message = (fields: object, rest: object = {}) => ({
    choices: [{ message: fields, ...rest }],
  })

  it('gets every field it needs from next to nothing', () => {
    expect(decode(message({ content: 'a' }))).toEqual({
      id: 'chatcmpl-1',
      object: 'chat.completion',
      created: 1_700_000_000,
      model: 'public-model',
      choices: [
        {
          index: 0,
          message: { role: 'assistant', content: 'a', refusal: null },
          finish_reason: 'stop',
          logprobs: null,
        },
      ],
      usage: expect.objectContaining({ prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 }),
      system_fingerprint: null,
    })
  })

  it.each([{}, { choices: [] }, { choices: [null] }, [], 'text', null])('refuses %j', (body) => {
    expect(caught(() => decode(body)).code).toBe('upstream_garbled')
  })

  it('answers a deprecated call as it was asked for', () => {
    const body = message(
      { function_call: { name: 'f', arguments: '{}' } },
      { finish_reason: 'function_call' },
    )
    expect(decode(body).choices[0]?.message.tool_calls).toEqual([
      { id: 'call_2', type: 'function', function: { name: 'f', arguments: '{}' } },
    ])
    expect(decode(body, { ...request, functions: [{ name: 'f' }] }).choices[0]?.message).toEqual({
      role: 'assistant',
      content: null,
      refusal: null,
      function_call: { name: 'f', arguments: '{}' },
    })
  })

  it('keeps audio, images and log probabilities', () => {
    const token = { token: 'a', logprob: -0.5, bytes: [97] }
    const { choices } = decode(
      message(
        {
          content: null,
          audio: { id: 'audio_1', expires_at: 9, data: 'UklGRg==', transcript: 'Hi' },
          images: [{ type: 'image_url', image_url: { url: 'data:image/png;base64,iVBO' } }],
        },
        { logprobs: { content: [{ ...token, top_logprobs: [token] }] } },
      ),
    )
    expect(choices[0]?.message.audio?.transcript).toBe('Hi')
    expect(choices[0]?.message.images).toHaveLength(1)
    expect(choices[0]?.logprobs).toEqual({
      content: [{ ...token, top_logprobs: [token] }],
      refusal: null,
    })
  })
})

describe('requests', () => {
  const body = (fields: object, codec = chat, given = {}) => {
    const sent = codec.encode({ ...request, ...fields }, codecContext(given))
    return sent.body?.kind === 'json' ? (sent.body.value as Record<string, unknown>) : {}
  }

  it('wrap the contract’s bare schema and leave a named one alone', () => {
    const schema = { title: 'person', type: 'object', properties: { name: { type: 'string' } } }
    const format = (given: object) =>
      body({ response_format: { type: 'json_schema', json_schema: given } })['response_format']
    expect(format(schema)).toEqual({ type: 'json_schema', json_schema: { name: 'person', schema } })
    const untitled = { anyOf: [{ type: 'object' }] }
    expect(format(untitled)).toMatchObject({ json_schema: { name: 'response', schema: untitled } })
    const own = { name: 'p', schema, strict: true }
    expect(format(own)).toEqual({ type: 'json_schema', json_schema: own })
  })

  it.each([
    [0, 'none'],
    [1024, 'minimal'],
    [4000, 'low'],
    [10_000, 'medium'],
    [32_000, 'high'],
    [-1, undefined],
  ])('say a thinking budget of %d as effort %s', (budget, effort) => {
    const sent = body({ thinking_budget: budget })
    expect(sent['reasoning_effort']).toBe(effort)
    expect(sent).not.toHaveProperty('thinking_budget')
  })

  it('leave out what only this gateway knows', () => {
    const sent = body({
      messages: [
        {
          role: 'assistant',
          content: [{ type: 'text', text: 'a', cache_control: { type: 'ephemeral' } }],
          reasoning_content: 'r',
          thinking_blocks: [{ type: 'thinking', thinking: 'r', signature: 's' }],
          tool_calls: [
            { id: 'a', function: { name: 'f', arguments: '{}' }, extra_content: { google: {} } },
          ],
        },
      ],
    })
    expect(sent['messages']).toEqual([
      {
        role: 'assistant',
        content: [{ type: 'text', text: 'a' }],
        tool_calls: [{ id: 'a', type: 'function', function: { name: 'f', arguments: '{}' } }],
      },
    ])
  })

  it('keep what an upstream says it knows', () => {
    const knowing = openaiChat({ knows: ['reasoning_content', 'top_k', 'thinking_budget'] })
    const messages = [{ role: 'assistant', content: 'a', reasoning_content: 'r' }]
    expect(body({ messages, top_k: 5, thinking_budget: 99 }, knowing)).toMatchObject({
      messages,
      top_k: 5,
      thinking_budget: 99,
    })
  })

  it('refuse what the upstream lacks, but not its own behaviour', () => {
    const lacking = openaiChat({ lacks: ['logit_bias', 'n', 'presence_penalty'] })
    const neutral = { logit_bias: {}, n: 1, presence_penalty: 0 }
    expect(body(neutral, lacking)).toEqual({ model: 'upstream-model', messages: request.messages })
    expect(() => body({ n: 2 }, lacking)).toThrow(
      expect.objectContaining({ code: 'unsupported_parameter', details: { param: 'n' } }),
    )
    expect(() => body({ top_k: 5 })).toThrow('top_k')
  })

  it('report instead, where the route wants that', () => {
    const dropped: string[] = []
    const given = { unsupported: (param: string) => void dropped.push(param) }
    const video = { type: 'video_url', video_url: { url: 'https://e.example/v.mp4' } }
    const messages = [{ role: 'user', content: [{ type: 'text', text: 'a' }, video] }]
    const sent = body({ messages, top_k: 5 }, chat, given)
    expect(dropped).toEqual(['messages[0].content[1].video_url', 'top_k'])
    expect(sent['messages']).toEqual([{ role: 'user', content: [{ type: 'text', text: 'a' }] }])
  })

  it('ask for usage in every stream and never without one', () => {
    expect(body({ stream: true })['stream_options']).toEqual({ include_usage: true })
    expect(
      body({ stream: true, stream_options: { include_obfuscation: false } })['stream_options'],
    ).toEqual({ include_usage: true, include_obfuscation: false })
    expect(body({})).not.toHaveProperty('stream_options')
  })

  it('have no choice among tools where there are none', () => {
    expect(body({ tools: [], tool_choice: 'auto', parallel_tool_calls: true })).toEqual({
      model: 'upstream-model',
      messages: request.messages,
    })
  })

  it('put a downloaded file into the request', () => {
    const url = 'https://e.example/a.pdf'
    const messages: ChatRequest['messages'] = [
      { role: 'user', content: [{ type: 'file', file: { file_data: url } }] },
    ]
    expect(chat.media?.({ ...request, messages })).toEqual([
      { url, param: 'messages[0].content[0].file.file_data' },
    ])
    const media = new Map([[url, { bytes: Buffer.from('%PDF'), contentType: 'application/pdf' }]])
    expect(body({ messages }, chat, { media })['messages']).toEqual([
      {
        role: 'user',
        content: [
          {
            type: 'file',
            file: { filename: 'file', file_data: 'data:application/pdf;base64,JVBERg==' },
          },
        ],
      },
    ])
  })
})

describe('requests that may pass untouched', () => {
  const user = { role: 'user', content: 'x' }
  it.each<[boolean, object]>([
    [true, { messages: [user], temperature: 1, anything: 'else' }],
    [
      true,
      {
        messages: [user],
        response_format: { type: 'json_schema', json_schema: { name: 'n', schema: {} } },
      },
    ],
    [
      true,
      {
        messages: [
          {
            role: 'user',
            content: [{ type: 'image_url', image_url: { url: 'https://e.example' } }],
          },
        ],
      },
    ],
    [
      false,
      {
        messages: [user],
        response_format: { type: 'json_schema', json_schema: { type: 'object' } },
      },
    ],
    [false, { messages: [user], top_k: 4 }],
    [false, { messages: [user], thinking_budget: 0 }],
    [false, { messages: [{ role: 'assistant', content: 'x', reasoning_content: 'r' }] }],
    [false, { messages: [{ role: 'assistant', content: 'x', thinking_blocks: [] }] }],
    [
      false,
      { messages: [{ role: 'user', content: [{ type: 'text', text: 'x', cache_control: {} }] }] },
    ],
    [
      false,
      { messages: [{ role: 'user', content: [{ type: 'video_url', video_url: { url: 'u' } }] }] },
    ],
    [
      false,
      {
        messages: [
          { role: 'user', content: [{ type: 'file', file: { file_data: 'https://e.example' } }] },
        ],
      },
    ],
    [false, { messages: [{ role: 'assistant', tool_calls: [{ id: 'a', extra_content: {} }] }] }],
    [false, { messages: [user], tools: [{ type: 'function', cache_control: {} }] }],
  ])('%s: %j', (fits, asked) => {
    expect(openai.native.chat?.fits?.(asked)).toBe(fits)
  })

  it('depend on what the upstream knows and lacks', () => {
    const fits = fitsChat({ knows: ['top_k', 'reasoning_content'], lacks: ['seed'] })
    expect(fits({ messages: [{ role: 'assistant', reasoning_content: 'r' }], top_k: 4 })).toBe(true)
    expect(fits({ messages: [user], seed: null })).toBe(true)
    expect(fits({ messages: [user], seed: 4 })).toBe(false)
  })
})

function caught(run: () => unknown): GatewayError {
  try {
    run()
  } catch (error) {
    if (error instanceof GatewayError) return error
    throw error
  }
  throw new Error('Nothing was thrown')
}
