import { ApiError, GoogleGenAI } from '@google/genai'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Started, start, testKey } from '../../support/start.ts'

/** Google's own client, told nothing but the address and the key. */
let gateway: Started
let google: GoogleGenAI
beforeAll(async () => {
  gateway = await start()
  google = new GoogleGenAI({ apiKey: testKey, httpOptions: { baseUrl: gateway.url } })
})
afterAll(() => gateway[Symbol.asyncDispose]())

test('lists models page by page', async () => {
  const whole: string[] = []
  for await (const { name } of await google.models.list()) whole.push(name ?? '')
  expect(whole).toEqual(expect.arrayContaining(['models/builtin-chat', 'models/gemini-2.5-flash']))
  const paged: string[] = []
  const pager = await google.models.list({ config: { pageSize: 7 } })
  expect(pager.page).toHaveLength(7)
  for await (const { name } of pager) paged.push(name ?? '')
  expect(paged).toEqual(whole)
})

test('gets one model', async () => {
  expect(await google.models.get({ model: 'builtin-chat' })).toMatchObject({
    name: 'models/builtin-chat',
    displayName: 'Built-in chat',
    inputTokenLimit: 128_000,
    outputTokenLimit: 16_384,
  })
})

test('generates content, whole and streamed', async () => {
  const request = {
    model: 'gemini-2.5-flash',
    contents: 'What is 6 times 7?',
    config: { temperature: 0 },
  }
  const answer = await google.models.generateContent(request)
  expect(answer.text).toContain('42')
  expect(answer.usageMetadata?.totalTokenCount).toBeGreaterThan(0)
  let text = ''
  for await (const piece of await google.models.generateContentStream(request))
    text += piece.text ?? ''
  expect(text).toContain('42')
})

test('counts tokens and embeds', async () => {
  const { totalTokens } = await google.models.countTokens({
    model: 'gemini-2.5-flash',
    contents: 'What is 6 times 7?',
  })
  expect(totalTokens).toBeGreaterThan(3)
  const { embeddings } = await google.models.embedContent({
    model: 'gemini-embedding-001',
    contents: ['water', 'fire'],
    config: { outputDimensionality: 256 },
  })
  expect(embeddings?.map(({ values }) => values?.length)).toEqual([256, 256])
})

test('throws the client’s own error', async () => {
  const asked = google.models.generateContent({ model: 'nothing', contents: 'Hi' })
  await expect(asked).rejects.toThrow(ApiError)
  await expect(asked).rejects.toMatchObject({ status: 404 })
})
