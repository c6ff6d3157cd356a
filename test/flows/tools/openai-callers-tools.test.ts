// Tools that OpenAI defined and the caller runs: other models get them as functions, and their calls have items of their own.
import { describe, expect, test } from 'vitest'
import { json } from '../../support/fakes/fake-upstream.ts'
import type { Script } from '../../support/fakes/scripted-models.ts'
import { inFrontOf, through } from '../../support/gateways/scripted-gateway.ts'
import { type Item, itemsIn } from '../../support/clients/response-items.ts'
import { start } from '../../support/start.ts'

const picture =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='

const local = {
  type: 'local',
  skills: [{ name: 'csv', description: 'Reads tables.', path: '/skills/csv' }],
}

/** One of each tool: what the model writes, the item that the caller sees, and what it answers. */
const cases = [
  {
    tool: { type: 'shell', environment: local },
    name: 'shell',
    written: { commands: ['ls', 'pwd'], timeout_ms: 1000 },
    prefix: 'sh_',
    item: {
      type: 'shell_call',
      action: { commands: ['ls', 'pwd'], timeout_ms: 1000, max_output_length: null },
      environment: { type: 'local' },
    },
    output: {
      type: 'shell_call_output',
      max_output_length: 4096,
      output: [
        { stdout: 'of the first', stderr: '', outcome: { type: 'exit', exit_code: 0 } },
        { stdout: '', stderr: '', outcome: { type: 'timeout' } },
      ],
    },
    told: ['of the first', 'exit_code', 'timeout'],
  },
  {
    tool: { type: 'local_shell' },
    name: 'local_shell',
    written: { command: ['bash', '-lc', 'make'], working_directory: '/src', env: { A: 'b' } },
    prefix: 'lsh_',
    item: {
      type: 'local_shell_call',
      action: {
        type: 'exec',
        command: ['bash', '-lc', 'make'],
        env: { A: 'b' },
        working_directory: '/src',
      },
    },
    output: { type: 'local_shell_call_output', output: 'was made' },
    told: ['was made'],
  },
  {
    tool: { type: 'apply_patch' },
    name: 'apply_patch',
    written: { type: 'update_file', path: 'a.ts', diff: '@@\n-a "x"\n+b\n' },
    prefix: 'apc_',
    item: {
      type: 'apply_patch_call',
      operation: { type: 'update_file', path: 'a.ts', diff: '@@\n-a "x"\n+b\n' },
    },
    output: { type: 'apply_patch_call_output', status: 'failed', output: 'no such line' },
    told: ['failed', 'no such line'],
  },
  {
    tool: { type: 'computer' },
    name: 'computer',
    written: {
      actions: [
        { type: 'click', x: 1, y: 2 },
        { type: 'type', text: 'hi' },
      ],
    },
    prefix: 'cu_',
    item: {
      type: 'computer_call',
      actions: [
        { type: 'click', x: 1, y: 2, button: 'left' },
        { type: 'type', text: 'hi' },
      ],
      pending_safety_checks: [],
    },
    output: {
      type: 'computer_call_output',
      output: { type: 'computer_screenshot', image_url: `data:image/png;base64,${picture}` },
    },
    told: [picture],
  },
]

const own = [
  { type: 'function', name: 'shell_history', parameters: { type: 'object', properties: {} } },
  { type: 'function', name: 'apply', parameters: { type: 'object', properties: {} } },
]
const tools = [
  ...cases.slice(0, 2).map(({ tool }) => tool),
  ...own,
  ...cases.slice(2).map(({ tool }) => tool),
]

const without = (item: Item, ...fields: string[]) =>
  Object.fromEntries(Object.entries(item).filter(([name]) => !fields.includes(name)))

const script: Script = (rounds) =>
  rounds === 0
    ? {
        calls: [
          ...cases.map(({ name, written }) => [name, JSON.stringify(written)] as const),
          ['shell_history', '{}'],
        ],
      }
    : { text: 'Done.' }

