// Calls that a provider runs itself are reported in every client format.
import { expect, test } from 'vitest'
import { ask, type Face } from '../../support/clients/client-formats.ts'
import { json } from '../../support/fakes/fake-upstream.ts'
import { claude, gemini, message, openai } from '../../support/fakes/server-tool-answers.ts'
import { documentsIn } from '../../support/formats/citations-in.ts'
import { inFrontOf } from '../../support/gateways/scripted-gateway.ts'
import { until } from '../../support/start.ts'

type Fields = Readonly<Record<string, unknown>>

/** What a format tells of such calls: the items, blocks or parts of its own. */
function toldIn(face: Face, wire: string, stream: boolean): unknown {
  const documents = documentsIn(wire, stream)
  const last = (documents.at(-1) ?? {}) as { response?: Fields } & Fields
  switch (face) {
    case 'chat':
      return (documents as { choices?: { message?: Fields; delta?: Fields }[] }[])
        .flatMap(({ choices }) => choices ?? [])
        .flatMap(({ message: whole, delta }) => (whole ?? delta)?.['server_tool_calls'] ?? [])
    case 'messages':
      return stream
        ? documents.flatMap((event) => event['content_block'] ?? [])
        : documents[0]?.['content']
    case 'responses':
      return (stream ? last.response : last)?.['output']
    case 'generateContent':
      return documents
        .flatMap((document) => document['candidates'] as Fields[])
        .flatMap(({ content, groundingMetadata }) => [
          ...(content as { parts: unknown[] }).parts,
          ...(groundingMetadata === undefined ? [] : [groundingMetadata]),
        ])
  }
}

const some = (fields: object) => expect.objectContaining(fields)

/** The search, the code and the call of an MCP server, as each format has them. */
const expected: Readonly<Record<Face, readonly object[]>> = {
  chat: [
    some({ type: 'web_search', input: { query: 'winner' } }),
    some({ type: 'code_execution', output: some({ stdout: '2\n' }) }),
    some({
      type: 'mcp',
      server_label: 'library',
      name: 'look',
      input: { at: 1 },
      output: 'a book',
    }),
  ],
  messages: [
    some({ type: 'server_tool_use', name: 'web_search', input: { query: 'winner' } }),
    some({ type: 'web_search_tool_result' }),
    some({ type: 'server_tool_use', name: 'code_execution', input: some({ code: 'print(2)' }) }),
    some({ type: 'code_execution_tool_result', content: some({ stdout: '2\n' }) }),
    some({ type: 'mcp_tool_use', server_name: 'library', name: 'look', input: { at: 1 } }),
    some({ type: 'mcp_tool_result', content: [{ type: 'text', text: 'a book' }] }),
  ],
  responses: [
    some({ type: 'web_search_call', action: some({ type: 'search', query: 'winner' }) }),
    some({
      type: 'code_interpreter_call',
      code: 'print(2)',
      outputs: [{ type: 'logs', logs: '2\n' }],
    }),
    some({
      type: 'mcp_call',
      server_label: 'library',
      name: 'look',
      output: 'a book',
      error: null,
    }),
  ],
  generateContent: [
    { executableCode: some({ code: 'print(2)' }) },
    { codeExecutionResult: some({ outcome: 'OUTCOME_OK', output: '2\n' }) },
    some({ webSearchQueries: ['winner'] }),
  ],
}

const upstreams = [
  ['anthropic', claude, ['chat', 'responses', 'generateContent']],
  ['openai-responses', openai, ['chat', 'messages', 'generateContent']],
] as const

test.each(upstreams)(
  'translates server tool calls of %s to every other format',
  async (type, answering, others) => {
    await using pair = await inFrontOf(type, answering)
    for (const face of others)
      for (const stream of [false, true]) {
        const { wire, status } = await ask(pair, face, { stream })
        expect(status).toBe(200)
        const place = `${face} ${stream ? 'streamed' : 'whole'}`
        expect(toldIn(face, wire, stream), place).toEqual(
          expect.arrayContaining([...expected[face]]),
        )
        expect(wire).not.toContain('SECRET')
      }
  },
)

