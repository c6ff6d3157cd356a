import { describe, expect, it } from 'vitest'
import { passes } from '../../../test/support/passes.ts'
import { codecContext, received } from '../../../test/support/codec-context.ts'
import { caught } from '../../../test/support/thrown-error.ts'
import type { ChatRequest } from '../../contract/src/operations/chat-request.ts'
import { openai } from '../src/openai/index.ts'
import { openaiChat } from '../src/openai/upstream/chat.ts'
import { nativeChat } from '../src/openai/upstream/native.ts'

const request: ChatRequest = { model: 'm', messages: [{ role: 'user', content: 'x' }] }
const chat = openaiChat()

describe('whole answers', () => {
  const decode = (body: unknown) =>
    chat.decode(received(JSON.stringify(body)), codecContext(), request).reply
  const message = (fields: object, rest: object = {}) => ({
    choices: [{ message: fields, ...rest }],
  })

  it('are completed with the required fields', () => {
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

  it.each([{}, { choices: [] }, { choices: [null] }, [], 'text', null])('reject %j', (body) => {
    expect(caught(() => decode(body)).code).toBe('upstream_garbled')
  })

  it('read a deprecated function call as a tool call', () => {
    const body = message(
      { function_call: { name: 'f', arguments: '{}' } },
      { finish_reason: 'function_call' },
    )
    expect(decode(body).choices[0]?.message.tool_calls).toEqual([
      { id: 'call_2', type: 'function', function: { name: 'f', arguments: '{}' } },
    ])
    expect(decode(body).choices[0]?.finish_reason).toBe('tool_calls')
  })

  it('keep thinking blocks and signatures of a gateway', () => {
    const blocks = [
      { type: 'thinking', thinking: 'Hm', signature: 'EqQB' },
      { type: 'redacted_thinking', data: 'xyz' },
      { type: 'reasoning', id: 'rs_1', summary: ['Hm'], encrypted_content: 'gAAA' },
      { type: 'thought', signature: 'c2ln' },
    ]
    const call = {
      id: 'call_1',
      type: 'function',
      function: { name: 'f', arguments: '{}' },
      extra_content: { google: { thought_signature: 'c2ln' } },
    }
    const said = decode(
      message({
        content: null,
        reasoning_content: 'Hm',
        thinking_blocks: [...blocks, { type: 'thinking' }, { type: 'thought' }, 'no block'],
        tool_calls: [call],
      }),
    ).choices[0]?.message
    expect(said).toMatchObject({ reasoning_content: 'Hm', tool_calls: [call] })
    expect(said?.thinking_blocks).toEqual(blocks)
  })

  it('keep audio, images and logprobs', () => {
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

  it.each([
    [0, 'none'],
    [1024, 'minimal'],
    [4000, 'low'],
    [10_000, 'medium'],
    [32_000, 'high'],
    [-1, undefined],
  ])('translate a thinking budget of %d to effort %s', (budget, effort) => {
    const sent = body({ thinking_budget: budget })
    expect(sent['reasoning_effort']).toBe(effort)
    expect(sent).not.toHaveProperty('thinking_budget')
  })

  it('drop the gateway’s own fields', () => {
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
        { role: 'tool', tool_call_id: 'a', content: 'b' },
      ],
    })
    expect(sent['messages']).toEqual([
      {
        role: 'assistant',
        content: [{ type: 'text', text: 'a' }],
        tool_calls: [{ id: 'a', type: 'function', function: { name: 'f', arguments: '{}' } }],
      },
      { role: 'tool', tool_call_id: 'a', content: 'b' },
    ])
  })

  it('keep fields that the upstream knows', () => {
    const knowing = openaiChat({ knows: ['reasoning_content', 'top_k', 'thinking_budget'] })
    const messages = [{ role: 'assistant', content: 'a', reasoning_content: 'r' }]
    expect(body({ messages, top_k: 5, thinking_budget: 99 }, knowing)).toMatchObject({
      messages,
      top_k: 5,
      thinking_budget: 99,
    })
  })

  it('keep all fields for a gateway as the upstream', () => {
    const thinking_blocks = [{ type: 'thought', signature: 's' }]
    const asked = { messages: [{ role: 'assistant', content: 'a', thinking_blocks }], top_k: 5 }
    expect(body(asked, chat, { isGateway: true })).toMatchObject(asked)
  })

  it('reject fields that the upstream lacks, except default values', () => {
    const lacking = openaiChat({ lacks: ['logit_bias', 'n', 'presence_penalty'] })
    const neutral = { logit_bias: {}, n: 1, presence_penalty: 0 }
    expect(body(neutral, lacking)).toEqual({ model: 'upstream-model', messages: request.messages })
    expect(() => body({ n: 2 }, lacking)).toThrow(
      expect.objectContaining({ code: 'unsupported_parameter', details: { param: 'n' } }),
    )
  })

  it('report dropped fields instead in report mode', () => {
    const dropped: string[] = []
    const note = (param: string) => void dropped.push(param)
    const given = { unsupported: note, leftOut: note }
    const video = { type: 'video_url', video_url: { url: 'https://e.example/v.mp4' } }
    const messages = [{ role: 'user', content: [{ type: 'text', text: 'a' }, video] }]
    const sent = body({ messages, top_k: 5 }, chat, given)
    expect(dropped).toEqual(['messages[0].content[1].video_url', 'top_k'])
    expect(sent['messages']).toEqual([{ role: 'user', content: [{ type: 'text', text: 'a' }] }])
  })

  it('drop and report hints', () => {
    const dropped: string[] = []
    const leftOut = (param: string) => void dropped.push(param)
    const lacking = openaiChat({ lacks: ['user', 'verbosity'] })
    const hints = { top_k: 5, user: 'u', verbosity: 'low', metadata: { a: 'b' } }
    expect(body(hints, lacking, { leftOut })).toEqual({
      model: 'upstream-model',
      messages: request.messages,
    })
    expect(dropped.toSorted()).toEqual(['metadata', 'top_k', 'user', 'verbosity'])
    expect(body({ ...hints, store: true })).toMatchObject({ metadata: { a: 'b' } })
  })

  it('keep unknown fields', () => {
    expect(body({ min_p: 0.1, reasoning: { effort: 'low' } })).toMatchObject({
      min_p: 0.1,
      reasoning: { effort: 'low' },
    })
  })

  it('request usage in every stream, and only in streams', () => {
    expect(body({ stream: true })['stream_options']).toEqual({ include_usage: true })
    expect(
      body({ stream: true, stream_options: { include_obfuscation: false } })['stream_options'],
    ).toEqual({ include_usage: true, include_obfuscation: false })
    expect(body({})).not.toHaveProperty('stream_options')
  })

  it('have no tool choice without tools', () => {
    expect(body({ tools: [], tool_choice: 'auto', parallel_tool_calls: true })).toEqual({
      model: 'upstream-model',
      messages: request.messages,
    })
  })

  it('include a downloaded file', () => {
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

describe('requests that pass unchanged', () => {
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
    expect(passes(openai.native.chat!, asked)).toBe(fits)
  })

  it.each([
    ['o3', { max_tokens: 9 }, false],
    ['o3', { temperature: 0.5 }, false],
    ['o3', { temperature: 1 }, true],
    ['o4-mini', { parallel_tool_calls: false }, false],
    ['gpt-5', { parallel_tool_calls: false }, true],
    ['gpt-5.1', { temperature: 0.5 }, true],
    ['gpt-5.1', { max_tokens: 9 }, false],
    ['gpt-4.1', { temperature: 0.5, max_tokens: 9 }, true],
  ])('for %s %j: %s', (model, fields, fits) => {
    const asked = { messages: [user], ...fields }
    const native = openai.native.chat!
    const target = {
      model,
      family: model,
      outputTokensMax: () => undefined,
      leftOut: () => {},
      unsupported: () => {},
    }
    const changes = native.adapted!(asked, native.inspect(asked), target)
    expect(passes(native, asked, model) && changes.length === 0).toBe(fits)
    expect(passes(nativeChat({ knows: ['top_k'] }), asked, model)).toBe(true)
  })

  it('depend on the fields that the upstream knows and lacks', () => {
    const native = nativeChat({ knows: ['top_k', 'reasoning_content'], lacks: ['seed'] })
    const fits = (request: object) => passes(native, request)
    expect(fits({ messages: [{ role: 'assistant', reasoning_content: 'r' }], top_k: 4 })).toBe(true)
    expect(fits({ messages: [user], seed: null })).toBe(true)
    expect(fits({ messages: [user], seed: 4 })).toBe(false)
  })
})
