// Names chosen by callers cannot escape from the path, header or form in which they are written.
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { strangeNames } from '../../corpus/strange-names.ts'
import { type FakeUpstream, fakeUpstream, json } from '../../support/fakes/fake-upstream.ts'
import { chatReply } from '../../support/fakes/openai-wire.ts'
import { type Started, start, testKey } from '../../support/start.ts'

let upstream: FakeUpstream
let gateway: Started
beforeAll(async () => {
  upstream = await fakeUpstream((_seen, response) =>
    json(response, { ...chatReply('Hi'), text: 'Hi' }),
  )
  const [baseUrl, key] = [upstream.url, 'k']
  gateway = await start({
    providers: {
      azure: { type: 'azure', baseUrl, key },
      bedrock: { type: 'bedrock', baseUrl, key: 'AKIDEXAMPLE:secret', region: 'eu-central-1' },
      gemini: { type: 'gemini', baseUrl, key },
      openai: { type: 'openai', baseUrl, key },
    },
    defaults: { retries: { attempts: 1 } },
  })
})
afterAll(async () => {
  await gateway[Symbol.asyncDispose]()
  await upstream[Symbol.asyncDispose]()
})

const messages = [{ role: 'user', content: 'Hi' }]

/** What the upstream is asked, with the name in the place of `NAME`. */
const paths = {
  azure: '/openai/deployments/NAME/chat/completions?api-version=2025-04-01-preview',
  bedrock: '/model/NAME/converse',
  gemini: '/v1beta/models/NAME:generateContent',
} as const

describe.each(Object.entries(paths))('the upstream path of %s', (provider, path) => {
  test.each(strangeNames)('escapes the model %j as one segment', async (name) => {
    const before = upstream.seen.length
    const body = { model: `${provider}/${name}`, messages }
    const response = await gateway.post('/v1/chat/completions', body)
    const [seen] = upstream.seen.slice(before)
    if (seen === undefined) expect(response.status).toBe(404)
    else expect(seen.path).toBe(path.replace('NAME', () => encodeURIComponent(name)))
  })
})

test.each(strangeNames)('a dropped field %j cannot inject a header', async (name) => {
  const body = { model: 'azure/m', messages, top_k: 1, [name]: 1 }
  const response = await gateway.post('/v1/chat/completions', body)
  expect(response.status).toBe(200)
  expect([...response.headers.keys()].filter((header) => /evil|cookie/.test(header))).toEqual([])
})

test.each(strangeNames)('a file name %j stays within its form part', async (name) => {
  const form = new FormData()
  form.set('model', 'openai/m')
  form.set('file', new File(['abc'], `${name}.mp3`, { type: 'audio/mpeg' }))
  const before = upstream.seen.length
  const response = await fetch(`${gateway.url}/v1/audio/transcriptions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${testKey}` },
    body: form,
  })
  expect(response.status).toBe(200)
  const text = upstream.seen[before]?.text ?? ''
  const lines = text
    .split(/[\r\n]+/)
    .filter((line) => /^(?:content-disposition|x-evil|get )/i.test(line))
  const heads = lines.map((line) => line.toLowerCase().split(';').slice(0, 2).join(';')).toSorted()
  expect(heads).toEqual(
    ['file', 'model'].map((field) => `content-disposition: form-data; name="${field}"`),
  )
  expect(text).not.toContain('name="evil')
})
