import Anthropic from '@anthropic-ai/sdk'
import { describe, expect, it } from 'vitest'
import { formatContext } from '../../../test/support/codec-context.ts'
import {
  canonical,
  chunks,
  eventsOf,
  sdk,
  sdkMessage,
  written,
} from '../../../test/support/formats/messages-client.ts'
import { GatewayError } from '../../contract/src/core/errors.ts'
import type { AnswerMessage, ChatDelta, ChatReply } from '../../contract/src/operations/chat.ts'
import { messages } from '../src/anthropic/client/formats.ts'
import { carry, restore } from '../src/carried-reasoning.ts'

const hello = { role: 'user', content: 'Hello' }
const base = { model: 'm', max_tokens: 64, messages: [hello] }
const asked = { thinking: { type: 'adaptive' } }

function said(blocks: object[], role = 'user'): object {
  return { ...base, messages: [{ role, content: blocks }] }
}

const call = (index: number, rest: object): ChatDelta => ({ tool_calls: [{ index, ...rest }] })
const begin = (index: number, id: string, name: string, args = ''): ChatDelta =>
  call(index, { id, type: 'function', function: { name, arguments: args } })
const args = (index: number, text: string): ChatDelta =>
  call(index, { function: { arguments: text } })

function reply(
  message: Partial<AnswerMessage>,
  finish: ChatReply['choices'][0]['finish_reason'],
): ChatReply {
  return {
    id: 'chatcmpl-1',
    object: 'chat.completion',
    created: 1_700_000_000,
    model: 'public-model',
    choices: [
      {
        index: 0,
        message: { role: 'assistant', content: null, refusal: null, ...message },
        finish_reason: finish,
        logprobs: null,
      },
    ],
    usage: {
      prompt_tokens: 10,
      completion_tokens: 5,
      total_tokens: 15,
      prompt_tokens_details: {
        cached_tokens: 4,
        text_tokens: 10,
        audio_tokens: 0,
        image_tokens: 0,
      },
      completion_tokens_details: { text_tokens: 5, audio_tokens: 0, reasoning_tokens: 0 },
    },
    system_fingerprint: null,
  }
}

const thought = { type: 'thinking' as const, thinking: 'Let me see.', signature: 'EqQB' }
const item = { type: 'reasoning' as const, id: 'rs_1', summary: ['Hm.'], encrypted_content: 'gA' }

/** The same answer as a stream and whole; the SDK must come to the second from the first. */
const answers: readonly (readonly [string, readonly ChatDelta[], ChatReply])[] = [
  ['text', [{ content: 'Grü' }, { content: 'ße 👋' }], reply({ content: 'Grüße 👋' }, 'stop')],
  ['nothing', [], reply({ content: '' }, 'stop')],
  ['a cut text', [{ content: 'Hel' }], reply({ content: 'Hel' }, 'length')],
  [
    'thinking, text and calls',
    [
      { reasoning_content: 'Let me ' },
      { reasoning_content: 'see.' },
      { thinking_blocks: [thought] },
      { content: 'I look.' },
      begin(0, 'call_1', 'look'),
      args(0, '{"at":"Zürich"'),
      args(0, ',"n":[1,{}]}'),
      begin(1, 'call_2', 'now'),
      args(1, '{}'),
    ],
    reply(
      {
        content: 'I look.',
        reasoning_content: 'Let me see.',
        thinking_blocks: [thought],
        tool_calls: [
          {
            id: 'call_1',
            type: 'function',
            function: { name: 'look', arguments: '{"at":"Zürich","n":[1,{}]}' },
          },
          { id: 'call_2', type: 'function', function: { name: 'now', arguments: '' } },
        ],
      },
      'tool_calls',
    ),
  ],
  [
    'reasoning of another maker',
    [{ reasoning_content: 'Hm.' }, { thinking_blocks: [item] }, { content: 'Yes' }],
    reply({ content: 'Yes', reasoning_content: 'Hm.', thinking_blocks: [item] }, 'stop'),
  ],
  [
    'reasoning with nothing to send back',
    [{ reasoning_content: 'Hm.' }, { content: 'Yes' }],
    reply({ content: 'Yes', reasoning_content: 'Hm.' }, 'stop'),
  ],
  [
    'a refusal in the model’s words',
    [{ refusal: 'I ' }, { refusal: 'cannot.' }],
    reply({ refusal: 'I cannot.' }, 'stop'),
  ],
  [
    'a filtered answer',
    [{ content: 'To' }, { refusal: 'Blocked.' }],
    reply({ content: 'To', refusal: 'Blocked.' }, 'content_filter'),
  ],
]

