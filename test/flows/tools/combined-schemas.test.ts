// A tool whose schema has alternatives at its top gets one object where the API refuses them, passed on and translated.
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { adminKey, type Started, start } from '../../support/start.ts'
import { answerMessage, anthropicMessage, textBlock } from '../../support/fakes/anthropic-wire.ts'
import { upstreamResponse } from '../../support/gateways/two-keys.ts'
import { type FakeUpstream, fakeUpstream, json } from '../../support/fakes/fake-upstream.ts'

type Fields = Readonly<Record<string, unknown>>

const combined = {
  type: 'object',
  description: 'A place.',
  properties: { zoom: { type: 'integer' } },
  required: ['zoom'],
  oneOf: [
    {
      properties: { city: { type: 'string' }, land: { type: 'string' } },
      required: ['city', 'land'],
    },
    { $ref: '#/$defs/point' },
  ],
  $defs: {
    point: {
      type: 'object',
      properties: { at: { type: 'number' }, land: { type: 'integer' } },
      required: ['at', 'land'],
    },
  },
}

const merged = {
  type: 'object',
  description: 'A place.',
  properties: {
    zoom: { type: 'integer' },
    city: { type: 'string' },
    land: { anyOf: [{ type: 'string' }, { type: 'integer' }] },
    at: { type: 'number' },
  },
  required: ['zoom', 'land'],
  $defs: combined.$defs,
}

let gateway: Started
let upstream: FakeUpstream
beforeAll(async () => {
  upstream = await fakeUpstream((seen, response) =>
    seen.path.includes('/messages')
      ? answerMessage(seen, response, anthropicMessage([textBlock('Hi')]))
      : json(response, upstreamResponse('resp_1', 'Hi')),
  )
  const at = { baseUrl: upstream.url, key: 'k' }
  gateway = await start({
    providers: {
      openai: { key: 'k' },
      azure: { type: 'azure', ...at },
      claude: { type: 'anthropic', ...at },
      responses: { type: 'openai-responses', ...at },
      bedrock: { type: 'bedrock', baseUrl: upstream.url, key: 'a:b' },
      gemini: { type: 'gemini', ...at },
      cohere: { type: 'cohere', ...at },
      own: { type: 'openai', ...at },
      openrouter: { ...at },
    },
    defaults: { retries: { attempts: 1 } },
  })
})
afterAll(async () => {
  await gateway[Symbol.asyncDispose]()
  await upstream[Symbol.asyncDispose]()
})

async function explained(request: Fields): Promise<Fields> {
  const response = await gateway.post('/admin/v1/explain', { request }, { key: adminKey })
  const { targets } = (await response.json()) as { readonly targets: readonly Fields[] }
  return targets[0]!
}

const messages = [{ role: 'user', content: 'Hi' }]
const chatTools = (parameters: unknown, further: Fields = {}) => [
  { type: 'function', function: { name: 'f', parameters, ...further } },
]

