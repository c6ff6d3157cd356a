// What models check in Messages that reach them as a caller wrote them: thinking that must come back, and schemas.
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { answerMessage, anthropicMessage, textBlock } from '../../support/fakes/anthropic-wire.ts'
import { fakeUpstream } from '../../support/fakes/fake-upstream.ts'
import { adminKey, type Started, start } from '../../support/start.ts'

type Fields = Readonly<Record<string, unknown>>

let gateway: Started
beforeAll(async () => {
  gateway = await start({
    providers: {
      anthropic: { key: 'k' },
      'google-vertex-anthropic': { key: 'k', project: 'p', region: 'global' },
      moonshotai: { key: 'k' },
      deep: { type: 'anthropic', baseUrl: 'https://api.deepseek.com/anthropic', key: 'k' },
    },
  })
})
afterAll(() => gateway[Symbol.asyncDispose]())

interface Explained {
  readonly mode: string
  readonly dropped: readonly string[]
  readonly upstream: { readonly body: Fields }
}

async function explained(request: Fields, path = '/v1/messages'): Promise<Explained> {
  const written = path === '/v1/messages' ? { max_tokens: 4000, ...request } : request
  const response = await gateway.post(
    '/admin/v1/explain',
    { path, request: written },
    { key: adminKey },
  )
  const { targets } = (await response.json()) as { readonly targets: readonly Explained[] }
  return targets[0]!
}

const user = { role: 'user', content: 'Hi' }
const called = { type: 'tool_use', id: 'toolu_1', name: 'f', input: {} }
const thought = (thinking: string) => ({ type: 'thinking', thinking, signature: '' })
const loop = (...thoughts: readonly object[]) => [
  user,
  { role: 'assistant', content: 'Sure.' },
  user,
  { role: 'assistant', content: [...thoughts, called] },
  { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'toolu_1', content: '1' }] },
]
const tools = [{ name: 'f', input_schema: { type: 'object', properties: {} } }]

describe('models that want the thinking of their calls back', () => {
  test.each(['deepseek-v4-pro', 'deepseek-v4-flash', 'kimi-k2.6'])(
    '%s gets thinking without words where a history has none',
    async (model) => {
      const asked = { model: `deep/${model}`, tools, messages: loop() }
      const { mode, dropped, upstream } = await explained(asked)
      expect({ mode, dropped }).toEqual({ mode: 'native', dropped: [] })
      const [first, ...rest] = loop(thought(''))
      const spoken = { role: 'assistant', content: [thought(''), { type: 'text', text: 'Sure.' }] }
      expect(upstream.body['messages']).toEqual([first, spoken, ...rest.slice(1)])
    },
  )

  test('their own thinking, which has no signature, stays as it is', async () => {
    const messages = loop(thought('Hm')).with(1, {
      role: 'assistant',
      content: [thought('So'), textBlock('Sure.')],
    })
    const asked = await explained({ model: 'deep/deepseek-v4-pro', tools, messages })
    expect(asked).toMatchObject({ mode: 'native', dropped: [], upstream: { body: { messages } } })
  })

  test.each([
    ['thinking is off', { thinking: { type: 'disabled' } }],
    ['nothing was called', { messages: loop().slice(0, 3) }],
    ['the model wants none', { model: 'deep/glm-5' }],
  ])('nothing is added where %s', async (_, further) => {
    const asked = { model: 'deep/deepseek-v4-pro', tools, messages: loop(), ...further }
    const { mode, upstream } = await explained(asked)
    expect(mode).toBe('native')
    expect(upstream.body['messages']).toEqual(asked.messages)
  })

  test.each(['anthropic/claude-sonnet-4-5', 'deep/my-model'])(
    '%s gets no thinking without a signature',
    async (model) => {
      const asked = await explained({ model, tools, messages: loop(thought('Hm')) })
      expect(asked.dropped).toEqual(['messages[3].content[0]'])
      expect(JSON.stringify(asked.upstream)).not.toContain('thinking')
    },
  )

  test('callers of chat completions get their reasoning through, too', async () => {
    const call = { id: 'c', type: 'function', function: { name: 'f', arguments: '{}' } }
    const history = (further: Fields) => [
      user,
      { role: 'assistant', content: null, tool_calls: [call], ...further },
      { role: 'tool', tool_call_id: 'c', content: '1' },
    ]
    for (const [further, thinking] of [
      [{ reasoning_content: 'Hm' }, 'Hm'],
      [{}, ''],
    ] as const) {
      const asked = { model: 'deep/deepseek-v4-pro', messages: history(further) }
      const { dropped, upstream } = await explained(asked, '/v1/chat/completions')
      expect(dropped).toEqual([])
      const [, answer] = upstream.body['messages'] as readonly Fields[]
      expect(answer?.['content']).toEqual([thought(thinking), { ...called, id: 'c' }])
    }
    const { upstream } = await explained(
      { model: 'moonshotai/kimi-k2.6', messages: history({}) },
      '/v1/chat/completions',
    )
    expect(upstream.body['messages']).toMatchObject([{}, { reasoning_content: '' }, {}])
  })

  test('the rest of a large request keeps its bytes', async () => {
    await using upstream = await fakeUpstream((seen, response) =>
      answerMessage(seen, response, anthropicMessage([textBlock('Hi')])),
    )
    await using own = await start({
      providers: { deep: { type: 'anthropic', baseUrl: upstream.url, key: 'k' } },
    })
    const long = 'word '.repeat(2000)
    const messages = JSON.stringify(
      loop().with(1, { role: 'assistant', content: [textBlock(long)] }),
    )
    const rest = `"odd" : [1.0, 9007199254740993] ,"max_tokens":4000,"tools":${JSON.stringify(tools)}`
    const answer = await own.request('/v1/messages', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: `{${rest},"messages":${messages},"model":"deep/deepseek-v4-pro"}`,
    })
    expect(answer.status).toBe(200)
    const sent = upstream.seen.at(-1)!
    expect(sent.text).toContain(rest)
    expect(sent.body['messages']).toMatchObject([
      {},
      { content: [thought(''), textBlock(long)] },
      {},
      { content: [thought(''), called] },
      {},
    ])
  })
})