test('translates Gemini’s code execution and searches to other formats', async () => {
  await using pair = await inFrontOf('gemini', gemini)
  for (const face of ['chat', 'messages', 'responses'] as const)
    for (const stream of [false, true]) {
      const { wire } = await ask(pair, face, { stream })
      const code = expected[face].filter((item) => JSON.stringify(item).includes('2\\n'))
      expect(toldIn(face, wire, stream)).toEqual(expect.arrayContaining(code))
      expect(wire).toContain('"queries":["winner","score"]')
    }
})

test('reports server tool items that a format lacks: in a header, or in the log for streams', async () => {
  await using pair = await inFrontOf('anthropic', claude)
  const whole = await ask(pair, 'generateContent', { stream: false })
  expect(whole.headers.get('x-sluice-dropped')).toBe('answer.mcp')
  await ask(pair, 'generateContent', { stream: true })
  const line = await until(() =>
    pair.gateway.logged.findLast(
      ({ message: words, fields }) => words === 'request' && fields['stream'] === true,
    ),
  )
  expect(line.fields['untold']).toBe('answer.mcp')
  const chat = await ask(pair, 'chat', { stream: false })
  expect(chat.headers.get('x-sluice-dropped') ?? '').not.toContain('answer.')
})

test('server tool items of an answer are accepted in a history by every provider', async () => {
  await using pair = await inFrontOf('anthropic', (seen, reply, request) =>
    seen.text.includes('And the next?')
      ? json(reply, { ...message, content: [{ type: 'text', text: 'Yes' }] })
      : claude(seen, reply, request),
  )
  const first = JSON.parse((await ask(pair, 'responses', { stream: false })).wire) as Fields
  const input = [
    { role: 'user', content: 'Who won?' },
    ...(first['output'] as object[]),
    { role: 'user', content: 'And the next?' },
  ]
  expect((await ask(pair, 'responses', { stream: false, further: { input } })).status).toBe(200)
  const chat = JSON.parse((await ask(pair, 'chat', { stream: false })).wire) as {
    choices: { message: object }[]
  }
  const messages = [
    { role: 'user', content: 'Who won?' },
    chat.choices[0]!.message,
    { role: 'user', content: 'And the next?' },
  ]
  expect((await ask(pair, 'chat', { stream: false, further: { messages } })).status).toBe(200)
  const content = JSON.parse((await ask(pair, 'generateContent', { stream: false })).wire) as {
    candidates: { content: object }[]
  }
  const contents = [
    { role: 'user', parts: [{ text: 'Who won?' }] },
    content.candidates[0]!.content,
    { role: 'user', parts: [{ text: 'And the next?' }] },
  ]
  expect(
    (await ask(pair, 'generateContent', { stream: false, further: { contents } })).status,
  ).toBe(200)
  const seen = pair.upstream.seen.filter(({ text }) => text.includes('And the next?'))
  expect(seen).toHaveLength(3)
  for (const { text } of seen) expect(text).toContain('print(2)')
})

test('foreign server tool items reach Claude as text', async () => {
  await using pair = await inFrontOf('anthropic', claude)
  const foreign = [
    { type: 'server_tool_use', id: 'ws_1', name: 'web_search', input: { query: 'winner' } },
    { type: 'web_search_tool_result', tool_use_id: 'ws_1', content: [] },
    { type: 'text', text: 'They won.' },
  ]
  const messages = [
    { role: 'user', content: 'Who won?' },
    { role: 'assistant', content: foreign },
    { role: 'user', content: 'Sure?' },
  ]
  await ask(pair, 'messages', { stream: false, further: { messages } })
  const { text } = pair.upstream.seen.at(-1)!
  expect(text).not.toContain('server_tool_use')
  expect(text).toContain('web_search was called with')
})