describe('the official SDK', () => {
  it.each(answers)(
    'assembles a stream with %s into the whole answer',
    async (_name, deltas, whole) => {
      const wire = written(chunks(deltas, whole.choices[0]?.finish_reason), asked)
      eventsOf(wire)
      const message = await sdkMessage(wire)
      // parsed_output is the SDK's own.
      const { parsed_output: _, ...told } = message as typeof message & { parsed_output?: unknown }
      expect(JSON.parse(JSON.stringify(told))).toEqual(
        messages.fromCanonical(whole, { ...base, ...asked }, formatContext()),
      )
    },
  )

  it('throws the error of a failed stream', async () => {
    const writer = messages.writer!(base, formatContext(), '')
    const steps = chunks([{ content: 'Hel' }]).slice(0, 2)
    const error = new GatewayError('upstream_cut', 'The upstream broke off')
    const wire = steps.map((step) => writer.write(step)).join('') + writer.fail(error)
    const stream = sdk(wire).messages.stream({
      ...base,
      messages: [{ role: 'user', content: 'Hi' }],
    })
    const thrown: unknown = await stream.finalMessage().catch((reason: unknown) => reason)
    expect(thrown).toBeInstanceOf(Anthropic.APIError)
    expect(thrown).toMatchObject({
      error: { type: 'error', error: { type: 'api_error', message: 'The upstream broke off' } },
    })
  })

  it('ignores pings', async () => {
    const { keepAlive } = messages.writer!(base, formatContext(), '')
    expect(keepAlive).toBe('event: ping\ndata: {"type":"ping"}\n\n')
    const wire =
      keepAlive + written(chunks([{ content: 'Hi' }])).replaceAll('\n\n', `\n\n${keepAlive}`)
    expect((await sdkMessage(wire)).content).toMatchObject([{ type: 'text', text: 'Hi' }])
  })
})

describe('Messages streams', () => {
  const blocks = async (deltas: readonly ChatDelta[], request: object = {}) => {
    const wire = written(chunks(deltas), request)
    eventsOf(wire)
    return (await sdkMessage(wire)).content
  }

  it('write interleaved calls as successive blocks', async () => {
    expect(
      await blocks([
        begin(0, 'a', 'look', '{"at'),
        begin(1, 'b', 'look', '{"at"'),
        args(0, '":1,"x":{}'),
        begin(2, 'c', 'now'),
        args(1, ':2}'),
        args(0, '}'),
        args(2, '{}'),
        args(0, '\n'),
      ]),
    ).toMatchObject([
      { id: 'a', input: { at: 1, x: {} } },
      { id: 'b', input: { at: 2 } },
      { id: 'c', name: 'now', input: {} },
    ])
  })

  it('keep a call open until its end is known, and write the others at the end', async () => {
    expect(await blocks([begin(0, 'a', 'now'), begin(1, 'b', 'look', '{"at":2}')])).toMatchObject([
      { id: 'a', input: {} },
      { id: 'b', input: { at: 2 } },
    ])
  })

  it('write text between complete calls, and after incomplete ones', async () => {
    const told = [
      begin(0, 'a', 'look', '{"at":1}'),
      { content: 'So: ' },
      begin(1, 'b', 'look', '{"at"'),
    ]
    expect(await blocks([...told, { content: 'later' }, args(1, ':2}')])).toMatchObject([
      { id: 'a', input: { at: 1 } },
      { type: 'text', text: 'So: ' },
      { id: 'b', input: { at: 2 } },
      { type: 'text', text: 'later' },
    ])
  })

  it('wait for a call’s name and generate its id', async () => {
    expect(
      await blocks([args(0, '{"a'), call(0, { function: { name: 'look' } }), args(0, '":1}')]),
    ).toMatchObject([{ id: expect.stringMatching(/^toolu_/), name: 'look', input: { a: 1 } }])
  })

  it('hide thinking that was not requested, except what must come back', async () => {
    const deltas = [
      { reasoning_content: 'Hm.' },
      { thinking_blocks: [thought, item] },
      { content: 'Yes' },
    ]
    const hidden = [
      // The signature holds for the words too, so they travel in it.
      { type: 'thinking', thinking: '', signature: carry(thought) },
      { type: 'redacted_thinking' },
      { type: 'text', text: 'Yes' },
    ]
    const omitted = { thinking: { type: 'adaptive', display: 'omitted' } }
    expect(await blocks(deltas, omitted)).toMatchObject(hidden)
    const plain = [{ reasoning_content: 'Hm.' }, { content: 'Yes' }]
    expect(await blocks(plain, omitted)).toMatchObject(hidden.slice(2))
    for (const request of [{}, { thinking: { type: 'disabled' } }])
      expect(await blocks(deltas, request)).toEqual([{ type: 'text', text: 'Yes' }])
  })

  it('write a thinking block whose text was not streamed', async () => {
    const deltas = [{ thinking_blocks: [thought] }, { content: 'Yes' }]
    expect(await blocks(deltas, asked)).toMatchObject([thought, { text: 'Yes' }])
  })

  it('attach citations to their text, and show images as Markdown', async () => {
    const url_citation = { url: 'https://example.com', title: 'T', start_index: 0, end_index: 2 }
    expect(
      await blocks([
        { content: 'Yes.' },
        { annotations: [{ type: 'url_citation', url_citation }] },
        { images: [{ type: 'image_url', image_url: { url: 'data:image/png;base64,AA' } }] },
      ]),
    ).toMatchObject([
      { text: 'Yes.', citations: [{ url: 'https://example.com', cited_text: 'Ye' }] },
      { text: '![image](data:image/png;base64,AA)' },
    ])
  })

  it('report input usage at the start if the upstream does', () => {
    const usage = { inputTokens: 9, outputTokens: 1, cachedInputTokens: 4 }
    const [start] = eventsOf(written([{ usage }, ...chunks([{ content: 'Hi' }])]))
    expect(start).toMatchObject({
      message: { usage: { input_tokens: 5, cache_read_input_tokens: 4, output_tokens: 1 } },
    })
  })
})

