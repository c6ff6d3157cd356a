// Tool names that a target does not accept, and free-form tools that it does not know: the model receives what it
// accepts, and the caller reads what it wrote.
import { describe, expect, test } from 'vitest'
import { parseJson } from '../../../packages/contract/src/wire/json.ts'
import type { Maker, Script } from '../../support/fakes/scripted-models.ts'
import { type Through, through } from '../../support/gateways/scripted-gateway.ts'

const long = 'mcp__ymir-privileged__get_failed_pipeline_jobs_from_merge_request_now'
const twin = `${long}_too`
const odd = '7 days/forecast.for the week'
const fitting = 'read_file'
const names = [long, twin, odd, fitting]

/** What the upstream answered; it has no Responses of its own. */
const answered = ({ upstream }: Through) =>
  upstream.seen.filter(({ path }) => !path.endsWith('/responses'))

const schema = { type: 'object', properties: { path: { type: 'string' } } }

/** Calls every tool that it is offered, by the name it is offered under, then says it is done. */
const callsAll: Script = (rounds, offered) =>
  rounds > 0
    ? { text: 'Done' }
    : { calls: offered.map((name, index) => [name, `{"path":"p${index}"}`]) }

interface Called {
  readonly id: string
  readonly name: string
  readonly input: unknown
}

interface Client {
  readonly path: string
  /** A first request, and the next one that answers these calls. */
  readonly body: (model: string, stream: boolean, results?: readonly Called[]) => object
  readonly calls: (text: string, stream: boolean) => readonly Called[]
}

/** Whatever of an answer or of one event these tests look at, on trust. */
interface Said {
  readonly type: string
  readonly id: string
  readonly index: number
  readonly call_id: string
  readonly name: string
  readonly arguments: string
  readonly input: unknown
  text?: string
  readonly function: { readonly name: string; readonly arguments?: string }
  readonly choices: readonly {
    readonly message: { readonly tool_calls: readonly Said[] }
    readonly delta: { readonly tool_calls?: readonly Said[] }
  }[]
  readonly content: readonly Said[]
  readonly content_block: Said
  readonly delta?: { readonly partial_json?: string }
  readonly output: readonly Said[]
  readonly response: Said
  readonly tools: readonly Said[]
  readonly tool_choice: Said
}

const said = (text: string) => parseJson(text) as Said

const data = (text: string): readonly Said[] =>
  text
    .split('\n')
    .filter((line) => line.startsWith('data: {'))
    .map((line) => said(line.slice(6)))

const chat: Client = {
  path: '/v1/chat/completions',
  body: (model, stream, results) => ({
    model,
    stream,
    messages: [
      { role: 'user', content: 'Go' },
      ...(results
        ? [
            {
              role: 'assistant',
              content: null,
              tool_calls: results.map(({ id, name, input }) => ({
                id,
                type: 'function',
                function: { name, arguments: JSON.stringify(input) },
              })),
            },
            ...results.map(({ id }) => ({ role: 'tool', tool_call_id: id, content: 'ok' })),
          ]
        : []),
    ],
    tools: names.map((name) => ({ type: 'function', function: { name, parameters: schema } })),
    ...(results
      ? {
          tool_choice: {
            type: 'allowed_tools',
            allowed_tools: {
              mode: 'auto',
              tools: names.map((name) => ({ type: 'function', function: { name } })),
            },
          },
        }
      : {}),
  }),
  calls: (text, stream) => {
    if (!stream)
      return said(text).choices[0]!.message.tool_calls.map((call) => ({
        id: call.id,
        name: call.function.name,
        input: parseJson(call.function.arguments ?? ''),
      }))
    const calls: { id: string; name: string; text: string }[] = []
    for (const { choices } of data(text))
      for (const piece of choices[0]?.delta.tool_calls ?? []) {
        calls[piece.index] ??= { id: piece.id, name: piece.function.name, text: '' }
        calls[piece.index]!.text += piece.function?.arguments ?? ''
      }
    return calls.map(({ id, name, text: input }) => ({ id, name, input: parseJson(input) }))
  },
}

