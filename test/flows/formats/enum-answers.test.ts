// Gemini's `responseMimeType: text/x.enum` for targets that support only JSON: the caller reads the bare value.
import { afterAll, beforeAll, describe, expect, it, test } from 'vitest'
import { cohereModel, responsesModel } from '../../support/fakes/further-models.ts'
import { makers, type Script } from '../../support/fakes/scripted-models.ts'
import { inFrontOf } from '../../support/gateways/scripted-gateway.ts'
import { type Started, start } from '../../support/start.ts'

const values = ['brass', 'wood "wind"']

const asked = (generationConfig: object) => ({
  contents: [{ role: 'user', parts: [{ text: 'A flute is wood "wind".' }] }],
  generationConfig,
})

const enumRequest = asked({
  responseMimeType: 'text/x.enum',
  responseSchema: { type: 'STRING', title: 'Instrument', enum: values },
})

interface Answer {
  readonly candidates: readonly { readonly content: { readonly parts: { text?: string }[] } }[]
}

const textOf = ({ candidates }: Answer) =>
  candidates.flatMap(({ content }) => content.parts.map(({ text = '' }) => text)).join('')

async function wholeText(gateway: Started, model: string): Promise<string> {
  const response = await gateway.post(`/v1beta/models/${model}:generateContent`, enumRequest)
  expect(response.status).toBe(200)
  return textOf((await response.json()) as Answer)
}

async function streamedText(gateway: Started, model: string): Promise<string> {
  const path = `/v1beta/models/${model}:streamGenerateContent?alt=sse`
  const events = (await (await gateway.post(path, enumRequest)).text()).trim().split(/\r?\n\r?\n/)
  return events.map((event) => textOf(JSON.parse(event.replace(/^data: /, '')) as Answer)).join('')
}

const { anthropic, openai } = makers
type Upstream = readonly [ReturnType<typeof anthropic.answering>, string]
const upstreams = {
  anthropic: (script: Script) => [anthropic.answering(script), anthropic.model],
  openai: (script: Script) => [openai.answering(script), openai.model],
  'openai-responses': (script: Script) => [responsesModel(script), openai.model],
  cohere: (script: Script) => [cohereModel(script), 'command-a-03-2025'],
} satisfies Record<string, (script: Script) => Upstream>

const types = ['anthropic', 'openai', 'openai-responses', 'cohere'] as const

describe.each(types)('reads the bare enum value from %s', (type) => {
  test.each([
    ['JSON', JSON.stringify({ value: 'wood "wind"' }), 'wood "wind"'],
    ['JSON with white space', '\n{ "value" :\n "brass" }\n', 'brass'],
    ['a JSON string', '"brass"', 'brass'],
    ['the bare value', 'brass', 'brass'],
    ['truncated JSON', '{"value":"bra', 'bra'],
  ])('%s', async (_, said, value) => {
    const [answering, model] = upstreams[type](() => ({ text: said }))
    await using pair = await inFrontOf(type, answering, model)
    expect(await wholeText(pair.gateway, pair.model)).toBe(value)
    const [seen] = pair.upstream.seen
    expect(seen?.text).toContain(JSON.stringify(values))
    expect(await streamedText(pair.gateway, pair.model)).toBe(value)
  })
})

test('passes an enum request to Gemini unchanged', async () => {
  const { answering, model } = makers.gemini
  await using pair = await inFrontOf(
    'gemini',
    answering(() => ({ text: 'brass' })),
    model,
  )
  expect(await wholeText(pair.gateway, pair.model)).toBe('brass')
  expect(JSON.parse(pair.upstream.seen[0]?.text ?? '')).toMatchObject(enumRequest)
})

describe('the built-in engine', () => {
  let gateway: Started
  beforeAll(async () => {
    gateway = await start()
  })
  afterAll(() => gateway[Symbol.asyncDispose]())

  it('answers with the enum value that the prompt names', async () => {
    expect(await wholeText(gateway, 'builtin-chat')).toBe('wood "wind"')
    expect(await streamedText(gateway, 'builtin-chat')).toBe('wood "wind"')
  })

  it.each([
    [{}, 'generationConfig.responseSchema'],
    [{ responseSchema: { type: 'STRING' } }, 'generationConfig.responseSchema.enum'],
    [{ responseSchema: { type: 'STRING', enum: [] } }, 'generationConfig.responseSchema.enum'],
    [
      { responseSchema: { type: 'STRING', enum: ['a', 1] } },
      'generationConfig.responseSchema.enum[1]',
    ],
    [
      { responseJsonSchema: { type: 'integer', enum: [1] } },
      'generationConfig.responseJsonSchema.type',
    ],
  ])('rejects the schema %j', async (schema, field) => {
    const config = asked({ responseMimeType: 'text/x.enum', ...schema })
    const response = await gateway.post('/v1beta/models/builtin-chat:generateContent', config)
    expect(response.status).toBe(400)
    expect(await response.text()).toContain(field)
  })
})