describe('a chat', () => {
  test.each([
    ['openai/gpt-4.1', 'native'],
    ['openai/some-model', 'native'],
    ['own/gpt-4.1', 'native'],
    ['own/claude-sonnet-4-5', 'native'],
    ['openrouter/anthropic/claude-sonnet-4.5', 'native'],
    ['azure/gpt-4.1', 'translated'],
    ['claude/claude-sonnet-4-5', 'translated'],
    ['bedrock/anthropic.claude-sonnet-4-5-20250929-v1:0', 'translated'],
    ['bedrock/amazon.nova-pro-v1:0', 'translated'],
    ['responses/gpt-5', 'translated'],
    ['gemini/gemini-3.8-flash', 'translated'],
    ['cohere/command-a-03-2025', 'translated'],
  ])('to %s is merged, %s', async (model, mode) => {
    const told = await explained({ model, messages, tools: chatTools(combined) })
    expect(told).toMatchObject({ mode, dropped: ['tools[0].function.parameters.oneOf'] })
    const sent = JSON.stringify(told['upstream'])
    expect(sent).toContain(JSON.stringify(merged.properties))
    expect(sent).not.toContain('oneOf')
  })

  test.each(['own/m', 'openrouter/m'])('to %s keeps its alternatives', async (model) => {
    const told = await explained({ model, messages, tools: chatTools(combined) })
    expect(told).toMatchObject({
      dropped: [],
      upstream: { body: { tools: chatTools(combined) } },
    })
  })

  test('is merged without alternatives, and not named then', async () => {
    const parameters = { allOf: [combined.$defs.point, { properties: { x: {} } }] }
    expect(
      await explained({ model: 'openai/gpt-4.1', messages, tools: chatTools(parameters) }),
    ).toMatchObject({
      dropped: [],
      upstream: {
        body: {
          tools: chatTools({
            type: 'object',
            properties: { ...combined.$defs.point.properties, x: {} },
            required: ['at', 'land'],
          }),
        },
      },
    })
  })

  test.each(['openai/gpt-4.1', 'claude/claude-sonnet-4-5', 'cohere/command-a-03-2025'])(
    'to %s gets a schema that is only a reference written out',
    async (model) => {
      const parameters = {
        $ref: '#/$defs/point',
        $defs: { ...combined.$defs, line: { $ref: '#/$defs/point' } },
      }
      const told = await explained({ model, messages, tools: chatTools(parameters) })
      expect(told).toMatchObject({ dropped: [] })
      const sent = JSON.stringify(told['upstream'])
      expect(sent).toContain(`"properties":${JSON.stringify(combined.$defs.point.properties)}`)
      expect(sent).not.toMatch(/"(parameters|input_schema)":\{"\$ref"/)
    },
  )

  test.each(['openai/gpt-4.1', 'cohere/command-a-03-2025'])(
    'to %s with a strict tool that cannot be enforced',
    async (model) => {
      const tools = chatTools(combined, { strict: true })
      const told = await explained({ model, messages, tools })
      expect(told).toMatchObject({
        dropped: ['tools[0].function.parameters.oneOf', 'tools[0].function.strict'],
      })
      expect(JSON.stringify(told['upstream'])).not.toMatch(/"strict(_tools)?":true/)
    },
  )

  test('to an older Gemini is merged in Google’s own form', async () => {
    const told = await explained({
      model: 'gemini/gemini-2.0-flash',
      messages,
      tools: chatTools(combined),
    })
    expect(told).toMatchObject({
      dropped: ['tools[0].function.parameters.oneOf'],
      upstream: {
        body: {
          tools: [
            {
              functionDeclarations: [
                {
                  parameters: {
                    type: 'OBJECT',
                    properties: {
                      city: { type: 'STRING' },
                      land: { anyOf: [{ type: 'STRING' }, { type: 'INTEGER' }] },
                    },
                    required: ['zoom', 'land'],
                  },
                },
              ],
            },
          ],
        },
      },
    })
  })
})

test('Messages and Responses pass with merged schemas, and other bytes as they came', async () => {
  const long = 'word '.repeat(20_000)
  const claude = await gateway.post('/v1/messages', {
    model: 'claude/claude-sonnet-4-5',
    max_tokens: 100,
    messages,
    tools: [{ name: 'f', description: long, input_schema: combined, cache_control: null }],
  })
  expect(claude.headers.get('x-sluice-dropped')).toBe('tools[0].input_schema.oneOf')
  expect(upstream.seen.at(-1)?.body).toMatchObject({
    messages,
    tools: [{ name: 'f', description: long, input_schema: merged, cache_control: null }],
  })
  const responses = await gateway.post('/v1/responses', {
    model: 'responses/gpt-5',
    input: 'Hi',
    tools: [{ type: 'function', name: 'f', description: long, parameters: combined }],
  })
  expect(responses.headers.get('x-sluice-dropped')).toBe('tools[0].parameters.oneOf')
  expect(upstream.seen.at(-1)?.body).toMatchObject({
    input: 'Hi',
    tools: [{ name: 'f', description: long, parameters: merged }],
  })
})

test.each([
  ['functionDeclarations', 'parametersJsonSchema', combined, merged],
  ['function_declarations', 'parameters_json_schema', combined, merged],
  [
    'functionDeclarations',
    'parameters',
    {
      type: 'OBJECT',
      anyOf: [
        { type: 'OBJECT', properties: { a: { type: 'STRING' } }, required: ['a'] },
        { type: 'OBJECT', properties: { b: { type: 'STRING' } } },
      ],
    },
    { type: 'OBJECT', properties: { a: { type: 'STRING' }, b: { type: 'STRING' } } },
  ],
])('Gemini’s own requests pass with merged %s.%s', async (list, field, given, sent) => {
  const long = 'word '.repeat(20_000)
  const tool = (schema: object) => [
    { [list]: [{ name: 'f', description: long, [field]: schema }, { name: 'g' }] },
    { codeExecution: {} },
  ]
  const ask = (model: string) =>
    gateway.post(`/v1beta/models/gemini%2F${model}:generateContent`, {
      contents: [{ role: 'user', parts: [{ text: 'Hi' }] }],
      tools: tool(given),
    })
  const known = await ask('gemini-3.8-flash')
  const lost = Object.keys(given).find((name) => name.endsWith('Of'))
  expect(known.headers.get('x-sluice-dropped')).toBe(`tools[0].${list}[0].${field}.${lost}`)
  expect(upstream.seen.at(-1)?.body['tools']).toEqual(tool(sent))
  await ask('some-model')
  expect(upstream.seen.at(-1)?.body['tools']).toEqual(tool(given))
})