const messages: Client = {
  path: '/v1/messages',
  body: (model, stream, results) => ({
    model,
    stream,
    max_tokens: 1000,
    messages: [
      { role: 'user', content: 'Go' },
      ...(results
        ? [
            {
              role: 'assistant',
              content: results.map((call) => ({ type: 'tool_use', ...call })),
            },
            {
              role: 'user',
              content: results.map(({ id }) => ({
                type: 'tool_result',
                tool_use_id: id,
                content: 'ok',
              })),
            },
          ]
        : []),
    ],
    tools: names.map((name) => ({ name, input_schema: schema })),
  }),
  calls: (text, stream) => {
    const blocks: Said[] = []
    if (!stream) blocks.push(...said(text).content)
    else
      for (const event of data(text)) {
        if (event.type === 'content_block_start') blocks[event.index] = event.content_block
        if (event.delta?.partial_json !== undefined)
          blocks[event.index]!.text = (blocks[event.index]!.text ?? '') + event.delta.partial_json
      }
    return blocks
      .filter(({ type }) => type === 'tool_use')
      .map(({ id, name, input, text: json }) => ({
        id,
        name,
        input: json ? parseJson(json) : input,
      }))
  },
}

const responses: Client = {
  path: '/v1/responses',
  body: (model, stream, results) => ({
    model,
    stream,
    input: [
      { role: 'user', content: 'Go' },
      ...(results ?? []).map(({ id, name, input }) => ({
        type: 'function_call',
        call_id: id,
        name,
        arguments: JSON.stringify(input),
      })),
      ...(results ?? []).map(({ id }) => ({
        type: 'function_call_output',
        call_id: id,
        output: 'ok',
      })),
    ],
    tools: names.map((name) => ({ type: 'function', name, parameters: schema, strict: false })),
  }),
  calls: (text, stream) => {
    const output = stream
      ? data(text).find(({ type }) => type === 'response.completed')!.response.output
      : said(text).output
    return output
      .filter(({ type }) => type === 'function_call')
      .map((item) => ({
        id: item.call_id,
        name: item.name,
        input: parseJson(item.arguments),
      }))
  },
}

const clients = { chat, messages, responses }
const makers: readonly Maker[] = ['openai', 'anthropic', 'gemini']
// Chat to OpenAI itself and Messages to Anthropic pass as they came.
const translated = [
  ['chat', 'anthropic'],
  ['chat', 'gemini'],
  ['messages', 'openai'],
  ['messages', 'gemini'],
  ['responses', 'openai'],
  ['responses', 'anthropic'],
  ['responses', 'gemini'],
] as const
const cases = translated.flatMap(([client, maker]) =>
  [false, true].map((stream) => ({ client, maker, stream })),
)

describe.each(cases)(
  'tool names that the target rejects, $client → $maker, streamed: $stream',
  ({ client, maker, stream }) => {
    test('are mapped back in the answer and accepted in the history', async () => {
      const { path, body, calls } = clients[client]
      await using stage = await through(maker, callsAll)
      const { gateway, model } = stage
      const first = await gateway.post(path, body(model, stream))
      expect(first.headers.get('x-sluice-dropped')).toBeNull()
      const called = calls(await first.text(), stream)
      expect(called.map(({ name, input }) => [name, input])).toEqual(
        names.map((name, index) => [name, { path: `p${index}` }]),
      )
      const second = await gateway.post(path, body(model, stream, called))
      expect([second.status, await second.text()]).toEqual([200, expect.stringContaining('Done')])
      expect(answered(stage)).toHaveLength(2)
    })
  },
)

