// Calls of tools that OpenAI defined and the caller runs, as upstreams write them badly or in pieces.
import { expect, test } from 'vitest'
import { eventsIn, itemsIn } from '../../support/clients/response-items.ts'
import { json } from '../../support/fakes/fake-upstream.ts'
import { inFrontOf } from '../../support/gateways/scripted-gateway.ts'

const tools = [
  { type: 'shell' },
  { type: 'local_shell' },
  { type: 'apply_patch' },
  { type: 'computer' },
  { type: 'function', name: 'shell_history', parameters: { type: 'object', properties: {} } },
]

/** The stream of an upstream whose calls come in pieces, some of them interleaved. */
const chunked = (deltas: readonly object[], reason: string) =>
  [
    ...deltas.map((delta) => ({ choices: [{ index: 0, delta, finish_reason: null }] })),
    { choices: [{ index: 0, delta: {}, finish_reason: reason }] },
  ]
    .map(
      (chunk) =>
        `data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', created: 1, model: 'm', ...chunk })}\n\n`,
    )
    .join('') + 'data: [DONE]\n\n'

const begin = (index: number, name: string, text = '') => ({
  tool_calls: [
    { index, id: `call_${index}`, type: 'function', function: { name, arguments: text } },
  ],
})
const go = (index: number, text: string) => ({
  tool_calls: [{ index, function: { arguments: text } }],
})

async function streamed(deltas: readonly object[], reason = 'tool_calls'): Promise<string> {
  await using pair = await inFrontOf('openai', ({ path }, response) => {
    if (!path.endsWith('/chat/completions')) return json(response, {}, { status: 404 })
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.end(chunked(deltas, reason))
  })
  const body = { model: pair.model, stream: true, input: 'Hi', tools }
  const response = await pair.gateway.post('/v1/responses', body)
  const wire = await response.text()
  expect(response.status, wire).toBe(200)
  expect(wire).toContain(reason === 'length' ? 'response.incomplete' : 'response.completed')
  return wire
}

test('calls whose arguments come in pieces, and between each other', async () => {
  const wire = await streamed([
    { content: 'I shall.' },
    begin(0, 'shell', '{"comm'),
    begin(1, 'shell_history'),
    begin(2, 'apply_patch', '{"type":"create_file",'),
    go(1, '{"a'),
    go(0, 'ands":["echo }"'),
    go(1, '":1}'),
    go(0, ',"b"]}'),
    go(0, '\n'),
    go(2, '"path":"p","diff":"+x"}'),
  ])
  expect(itemsIn(wire, true)).toMatchObject([
    { type: 'message' },
    { type: 'shell_call', call_id: 'call_0', action: { commands: ['echo }', 'b'] } },
    { type: 'function_call', call_id: 'call_1', arguments: '{"a":1}' },
    { type: 'apply_patch_call', operation: { type: 'create_file', path: 'p', diff: '+x' } },
  ])
  const told = eventsIn(wire)
  const commands = told.filter(({ type }) => type === 'response.shell_call_command.done')
  expect(commands.map(({ command }) => command)).toEqual(['echo }', 'b'])
  const [begun] = told.filter(({ item }) => item?.['type'] === 'apply_patch_call')
  expect(begun!.item).toMatchObject({
    status: 'in_progress',
    operation: { type: 'create_file', path: 'p', diff: '' },
  })
  expect(
    told.find(({ type }) => type === 'response.apply_patch_call_operation_diff.done'),
  ).toMatchObject({ diff: '+x' })
})

test('arguments that are not valid become the nearest valid form, and run nothing', async () => {
  const wire = await streamed([
    begin(0, 'shell', 'rm -rf /'),
    begin(1, 'local_shell', '[1]'),
    begin(2, 'apply_patch', '{"type":"move_file","path":"p"}'),
    begin(3, 'computer', '{"actions":[{"type":"click","x":"left"},{"type":"fly"}]}'),
    begin(4, 'shell', '{"command":"ls","timeout_ms":"soon"}'),
  ])
  expect(itemsIn(wire, true)).toMatchObject([
    { type: 'shell_call', action: { commands: [] } },
    { type: 'local_shell_call', action: { command: [], env: {} } },
    { type: 'apply_patch_call', operation: { type: 'update_file', path: 'p' } },
    { type: 'computer_call', actions: [{ type: 'screenshot' }] },
    { type: 'shell_call', action: { commands: ['ls'], timeout_ms: null } },
  ])
})

test('the same in whole responses', async () => {
  const written = [
    ['shell', 'rm -rf /'],
    ['computer', '{"actions":{"type":"wait"}}'],
    ['apply_patch', '{"operation":{"type":"delete_file","path":"p"}}'],
  ]
  await using pair = await inFrontOf('openai', ({ path }, response) => {
    if (!path.endsWith('/chat/completions')) return json(response, {}, { status: 404 })
    const calls = written.map(([name, text], index) => ({
      id: `call_${index}`,
      type: 'function',
      function: { name, arguments: text },
    }))
    const message = { role: 'assistant', content: null, tool_calls: calls }
    return json(response, { choices: [{ index: 0, message, finish_reason: 'tool_calls' }] })
  })
  const response = await pair.gateway.post('/v1/responses', {
    model: pair.model,
    input: 'Hi',
    tools,
  })
  expect(itemsIn(await response.text(), false)).toMatchObject([
    { type: 'shell_call', status: 'completed', action: { commands: [] } },
    { type: 'computer_call', actions: [{ type: 'wait' }] },
    { type: 'apply_patch_call', operation: { type: 'delete_file', path: 'p' } },
  ])
})

test('a call that the limit cut runs nothing and says that it is not complete', async () => {
  const wire = await streamed(
    [begin(0, 'shell', '{"commands":["rm -r a"'), begin(1, 'apply_patch', '{"type":"delete_file"')],
    'length',
  )
  expect(itemsIn(wire, true)).toMatchObject([
    { type: 'shell_call', status: 'incomplete', action: { commands: [] } },
    { type: 'apply_patch_call', status: 'in_progress', operation: { path: '' } },
  ])
})

test('the same in a whole response', async () => {
  await using pair = await inFrontOf('openai', ({ path }, response) => {
    if (!path.endsWith('/chat/completions')) return json(response, {}, { status: 404 })
    const calls = ['{"commands":["ls"]}', '{"commands":["rm -r a"'].map((text, index) => ({
      id: `call_${index}`,
      type: 'function',
      function: { name: 'shell', arguments: text },
    }))
    const message = { role: 'assistant', content: null, tool_calls: calls }
    return json(response, { choices: [{ index: 0, message, finish_reason: 'length' }] })
  })
  const body = { model: pair.model, input: 'Hi', tools }
  const response = await pair.gateway.post('/v1/responses', body)
  expect(itemsIn(await response.text(), false)).toMatchObject([
    { status: 'completed', action: { commands: ['ls'] } },
    { status: 'incomplete', action: { commands: [] } },
  ])
})
