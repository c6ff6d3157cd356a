// Tools that Anthropic defined and the caller runs: other models get them as functions, and their calls have the tool's own form.
import { describe, expect, test } from 'vitest'
import { json } from '../../support/fakes/fake-upstream.ts'
import type { Script } from '../../support/fakes/scripted-models.ts'
import { inFrontOf, through } from '../../support/gateways/scripted-gateway.ts'
import { start } from '../../support/start.ts'

type Fields = Readonly<Record<string, unknown>>

const computer = {
  type: 'computer_20251124',
  name: 'computer',
  display_width_px: 1024,
  display_height_px: 768,
  enable_zoom: true,
}
const tools = [
  { type: 'bash_20250124', name: 'bash' },
  { name: 'bash_history', input_schema: { type: 'object', properties: {} } },
  { type: 'text_editor_20250728', name: 'str_replace_based_edit_tool', max_characters: 5000 },
  { type: 'memory_20250818', name: 'memory' },
  computer,
]
const picture =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='

const calls: readonly (readonly [string, Fields])[] = [
  ['bash', { command: 'ls -la "a b"' }],
  ['str_replace_based_edit_tool', { command: 'view', path: '/a.txt', view_range: [1, -1] }],
  ['memory', { command: 'rename', old_path: '/memories/a', new_path: '/memories/b' }],
  ['computer', { action: 'left_click', coordinate: [3, 4] }],
  ['bash_history', {}],
]
const script: Script = (rounds) =>
  rounds === 0
    ? { calls: calls.map(([name, input]) => [name, JSON.stringify(input)] as const) }
    : { text: 'Done.' }

function blocksIn(wire: string, stream: boolean): readonly Fields[] {
  if (!stream) return (JSON.parse(wire) as { content: Fields[] }).content
  const blocks: Record<string, unknown>[] = []
  for (const [, data = ''] of wire.matchAll(/^data: (.*)$/gm)) {
    const event = JSON.parse(data) as { type: string; content_block: Fields; delta: Fields }
    const { type, content_block: block, delta } = event
    if (type === 'content_block_start') blocks.push({ ...block, text: '', json: '' })
    const last = blocks.at(-1)
    if (last === undefined) continue
    if (type === 'content_block_delta') {
      last['text'] += String(delta['text'] ?? '')
      last['json'] += String(delta['partial_json'] ?? '')
    }
    if (type === 'content_block_stop' && last['type'] === 'tool_use')
      last['input'] = JSON.parse(String(last['json'] || '{}'))
  }
  return blocks
}

describe.each(['openai', 'gemini'] as const)('Anthropic’s client tools at %s', (maker) => {
  test.each([false, true])('make the whole loop (streamed: %s)', async (stream) => {
    await using pair = await through(maker, script)
    const messages: Fields[] = [{ role: 'user', content: 'Tidy up.' }]
    const turn = async () => {
      const body = { model: pair.model, max_tokens: 1000, stream, messages, tools }
      const response = await pair.gateway.post('/v1/messages', body)
      const wire = await response.text()
      expect(response.status, wire).toBe(200)
      expect(response.headers.get('x-sluice-dropped')).toBeNull()
      return blocksIn(wire, stream)
    }
    const used = await turn()
    expect(used).toMatchObject(
      calls.map(([name, input]) => ({ type: 'tool_use', id: expect.any(String), name, input })),
    )
    messages.push(
      {
        role: 'assistant',
        content: used.map(({ type, id, name, input }) => ({ type, id, name, input })),
      },
      {
        role: 'user',
        content: used.map(({ id, name }) => ({
          type: 'tool_result',
          tool_use_id: id,
          content:
            name === 'computer'
              ? [
                  {
                    type: 'image',
                    source: { type: 'base64', media_type: 'image/png', data: picture },
                  },
                ]
              : 'ok',
        })),
      },
    )
    expect(await turn()).toMatchObject([{ type: 'text', text: 'Done.' }])
    const { text } = pair.upstream.seen.at(-1)!
    expect(text).toContain(picture)
    for (const word of [
      'insert_text',
      '"rename"',
      '5000 characters',
      '1024 × 768',
      '"zoom"',
      'restart',
    ])
      expect(text).toContain(word)
    expect(text).not.toContain('_20250')
  })

  test('keep a choice that names one, and a choice of any', async () => {
    await using pair = await through(maker, script)
    const ask = (choice: object) =>
      pair.gateway.post('/v1/messages', {
        model: pair.model,
        max_tokens: 1000,
        messages: [{ role: 'user', content: 'Tidy up.' }],
        tools: [tools[0]],
        tool_choice: choice,
      })
    for (const [choice, sent] of [
      [
        { type: 'tool', name: 'bash' },
        {
          openai: '"tool_choice":{"type":"function","function":{"name":"bash"}}',
          gemini: '"allowedFunctionNames":["bash"]',
        },
      ],
      [{ type: 'any' }, { openai: '"tool_choice":"required"', gemini: '"mode":"ANY"' }],
    ] as const) {
      expect((await ask(choice)).status).toBe(200)
      expect(pair.upstream.seen.at(-1)!.text).toContain(sent[maker])
    }
  })
})

