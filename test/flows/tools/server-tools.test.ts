import { describe, expect, it, test } from 'vitest'
import { ask, faces, told } from '../../support/clients/client-formats.ts'
import { fakeUpstream, json, sse } from '../../support/fakes/fake-upstream.ts'
import { inFrontOf } from '../../support/gateways/scripted-gateway.ts'
import { start } from '../../support/start.ts'

const blocks = [
  { type: 'text', text: 'Let me compute.' },
  { type: 'server_tool_use', id: 's1', name: 'bash_code_execution', input: { command: 'fib' } },
  { type: 'bash_code_execution_tool_result', tool_use_id: 's1', content: { stdout: '55' } },
  { type: 'text', text: 'It is 55.' },
]
const usage = {
  input_tokens: 682,
  output_tokens: 1320,
  iterations: [
    {
      type: 'compaction',
      input_tokens: 60_385,
      output_tokens: 592,
      cache_creation: { ephemeral_5m_input_tokens: 10, ephemeral_1h_input_tokens: 5 },
    },
    { type: 'message', input_tokens: 682, output_tokens: 1320 },
  ],
}
const message = {
  id: 'msg_1',
  type: 'message',
  role: 'assistant',
  model: 'm',
  content: blocks,
  stop_reason: 'end_turn',
  usage,
}
const named = (event: { readonly type: string; readonly [field: string]: unknown }) =>
  `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`
const events = [
  named({
    type: 'message_start',
    message: { ...message, content: [], stop_reason: null, usage: { input_tokens: 682 } },
  }),
  ...blocks.flatMap((block, index) => [
    named({ type: 'content_block_start', index, content_block: block }),
    named({ type: 'content_block_stop', index }),
  ]),
  named({ type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage }),
  named({ type: 'message_stop' }),
]

describe('an answer with Anthropic’s server tools', () => {
  it.each(faces.filter((face) => face !== 'messages'))(
    'keeps a paragraph break between texts for %s',
    async (face) => {
      await using pair = await inFrontOf('anthropic', ({ body }, response) =>
        body['stream'] === true ? sse(response, events) : json(response, message),
      )
      for (const stream of [false, true]) {
        const { wire } = await ask(pair, face, { stream })
        expect(told(face, wire, stream).text).toBe('Let me compute.\n\nIt is 55.')
      }
    },
  )

  it('includes the tokens of context compaction in its usage', async () => {
    await using pair = await inFrontOf('anthropic', ({ body }, response) =>
      body['stream'] === true ? sse(response, events) : json(response, message),
    )
    const { wire } = await ask(pair, 'responses', { stream: false })
    expect((JSON.parse(wire) as { usage: object }).usage).toEqual({
      input_tokens: 682 + 60_385 + 15,
      input_tokens_details: { cached_tokens: 0, cache_write_tokens: 15 },
      output_tokens: 1320 + 592,
      output_tokens_details: { reasoning_tokens: 0 },
      total_tokens: 682 + 60_385 + 15 + 1320 + 592,
    })
  })
})

test.each(['openai', 'gemini', 'cohere'] as const)(
  'sends server tools in a history to %s as text',
  async (type) => {
    await using pair = await inFrontOf(type, (_, response) => json(response, {}))
    await ask(pair, 'messages', {
      stream: false,
      further: {
        messages: [
          { role: 'user', content: 'Which Fibonacci number is the tenth?' },
          {
            role: 'assistant',
            content: [
              { type: 'compaction', content: 'They began with 0 and 1.' },
              ...blocks,
              { type: 'mcp_tool_use', id: 'm1', name: 'look', server_name: 's', input: { at: 1 } },
              {
                type: 'mcp_tool_result',
                tool_use_id: 'm1',
                is_error: false,
                content: [{ type: 'text', text: 'found' }],
              },
              {
                type: 'web_search_tool_result',
                tool_use_id: 'w1',
                content: [
                  {
                    type: 'web_search_result',
                    url: 'https://example.com/fib',
                    title: 'Fib',
                    encrypted_content: 'SECRET',
                  },
                ],
              },
            ],
          },
          { role: 'user', content: 'And the next?' },
        ],
      },
    })
    const { text } = pair.upstream.seen.at(-1)!
    for (const words of [
      'They began with 0 and 1.',
      'Let me compute.',
      'fib',
      '55',
      'look',
      'found',
      'example.com/fib',
    ])
      expect(text).toContain(words)
    expect(text).not.toContain('SECRET')
    expect(text).not.toContain('1.Let me')
  },
)

test.each([
  ['text', 'text/plain', 'Hello there.\n'],
  ['srt', 'text/plain', '1\n00:00:00,000 --> 00:00:01,500\nHello there.\n'],
  ['vtt', 'text/vtt', 'WEBVTT\n\n00:00:00.000 --> 00:00:01.500\nHello there.\n'],
])('converts Mistral’s transcript to %s', async (format, type, expected) => {
  await using upstream = await fakeUpstream((_, response) =>
    json(response, {
      model: 'voxtral',
      text: 'Hello there.',
      language: 'en',
      segments: [{ text: ' Hello there.', start: 0, end: 1.5 }],
    }),
  )
  await using gateway = await start({
    providers: { mistral: { key: 'k', baseUrl: `${upstream.url}/v1` } },
  })
  const form = new FormData()
  form.append('model', 'mistral/voxtral-mini')
  form.append('response_format', format)
  form.append('file', new Blob(['sound']), 'a.wav')
  const response = await gateway.request('/v1/audio/transcriptions', { method: 'POST', body: form })
  expect(response.headers.get('content-type')).toContain(type)
  expect((await response.text()).trim()).toBe(expected.trim())
  expect(upstream.seen[0]?.text).not.toContain('response_format')
})

test('answers 502 for subtitles from a transcript without timestamps', async () => {
  await using upstream = await fakeUpstream((_, response) => json(response, { text: 'Hello' }))
  await using gateway = await start({
    providers: { up: { type: 'openai', key: 'k', baseUrl: `${upstream.url}/v1` } },
  })
  const form = new FormData()
  form.append('model', 'up/whisper')
  form.append('response_format', 'srt')
  form.append('file', new Blob(['sound']), 'a.wav')
  const response = await gateway.request('/v1/audio/transcriptions', { method: 'POST', body: form })
  expect(response.status).toBe(502)
  await response.text()
})
