// A JSON Schema in the prompt, through every client format of the built-in engine, whole and streamed.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Started, start } from '../../support/start.ts'

let gateway: Started
beforeAll(async () => {
  gateway = await start()
})
afterAll(() => gateway[Symbol.asyncDispose]())

const schema = JSON.stringify({
  type: 'object',
  properties: {
    name: { type: 'string', description: 'Such as Grace Hopper' },
    age: { type: 'integer', description: 'Such as 85' },
  },
  required: ['name', 'age'],
})
const format = `Always respond with a JSON object that's compatible with this schema:\n\n${schema}\n\nDon't include any text or Markdown fencing before or after.`
const words = 'Ada Lovelace is 36 years old'
const model = 'builtin-chat'
const answer = '{"name":"Ada Lovelace","age":36}'

const user = [{ role: 'user', content: words }]
const google = {
  contents: [{ role: 'user', parts: [{ text: `${words}\n${format}` }] }],
}
const faces: readonly (readonly [path: string, body: object])[] = [
  ['/v1/chat/completions', { model, messages: [{ role: 'system', content: format }, ...user] }],
  ['/v1/messages', { model, max_tokens: 99, system: format, messages: user }],
  ['/v1/responses', { model, instructions: format, input: words }],
]

/** The answer as it stands in a JSON string, whole or in pieces. */
function textIn(body: string, names: RegExp): string {
  return [...body.matchAll(names)]
    .map(([, json = '']) => JSON.parse(`"${json}"`) as string)
    .join('')
}

const text = String.raw`"((?:[^"\\]|\\.)*)"`

describe.each(faces)(
  'the built-in model follows a JSON Schema in the prompt of %s',
  (path, body) => {
    it('whole', async () => {
      const response = await gateway.post(path, body)
      expect(textIn(await response.text(), new RegExp(`"(?:content|text)":${text}`, 'g'))).toBe(
        answer,
      )
    })

    it('streamed', async () => {
      const response = await gateway.post(path, { ...body, stream: true })
      const deltas = (await response.text())
        .split('\n')
        .filter((line) => /^data: .*(?:delta|choices)/.test(line))
        .join('\n')
      expect(textIn(deltas, new RegExp(`"(?:content|text|delta)":${text}`, 'g'))).toBe(answer)
    })
  },
)

it.each(['generateContent', 'streamGenerateContent'])(
  'the built-in model follows a JSON Schema in the user message of %s',
  async (verb) => {
    const response = await gateway.post(`/v1beta/models/${model}:${verb}`, google)
    expect(textIn(await response.text(), new RegExp(`"text":${text}`, 'g'))).toBe(answer)
  },
)