test('older versions of the editor keep their name and their fields', async () => {
  await using pair = await through('openai', () => ({ text: 'Hi' }))
  await pair.gateway.post('/v1/messages', {
    model: pair.model,
    max_tokens: 100,
    messages: [{ role: 'user', content: 'Hi' }],
    tools: [{ type: 'text_editor_20250124', name: 'str_replace_editor' }],
  })
  const { text } = pair.upstream.seen.at(-1)!
  expect(text).toContain('"name":"str_replace_editor"')
  expect(text).toContain('undo_edit')
  expect(text).not.toContain('insert_text')
})

test('reach Anthropic unchanged, from Messages and from chat', async () => {
  await using pair = await inFrontOf('anthropic', (_, response) => json(response, {}))
  const request = { model: pair.model, messages: [{ role: 'user', content: 'Hi' }] }
  const chosen = { type: 'function', function: { name: 'bash' } }
  const own = tools.filter((tool) => 'type' in tool)
  await pair.gateway.post('/v1/messages', { ...request, max_tokens: 100, tools })
  expect(pair.upstream.seen.at(-1)!.body).toMatchObject({ tools })
  await pair.gateway.post('/v1/chat/completions', { ...request, tools: own, tool_choice: chosen })
  expect(pair.upstream.seen.at(-1)!.body).toMatchObject({
    tools: own,
    tool_choice: { type: 'tool', name: 'bash' },
  })
})

test.each([
  ['gemini', '"allowedFunctionNames":["bash"]'],
  ['openai', '"tool_choice":{"type":"function","function":{"name":"bash"}}'],
] as const)('travel as functions from chat, too, to %s', async (maker, chosen) => {
  await using pair = await through(maker, script)
  const response = await pair.gateway.post('/v1/chat/completions', {
    model: pair.model,
    messages: [{ role: 'user', content: 'Hi' }],
    tools: tools.filter((tool) => 'type' in tool),
    tool_choice: { type: 'function', function: { name: 'bash' } },
  })
  const { choices } = (await response.json()) as {
    choices: { message: { tool_calls: Fields[] } }[]
  }
  expect(choices[0]!.message.tool_calls[0]).toMatchObject({
    function: { name: 'bash', arguments: '{"command":"ls -la \\"a b\\""}' },
  })
  expect(pair.upstream.seen.at(-1)!.text).toContain(chosen)
})

test('the built-in engine calls one', async () => {
  await using gateway = await start()
  for (const stream of [false, true]) {
    const response = await gateway.post('/v1/messages', {
      model: 'builtin-chat',
      max_tokens: 1000,
      stream,
      messages: [{ role: 'user', content: 'Run the command "uname -a" in bash.' }],
      tools: [tools[0], tools[1]],
      tool_choice: { type: 'tool', name: 'bash' },
    })
    const wire = await response.text()
    expect(response.status, wire).toBe(200)
    const used = blocksIn(wire, stream).filter(({ type }) => type === 'tool_use')
    expect(used).toMatchObject([{ name: 'bash' }])
  }
})

test('a field that a function cannot tell is named by its place, and code may not call the tool', async () => {
  await using pair = await through('openai', () => ({ text: 'Hi' }))
  const ask = (fields: object) =>
    pair.gateway.post('/v1/messages', {
      model: pair.model,
      max_tokens: 100,
      messages: [{ role: 'user', content: 'Hi' }],
      tools: [
        { name: 'now', input_schema: { type: 'object' } },
        { ...tools[0], ...fields },
      ],
    })
  const hinted = await ask({ defer_loading: true, allowed_callers: ['direct'] })
  expect(hinted.headers.get('x-sluice-dropped')).toBe('tools[1].defer_loading')
  const refused = await ask({ allowed_callers: ['code_execution_20250825'] })
  expect(refused.status).toBe(400)
  expect(await refused.text()).toContain('tools[1].allowed_callers')
})

test('count as tools that the model reads', async () => {
  await using pair = await through('openai', script)
  const count = async (offered: readonly object[]) => {
    const response = await pair.gateway.post('/v1/messages/count_tokens', {
      model: pair.model,
      messages: [{ role: 'user', content: 'Hi' }],
      tools: offered,
    })
    return ((await response.json()) as { input_tokens: number }).input_tokens
  }
  expect((await count([tools[0]!])) - (await count([]))).toBeGreaterThan(50)
})

test('arguments that are no object become one, whole and streamed', async () => {
  await using pair = await through('openai', () => ({ calls: [['bash', 'rm -rf /']] }))
  for (const stream of [false, true]) {
    const response = await pair.gateway.post('/v1/messages', {
      model: pair.model,
      max_tokens: 1000,
      stream,
      messages: [{ role: 'user', content: 'Hi' }],
      tools: [tools[0]],
    })
    expect(blocksIn(await response.text(), stream)).toMatchObject([
      { type: 'tool_use', name: 'bash', input: { raw_arguments: 'rm -rf /' } },
    ])
  }
})