describe.each(['openai', 'gemini', 'anthropic'] as const)(
  'OpenAI’s client tools at %s',
  (maker) => {
    test.each([false, true])('make the whole loop (streamed: %s)', async (stream) => {
      await using pair = await through(maker, script)
      const input: Item[] = [{ role: 'user', content: 'Tidy up.' }]
      const turn = async (): Promise<readonly Item[]> => {
        const body = { model: pair.model, stream, input, tools }
        const response = await pair.gateway.post('/v1/responses', body)
        const wire = await response.text()
        expect(response.status, wire).toBe(200)
        expect(response.headers.get('x-sluice-dropped')).toBeNull()
        return itemsIn(wire, stream).filter(({ type }) => type !== 'reasoning')
      }
      const made = await turn()
      expect(made.map((item) => without(item, 'id', 'call_id', 'status'))).toEqual([
        ...cases.map(({ item }) => item),
        { type: 'function_call', name: 'shell_history', arguments: '{}' },
      ])
      expect(made.every(({ status }) => status === 'completed')).toBe(true)
      for (const [index, { prefix }] of cases.entries())
        expect(made[index]!['id']).toMatch(new RegExp(`^${prefix}`))
      input.push(
        ...made,
        ...made.map((item, index) => {
          const { call_id, id } = item
          const { output } = cases[index] ?? {
            output: { type: 'function_call_output', output: 'ok' },
          }
          // The result of a local shell may name the item and not the call.
          return output.type === 'local_shell_call_output'
            ? { id, ...output }
            : { call_id, ...output }
        }),
      )
      expect(await turn()).toMatchObject([{ type: 'message', content: [{ text: 'Done.' }] }])
      const { text } = pair.upstream.seen.at(-1)!
      for (const word of cases.flatMap(({ told }) => told)) expect(text).toContain(word)
      expect(text).toContain('csv (/skills/csv): Reads tables.')
      expect(text).not.toContain('_call_output')
    })

    test('keep a choice that names one', async () => {
      await using pair = await through(maker, script)
      const sent = {
        openai: (name: string) => `"tool_choice":{"type":"function","function":{"name":"${name}"}}`,
        gemini: (name: string) => `"allowedFunctionNames":["${name}"]`,
        anthropic: (name: string) => `"tool_choice":{"type":"tool","name":"${name}"}`,
      }
      for (const { tool, name } of cases) {
        const choice = { type: tool.type }
        const ask = (tool_choice: object) =>
          pair.gateway.post('/v1/responses', { model: pair.model, input: 'Hi', tools, tool_choice })
        const response = await ask(choice)
        expect(response.status, await response.text()).toBe(200)
        expect(pair.upstream.seen.at(-1)!.text).toContain(sent[maker](name))
        const allowed = await ask({ type: 'allowed_tools', mode: 'auto', tools: [choice] })
        expect(allowed.status, await allowed.text()).toBe(200)
      }
    })
  },
)

test('names that functions of the caller have already are left to them', async () => {
  await using pair = await through('anthropic', (_, offered) => ({
    calls: offered.map((name) => [name, '{"commands":["ls"]}'] as const),
  }))
  const response = await pair.gateway.post('/v1/responses', {
    model: pair.model,
    input: 'Hi',
    tools: [{ type: 'function', name: 'shell', parameters: { type: 'object' } }, { type: 'shell' }],
  })
  const { output } = (await response.json()) as { output: Item[] }
  expect(output).toMatchObject([
    { type: 'function_call', name: 'shell' },
    { type: 'shell_call', action: { commands: ['ls'] }, environment: null },
  ])
})

test('a computer of the preview does one action at a time', async () => {
  const action = { type: 'scroll', x: 1, y: 2, scroll_y: 300 }
  await using pair = await through('openai', () => ({
    calls: [['computer_use_preview', JSON.stringify({ action })]],
  }))
  const tool = {
    type: 'computer_use_preview',
    display_width: 800,
    display_height: 600,
    environment: 'browser',
  }
  const ask = (input: unknown) =>
    pair.gateway.post('/v1/responses', {
      model: pair.model,
      input,
      tools: [tool],
      tool_choice: { type: 'computer_use' },
    })
  const response = await ask('Scroll')
  const { output } = (await response.json()) as { output: Item[] }
  expect(output).toMatchObject([
    { type: 'computer_call', action: { ...action, scroll_x: 0 }, pending_safety_checks: [] },
  ])
  expect(response.headers.get('x-sluice-dropped')).toBeNull()
  const shown = { type: 'computer_screenshot', image_url: `data:image/png;base64,${picture}` }
  const again = await ask([
    { role: 'user', content: 'Scroll' },
    ...output,
    { type: 'computer_call_output', call_id: output[0]!['call_id'], output: shown },
  ])
  expect(again.status).toBe(200)
  const { text } = pair.upstream.seen.at(-1)!
  expect(text).toContain('800 × 600')
  expect(text).toContain(picture)
})