test('maps the tool choice to the name that the target accepts', async () => {
  await using stage = await through('anthropic', callsAll)
  const tool_choice = { type: 'function', function: { name: twin } }
  await stage.gateway.post(chat.path, { ...chat.body(stage.model, false), tool_choice })
  const { tools, tool_choice: sent } = stage.upstream.seen[0]!.body as unknown as Said
  expect(sent.name).toBe(tools[1]!.name)
  expect(sent.name).toBe(twin)
  await using strict = await through('openai', callsAll)
  const request = messages.body(strict.model, false)
  await strict.gateway.post('/v1/messages', {
    ...request,
    tool_choice: { type: 'tool', name: twin },
  })
  const seen = strict.upstream.seen[0]!.body as unknown as Said
  expect(seen.tool_choice.function.name).toBe(seen.tools[1]!.function.name)
  expect(new Set(seen.tools.map((given) => given.function.name)).size).toBe(names.length)
  expect(seen.tools[3]!.function.name).toBe(fitting)
})

describe.each(makers)('a custom tool at %s', (maker) => {
  const patch = '*** Begin Patch\n*** Update File: a "b".txt\n-1\n+2 \u{1F5FC}\n*** End Patch'
  const script: Script = (rounds, offered) =>
    rounds > 0
      ? { text: 'Done' }
      : {
          calls: [
            [offered[1] ?? '', JSON.stringify({ input: patch })],
            [offered[0] ?? '', '{}'],
          ],
        }
  const tools = [
    {
      type: 'function',
      name: 'list',
      parameters: { type: 'object', properties: {} },
      strict: false,
    },
    {
      type: 'custom',
      name: 'apply_patch',
      description: 'Edits files.',
      format: { type: 'grammar', syntax: 'lark', definition: 'start: "*** Begin Patch"' },
    },
  ]

  test.each([false, true])(
    'receives its free-form input unchanged; streamed: %s',
    async (stream) => {
      // An OpenAI model that takes functions alone.
      await using stage = await through(maker, script, maker === 'openai' ? 'gpt-4.1' : undefined)
      const { gateway, model } = stage
      const input = [{ role: 'user', content: 'Go' }]
      const first = await gateway.post('/v1/responses', { model, stream, input, tools })
      expect(first.headers.get('x-sluice-dropped')).toBe('tools[1].format')
      const text = await first.text()
      const { output } = stream
        ? data(text).find(({ type }) => type === 'response.completed')!.response
        : said(text)
      const [custom, called] = output.filter(({ type }) => type.endsWith('call'))
      expect(custom).toMatchObject({ type: 'custom_tool_call', name: 'apply_patch', input: patch })
      expect(called).toMatchObject({ type: 'function_call', name: 'list', arguments: '{}' })
      expect(answered(stage)[0]!.text).toContain('start: \\"*** Begin Patch\\"')
      const results = [
        { type: 'custom_tool_call_output', call_id: custom!.call_id, output: 'ok' },
        { type: 'function_call_output', call_id: called!.call_id, output: 'ok' },
      ]
      const second = await gateway.post('/v1/responses', {
        model,
        stream,
        input: [...input, ...output, ...results],
        tools,
      })
      expect([second.status, await second.text()]).toEqual([200, expect.stringContaining('Done')])
      const [, { text: sent } = { text: '' }] = answered(stage)
      // As deep in JSON as the protocol puts arguments.
      const plain = (json: string) => json.replaceAll(/\\+(?=["n])/g, '\\')
      expect(plain(sent)).toContain(plain(JSON.stringify(patch)).slice(1, -1))
    },
  )

  test('can be forced by the tool choice', async () => {
    await using stage = await through(maker, script, maker === 'openai' ? 'gpt-4.1' : undefined)
    const tool_choice = { type: 'custom', name: 'apply_patch' }
    const request = { model: stage.model, input: 'Go', tools: [tools[1]], tool_choice }
    expect((await stage.gateway.post('/v1/responses', request)).status).toBe(200)
    expect(answered(stage)[0]!.text).toMatch(
      /"name":"apply_patch"|"allowedFunctionNames":\["apply_patch"\]/,
    )
  })
})
