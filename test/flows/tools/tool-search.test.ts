// Codex searches for tools itself and receives those it found; other models do the same with a function.
import { expect, test } from 'vitest'
import type { Script } from '../../support/fakes/scripted-models.ts'
import { through } from '../../support/gateways/scripted-gateway.ts'

type Item = Readonly<Record<string, unknown>>

const search = {
  type: 'tool_search',
  execution: 'client',
  description: 'Searches over deferred tools.',
  parameters: {
    type: 'object',
    properties: { query: { type: 'string' } },
    required: ['query'],
    additionalProperties: false,
  },
}
const found = {
  type: 'namespace',
  name: 'mcp__calendar',
  description: 'A calendar.',
  tools: [
    {
      type: 'function',
      name: 'create_event',
      description: 'Creates an event.',
      parameters: { type: 'object', properties: { title: { type: 'string' } } },
      defer_loading: true,
    },
  ],
}

/** Searches, calls what was found by the name it is offered under, and tells its names. */
const script: Script = (rounds, offered) => {
  if (rounds === 0) return { calls: [['tool_search', '{"query":"calendar"}']] }
  const name = offered.find((one) => one.includes('create_event'))
  if (name === undefined) return { text: `Only ${offered.join(', ')}` }
  return rounds === 1 ? { calls: [[name, '{"title":"Lunch"}']] } : { text: 'Created.' }
}

function itemsIn(wire: string, stream: boolean): readonly Item[] {
  if (!stream) return (JSON.parse(wire) as { output: Item[] }).output
  return [...wire.matchAll(/^data: (.*"type":"response\.output_item\.done".*)$/gm)].map(
    ([, data = '']) => (JSON.parse(data) as { item: Item }).item,
  )
}

const withoutId = ({ id: _, ...item }: Item) => item

test.each(['anthropic', 'gemini', 'openai'] as const)(
  'Codex finds and calls a tool at %s',
  async (maker) => {
    for (const stream of [false, true]) {
      await using pair = await through(maker, script)
      const input: Item[] = [{ role: 'user', content: 'Put lunch into my calendar.' }]
      const turn = async () => {
        const response = await pair.gateway.post('/v1/responses', {
          model: pair.model,
          stream,
          input,
          tools: [search],
        })
        const wire = await response.text()
        expect(response.status, wire).toBe(200)
        if (input.length === 1) expect(wire).not.toContain('function_call_arguments')
        const items = itemsIn(wire, stream)
        input.push(...items)
        return items.filter(({ type }) => type !== 'reasoning').map(withoutId)
      }
      const [asked] = await turn()
      expect(asked).toEqual({
        type: 'tool_search_call',
        call_id: expect.any(String),
        status: 'completed',
        execution: 'client',
        arguments: { query: 'calendar' },
      })
      input.push({
        type: 'tool_search_output',
        call_id: asked!['call_id'],
        status: 'completed',
        execution: 'client',
        tools: [found],
      })
      const [called] = await turn()
      expect(called).toMatchObject({
        type: 'function_call',
        namespace: 'mcp__calendar',
        name: 'create_event',
        arguments: '{"title":"Lunch"}',
      })
      input.push({ type: 'function_call_output', call_id: called!['call_id'], output: 'ok' })
      const [last] = await turn()
      expect(last).toMatchObject({ content: [{ text: 'Created.' }] })
    }
  },
)

test('offers a tool once that is found twice or also listed', async () => {
  await using pair = await through('anthropic', () => ({ text: 'Hi' }))
  const pieces = ['a', 'b'].flatMap((id) => [
    { type: 'tool_search_call', call_id: id, status: 'completed', arguments: { query: 'x' } },
    { type: 'tool_search_output', call_id: id, status: 'completed', tools: [found] },
  ])
  const response = await pair.gateway.post('/v1/responses', {
    model: pair.model,
    input: [
      { role: 'user', content: 'Hi' },
      ...pieces,
      { type: 'additional_tools', tools: [found] },
    ],
    tools: [search, { type: 'function', name: 'tool_search', parameters: {} }],
  })
  expect(response.status).toBe(200)
  const { tools } = pair.upstream.seen.at(-1)!.body as { tools: { name: string }[] }
  expect(tools.map(({ name }) => name)).toEqual([
    'tool_search_',
    'tool_search',
    'mcp__calendar__create_event',
  ])
})

test('drops and reports Claude’s tool search for other makers', async () => {
  await using pair = await through('openai', () => ({ text: 'Hi' }))
  const response = await pair.gateway.post('/v1/messages', {
    model: pair.model,
    max_tokens: 100,
    messages: [{ role: 'user', content: 'Hi' }],
    tools: [
      { type: 'tool_search_tool_regex_20251119', name: 'tool_search_tool_regex' },
      { name: 'now', input_schema: { type: 'object' }, defer_loading: true },
    ],
  })
  expect(response.status).toBe(200)
  expect(response.headers.get('x-sluice-dropped')).toContain('tools[0].type')
})
