// Errors become the error classes of each official SDK, with the right status.
import Anthropic from '@anthropic-ai/sdk'
import { ApiError, GoogleGenAI } from '@google/genai'
import { CohereClientV2, CohereError } from 'cohere-ai'
import OpenAI from 'openai'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { json } from '../../support/fakes/fake-upstream.ts'
import { inFrontOf } from '../../support/gateways/scripted-gateway.ts'
import { type Started, start, testKey } from '../../support/start.ts'

let gateway: Started
beforeAll(async () => {
  gateway = await start()
})
afterAll(() => gateway[Symbol.asyncDispose]())

interface Asked {
  readonly url: string
  readonly key: string
  readonly model: string
  /** Far outside of what any model takes. */
  readonly temperature?: number
}

interface Sdk {
  readonly ask: (asked: Asked) => Promise<unknown>
  /** The class for 400, 401, 404 and 429. */
  readonly classes: Readonly<Record<number, new (...given: never[]) => Error>>
}

const messages = [{ role: 'user' as const, content: 'Hi' }]
const one = (errorClass: new (...given: never[]) => Error) => ({
  400: errorClass,
  401: errorClass,
  404: errorClass,
  429: errorClass,
})

const sdks: Readonly<Record<string, Sdk>> = {
  'openai, chat': {
    ask: ({ url, key: apiKey, model, temperature }) =>
      new OpenAI({ apiKey, baseURL: `${url}/v1`, maxRetries: 0 }).chat.completions.create({
        model,
        messages,
        ...(temperature !== undefined && { temperature }),
      }),
    classes: {
      400: OpenAI.BadRequestError,
      401: OpenAI.AuthenticationError,
      404: OpenAI.NotFoundError,
      429: OpenAI.RateLimitError,
    },
  },
  'openai, Responses': {
    ask: ({ url, key: apiKey, model, temperature }) =>
      new OpenAI({ apiKey, baseURL: `${url}/v1`, maxRetries: 0 }).responses.create({
        model,
        input: 'Hi',
        ...(temperature !== undefined && { temperature }),
      }),
    classes: {
      400: OpenAI.BadRequestError,
      401: OpenAI.AuthenticationError,
      404: OpenAI.NotFoundError,
      429: OpenAI.RateLimitError,
    },
  },
  '@anthropic-ai/sdk': {
    ask: ({ url, key: apiKey, model, temperature }) =>
      new Anthropic({ apiKey, baseURL: url, maxRetries: 0 }).messages.create({
        model,
        max_tokens: 100,
        messages,
        ...(temperature !== undefined && { temperature }),
      }),
    classes: {
      400: Anthropic.BadRequestError,
      401: Anthropic.AuthenticationError,
      404: Anthropic.NotFoundError,
      429: Anthropic.RateLimitError,
    },
  },
  '@google/genai': {
    ask: ({ url, key: apiKey, model, temperature }) =>
      new GoogleGenAI({ apiKey, httpOptions: { baseUrl: url } }).models.generateContent({
        model,
        contents: 'Hi',
        ...(temperature !== undefined && { config: { temperature } }),
      }),
    classes: one(ApiError),
  },
}

const rateLimited = {
  error: { type: 'rate_limit_error', message: 'Slow down' },
  message: 'Slow down',
}

describe.each(Object.entries(sdks))('%s throws its own error class', (_, { ask, classes }) => {
  test.each([
    [400, { model: 'builtin-chat', temperature: 1000 }],
    [401, { model: 'builtin-chat', key: 'sk-wrong' }],
    [404, { model: 'no-such-model' }],
  ] as const)('for %d from the gateway', async (status, asked) => {
    const asking = ask({ url: gateway.url, key: testKey, ...asked })
    await expect(asking).rejects.toBeInstanceOf(classes[status])
    await expect(asking).rejects.toMatchObject({ status })
  })

  test.each(['openai', 'anthropic', 'gemini'] as const)(
    'for 429 from an upstream of %s',
    async (maker) => {
      await using stage = await inFrontOf(maker, (_seen, response) =>
        json(response, rateLimited, { status: 429 }),
      )
      const asking = ask({ url: stage.gateway.url, key: testKey, model: stage.model })
      await expect(asking).rejects.toBeInstanceOf(classes[429])
      await expect(asking).rejects.toMatchObject({ status: 429 })
    },
  )
})

test('Cohere’s client throws its own error class', async () => {
  const cohere = new CohereClientV2({ token: testKey, environment: gateway.url })
  const asking = cohere.rerank(
    { model: 'no-such-model', query: 'q', documents: ['a'] },
    { maxRetries: 0 },
  )
  await expect(asking).rejects.toBeInstanceOf(CohereError)
  await expect(asking).rejects.toMatchObject({ statusCode: 404 })
})
