// Structured output of the official SDKs: from the built-in engine, and through upstreams of other protocols.
import Anthropic from '@anthropic-ai/sdk'
import { GoogleGenAI } from '@google/genai'
import OpenAI from 'openai'
import { describe, expect, test } from 'vitest'
import { makers, type Script } from '../../support/fakes/scripted-models.ts'
import { through } from '../../support/gateways/scripted-gateway.ts'
import { type Started, start, testKey } from '../../support/start.ts'

const schema = {
  type: 'object',
  properties: { name: { type: 'string' }, age: { type: 'integer' } },
  required: ['name', 'age'],
  additionalProperties: false,
}
const question = 'Ada Lovelace is 36 years old.'
const ada = { name: 'Ada Lovelace', age: 36 }

/** As text, or as the arguments of a tool where a codec asks for JSON in that way. */
const describesAda: Script = (_rounds, [tool]) =>
  tool === undefined ? { text: JSON.stringify(ada) } : { calls: [[tool, JSON.stringify(ada)]] }

type Ask = (gateway: Started, model: string) => Promise<string | null | undefined>

const openai = ({ url }: Started) =>
  new OpenAI({ apiKey: testKey, baseURL: `${url}/v1`, maxRetries: 0 })
const chat = (model: string) => ({
  model,
  messages: [{ role: 'user' as const, content: question }],
  response_format: {
    type: 'json_schema' as const,
    json_schema: { name: 'person', strict: true, schema },
  },
})
const message = (model: string) => ({
  model,
  max_tokens: 1000,
  messages: [{ role: 'user' as const, content: question }],
  output_config: { format: { type: 'json_schema' as const, schema } },
})
const textOf = ({ content }: Anthropic.Message) =>
  content.map((block) => (block.type === 'text' ? block.text : '')).join('')
const anthropic = ({ url }: Started) =>
  new Anthropic({ apiKey: testKey, baseURL: url, maxRetries: 0 })
const content = (model: string) => ({
  model,
  contents: question,
  config: { responseMimeType: 'application/json', responseJsonSchema: schema },
})
const google = ({ url }: Started) =>
  new GoogleGenAI({ apiKey: testKey, httpOptions: { baseUrl: url } })

const ways: Readonly<Record<string, Ask>> = {
  'chat, whole': async (gateway, model) =>
    (await openai(gateway).chat.completions.create(chat(model))).choices[0]?.message.content,
  'chat, streamed': (gateway, model) =>
    openai(gateway).chat.completions.stream(chat(model)).finalContent(),
  'responses, whole': async (gateway, model) => {
    const format = { type: 'json_schema' as const, name: 'person', strict: true, schema }
    const request = { model, input: question, text: { format } }
    return (await openai(gateway).responses.create(request)).output_text
  },
  'messages, whole': async (gateway, model) =>
    textOf(await anthropic(gateway).messages.create(message(model))),
  'messages, streamed': async (gateway, model) =>
    textOf(await anthropic(gateway).messages.stream(message(model)).finalMessage()),
  'generateContent, whole': async (gateway, model) =>
    (await google(gateway).models.generateContent(content(model))).text,
  'generateContent, streamed': async (gateway, model) => {
    let text = ''
    for await (const piece of await google(gateway).models.generateContentStream(content(model)))
      text += piece.text ?? ''
    return text
  },
}

describe.each(Object.entries(ways))('structured output by %s', (_, ask) => {
  test('from the built-in engine', async () => {
    await using gateway = await start()
    expect(JSON.parse((await ask(gateway, 'builtin-chat')) ?? '')).toEqual(ada)
  })

  test.each(Object.keys(makers) as (keyof typeof makers)[])('through %s', async (maker) => {
    await using stage = await through(maker, describesAda)
    expect(JSON.parse((await ask(stage.gateway, stage.model)) ?? '')).toEqual(ada)
    expect(stage.upstream.seen.at(-1)?.text).toContain('"age"')
  })
})