test('what runs at OpenAI is refused, and says so', async () => {
  await using pair = await through('anthropic', script)
  for (const [tool, param, words] of [
    [
      { type: 'shell', environment: { type: 'container_auto' } },
      'tools[1].environment',
      'container',
    ],
    [{ type: 'shell', allowed_callers: ['programmatic'] }, 'tools[1].allowed_callers', 'from code'],
    [{ type: 'file_search', vector_store_ids: ['vs'] }, 'tools[1].type', 'has no such tool'],
  ] as const) {
    const body = { model: pair.model, input: 'Hi', tools: [own[0], tool] }
    const response = await pair.gateway.post('/v1/responses', body)
    expect(response.status).toBe(400)
    const { error } = (await response.json()) as { error: { param: string; message: string } }
    expect(error.param).toBe(param)
    expect(error.message).toContain(words)
  }
  expect(pair.upstream.seen).toEqual([])
})

test('OpenAI itself gets them unchanged, with their calls and results', async () => {
  await using pair = await inFrontOf('openai', (_, response) => json(response, {}))
  const input = [
    { role: 'user', content: 'Hi' },
    ...cases.flatMap(({ item, output, prefix }) => [
      { id: `${prefix}1`, call_id: `call_${prefix}`, status: 'completed', ...item },
      { call_id: `call_${prefix}`, ...output },
    ]),
  ]
  const body = { model: pair.model, input, tools, tool_choice: { type: 'shell' } }
  await pair.gateway.post('/v1/responses', body)
  const { path, body: sent } = pair.upstream.seen[0]!
  expect(path).toMatch(/\/responses$/)
  expect(sent).toMatchObject({ input, tools, tool_choice: { type: 'shell' } })
})

test('a stored response is continued with the results', async () => {
  await using pair = await through('gemini', script)
  const first = await pair.gateway.post('/v1/responses', { model: pair.model, input: 'Hi', tools })
  const { id, output } = (await first.json()) as { id: string; output: Item[] }
  const calls = output.filter(({ call_id: call }) => call !== undefined)
  const results = calls.map(({ call_id }, index) => ({
    call_id,
    ...(cases[index]?.output ?? { type: 'function_call_output', output: 'ok' }),
  }))
  const body = { model: pair.model, previous_response_id: id, input: results, tools }
  const second = await pair.gateway.post('/v1/responses', body)
  const wire = await second.text()
  expect(second.status, wire).toBe(200)
  expect(wire).toContain('Done.')
})

test('the built-in engine calls one', async () => {
  await using gateway = await start()
  for (const stream of [false, true])
    for (const { tool, item } of cases) {
      const response = await gateway.post('/v1/responses', {
        model: 'builtin-chat',
        stream,
        input: 'Run "uname -a".',
        tools: [tool, own[0]],
        tool_choice: { type: tool.type },
      })
      const wire = await response.text()
      expect(response.status, wire).toBe(200)
      const [made] = itemsIn(wire, stream).filter(({ type }) => type !== 'reasoning')
      expect(made).toMatchObject({ type: item.type })
    }
})

test.each([
  ['shell', 'commands'],
  ['local_shell', 'command'],
])(
  'the built-in engine calls a %s that it must call with something to run',
  async (type, field) => {
    await using gateway = await start()
    for (const stream of [false, true]) {
      const response = await gateway.post('/v1/responses', {
        model: 'builtin-chat',
        stream,
        input: 'Have a look around.',
        tools: [{ type }],
        tool_choice: { type },
      })
      const made = itemsIn(await response.text(), stream).find(
        (item) => item['type'] === `${type}_call`,
      )
      const { [field]: words } = (made as unknown as { action: Record<string, unknown> }).action
      expect(words).toEqual([expect.stringMatching(/./)])
    }
  },
)