describe('reasoning of other makers', () => {
  const signed = {
    id: 'call_1',
    type: 'function' as const,
    function: { name: 'look', arguments: '{}' },
    extra_content: { google: { thought_signature: 'CsYB' } },
  }
  const blocks = [item, { type: 'thought' as const, signature: 'CsYC' }]

  const message = { reasoning_content: 'Hm.', thinking_blocks: blocks, tool_calls: [signed] }

  /** The blocks that a client gets, and what it then sends back. */
  async function through(how: string, request: object) {
    const { content } =
      how === 'whole'
        ? (messages.fromCanonical(
            reply(message, 'tool_calls'),
            { ...base, ...request },
            formatContext(),
          ) as { readonly content: readonly { type: string; id?: string }[] })
        : await sdkMessage(
            written(
              chunks([
                { reasoning_content: 'Hm.' },
                { thinking_blocks: blocks },
                { tool_calls: [{ index: 0, ...signed }] },
              ]),
              request,
            ),
          )
    const called = content.findLast((block) => block.type === 'tool_use') as { id: string }
    const result = { type: 'tool_result', tool_use_id: called.id, content: '1' }
    const [, back, returned] = canonical({
      ...base,
      messages: [hello, { role: 'assistant', content }, { role: 'user', content: [result] }],
      tools: [{ name: 'look', input_schema: { type: 'object' } }],
    }).messages
    return { content, called, back, returned }
  }

  it.each(['whole', 'streamed'])('round-trips through a client (%s)', async (how) => {
    const { back, called } = await through(how, asked)
    expect(called.id).toBe('call_1')
    expect(back).toEqual({ role: 'assistant', content: null, ...message })
  })

  it.each(['whole', 'streamed'])(
    'is carried in call ids if thinking was not requested (%s)',
    async (how) => {
      for (const request of [{}, { thinking: { type: 'disabled' } }]) {
        const { content, called, back, returned } = await through(how, request)
        expect(content.map(({ type }) => type)).toEqual(['tool_use'])
        expect(called.id).toMatch(/^call_1[a-zA-Z0-9_-]+$/)
        const { reasoning_content: _, ...rest } = message
        expect(back).toEqual({ role: 'assistant', content: null, ...rest })
        expect(returned).toMatchObject({ role: 'tool', tool_call_id: 'call_1' })
      }
    },
  )

  it('is ignored if a client forged it', () => {
    const data = `sluice.${Buffer.from('{"type":"tool_use","signature":"x"}').toString('base64url')}`
    expect(restore(data)).toBeDefined()
    const { messages: told } = canonical(
      said(
        [
          { type: 'redacted_thinking', data },
          { type: 'text', text: 'x' },
        ],
        'assistant',
      ),
    )
    expect(told).toEqual([{ role: 'assistant', content: 'x' }])
  })
})

it('returns invalid tool arguments as raw_arguments', () => {
  const cut = {
    id: 'a',
    type: 'function' as const,
    function: { name: 'look', arguments: '{"at":' },
  }
  expect(
    messages.fromCanonical(reply({ tool_calls: [cut] }, 'length'), base, formatContext()),
  ).toMatchObject({
    content: [{ input: { raw_arguments: '{"at":' } }],
    stop_reason: 'max_tokens',
  })
})