const alternatives = [{ type: 'string' }, { type: 'null' }]
const schemaOf = (a: Fields, further: Fields = {}) => ({
  type: 'object',
  properties: { a },
  required: ['a'],
  ...further,
})
const closed = { additionalProperties: false }

describe.each(['anthropic', 'google-vertex-anthropic'])('Claude at %s', (provider) => {
  const model = `${provider}/claude-sonnet-4-5`
  const held = schemaOf({ anyOf: alternatives }, closed)

  test.each(['output_config', 'output_format'])(
    'gets a schema in %s in the only form that it takes',
    async (field) => {
      const formatIn = (schema: Fields) => {
        const format = { type: 'json_schema', schema }
        return { [field]: field === 'output_config' ? { format, effort: null } : format }
      }
      const given = formatIn(schemaOf({ oneOf: alternatives }))
      const { mode, dropped, upstream } = await explained({ model, messages: [user], ...given })
      expect({ mode, dropped }).toEqual({ mode: 'native', dropped: [] })
      expect(upstream.body[field]).toEqual(formatIn(held)[field])
      const bounded = formatIn(schemaOf({ type: 'integer', maximum: 9 }, closed))
      const lost = await explained({ model, messages: [user], ...bounded })
      const path = field === 'output_config' ? 'output_config.format' : field
      expect(lost.dropped).toEqual([`${path}.schema.properties.a.maximum`])
      const open = formatIn(schemaOf({ type: 'object', additionalProperties: true }))
      expect(await explained({ model, messages: [user], ...open })).toMatchObject({
        mode: 'translated',
      })
    },
  )

  test('gets the schemas of strict tools so, and those of others as they are', async () => {
    const given = [
      { name: 'f', strict: true, input_schema: schemaOf({ oneOf: alternatives }) },
      { name: 'g', strict: true, input_schema: schemaOf({ type: 'object' }) },
      { name: 'h', input_schema: schemaOf({ oneOf: alternatives }) },
    ]
    const { mode, dropped, upstream } = await explained({ model, messages: [user], tools: given })
    expect({ mode, dropped }).toEqual({ mode: 'native', dropped: ['tools[1].strict'] })
    const { strict: _, ...open } = given[1]!
    expect(upstream.body['tools']).toEqual([{ ...given[0], input_schema: held }, open, given[2]])
  })

  test('gets schemas that it takes as they are', async () => {
    const format = { type: 'json_schema', schema: held }
    const asked = {
      output_config: { format },
      tools: [{ name: 'f', strict: true, input_schema: held }],
    }
    const { mode, upstream } = await explained({ model, messages: [user], ...asked })
    expect(mode).toBe('native')
    expect(upstream.body).toMatchObject(asked)
  })
})
