import { Ajv2020 } from 'ajv/dist/2020.js'
import { expect } from 'vitest'

/** The response tables of the contract: every field listed there is required, with the type listed there. */
type Shape = Readonly<Record<string, unknown>>

const text: Shape = { type: 'string' }
const integer: Shape = { type: 'integer' }
const number: Shape = { type: 'number' }
const flag: Shape = { type: 'boolean' }
const anyObject: Shape = { type: 'object' }
const always = (value: string): Shape => ({ const: value })
const list = (items: Shape, more: Shape = {}): Shape => ({ type: 'array', items, ...more })
const object = (properties: Readonly<Record<string, Shape>>, more: Shape = {}): Shape => ({
  type: 'object',
  required: Object.keys(properties),
  properties,
  ...more,
})

const usage = object({
  prompt_tokens: integer,
  completion_tokens: integer,
  total_tokens: integer,
  prompt_tokens_details: object({
    cached_tokens: integer,
    text_tokens: integer,
    audio_tokens: integer,
    image_tokens: integer,
  }),
  completion_tokens_details: object({
    text_tokens: integer,
    audio_tokens: integer,
    reasoning_tokens: integer,
  }),
})

const toolCall = object({
  id: text,
  type: always('function'),
  function: object({ name: text, arguments: text }),
})

const message = {
  type: 'object',
  required: ['role', 'content'],
  properties: {
    role: always('assistant'),
    content: { type: ['string', 'null'] },
    tool_calls: list(toolCall, { minItems: 1 }),
  },
}

export const contract = {
  chat: object({
    id: text,
    object: always('chat.completion'),
    created: integer,
    model: text,
    choices: list(
      object({
        index: integer,
        message,
        finish_reason: { enum: ['stop', 'length', 'tool_calls', 'content_filter'] },
      }),
      { minItems: 1 },
    ),
    usage,
    system_fingerprint: text,
  }),
  completion: object({
    id: text,
    object: always('text_completion'),
    created: integer,
    model: text,
    choices: list(object({ text, index: integer, finish_reason: text }), { minItems: 1 }),
    usage,
  }),
  embeddings: object({
    object: always('list'),
    data: list(object({ object: always('embedding'), index: integer, embedding: list(number) }), {
      minItems: 1,
    }),
    model: text,
    usage: object(
      { prompt_tokens: integer, total_tokens: integer },
      { additionalProperties: false },
    ),
  }),
  rerank: object({
    id: text,
    results: list(object({ index: integer, relevance_score: number, document: anyObject }), {
      minItems: 1,
    }),
    meta: anyObject,
  }),
  moderation: object({
    id: text,
    model: text,
    results: list(object({ flagged: flag, categories: anyObject, category_scores: anyObject }), {
      minItems: 1,
    }),
  }),
  transcript: object({ text }),
  images: object({
    created: integer,
    data: list(object({ url: text, b64_json: text, revised_prompt: text }), { minItems: 1 }),
  }),
  video: object({
    id: text,
    object: always('video'),
    model: text,
    status: text,
    progress: integer,
    created_at: integer,
    seconds: text,
  }),
  models: object({
    models: list(
      object({
        name: { type: 'string', pattern: '^models/.' },
        version: text,
        displayName: text,
        description: text,
        inputTokenLimit: integer,
        outputTokenLimit: integer,
        supportedGenerationMethods: list(text),
      }),
      { minItems: 8 },
    ),
  }),
  error: object(
    {
      error: object(
        {
          message: { type: 'string', minLength: 1 },
          type: text,
          param: { type: ['string', 'null'], minLength: 1 },
          code: { type: ['string', 'null'], minLength: 1 },
        },
        { additionalProperties: false },
      ),
    },
    { additionalProperties: false },
  ),
}

const ajv = new Ajv2020({ allErrors: true, strictTypes: false })

/** Fails unless a value has every field that the contract lists, with the listed type. */
export function expectContract(name: keyof typeof contract, value: unknown): void {
  const check = ajv.compile(contract[name])
  check(value)
  const faults = (check.errors ?? []).map(({ instancePath, message: m }) => `${instancePath} ${m}`)
  expect(faults, `${name}: ${JSON.stringify(value)?.slice(0, 2_000)}`).toEqual([])
}
