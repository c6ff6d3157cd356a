import { Ajv } from 'ajv'
import { Ajv2020 } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'
import { describe, expect, it, test } from 'vitest'
import { replyTo } from './support/ask-chat.ts'

const text = { type: 'string' }
const integer = { type: 'integer' }

function object(properties: Record<string, unknown>, required = Object.keys(properties)) {
  return { type: 'object', properties, required, additionalProperties: false }
}

async function filled(
  schema: Record<string, unknown>,
  content: string,
  ajv: Ajv = new Ajv2020({ strict: false }),
): Promise<unknown> {
  const reply = await replyTo({
    messages: [{ role: 'user', content }],
    response_format: { type: 'json_schema', json_schema: { name: 'answer', strict: true, schema } },
  })
  const value: unknown = JSON.parse(reply.choices[0]?.message.content ?? '')
  formats.default(ajv)
  expect(ajv.validate(schema, value), ajv.errorsText()).toBe(true)
  return value
}

describe('values taken from the text', () => {
  it.each<[string, Record<string, unknown>, unknown]>([
    [
      'Ada Lovelace is 36 years old and her email is ada@example.com',
      object({ name: text, age: integer, email: { type: 'string', format: 'email' } }),
      { name: 'Ada Lovelace', age: 36, email: 'ada@example.com' },
    ],
    ['name: Ada, age: 36', object({ name: text, age: integer }), { name: 'Ada', age: 36 }],
    [
      'Extract the event information. Alice and Bob are going to a science fair on Friday.',
      object({ name: text, date: text, participants: { type: 'array', items: text } }),
      { name: 'science fair', date: 'Friday', participants: ['Alice', 'Bob'] },
    ],
    [
      'Alice is 30 and lives in Paris. Bob is 25 and lives in Rome.',
      object({
        people: { type: 'array', items: object({ name: text, age: integer, city: text }) },
      }),
      {
        people: [
          { name: 'Alice', age: 30, city: 'Paris' },
          { name: 'Bob', age: 25, city: 'Rome' },
        ],
      },
    ],
    [
      'Buy eggs, milk and bread',
      object({ items: { type: 'array', items: text } }),
      { items: ['eggs', 'milk', 'bread'] },
    ],
    [
      'The verdict is negative, in red',
      object({ verdict: { enum: ['positive', 'negative'] }, colour: { enum: ['blue', 'red'] } }),
      { verdict: 'negative', colour: 'red' },
    ],
    [
      'I love this phone, it is great',
      object({ sentiment: { type: 'string', enum: ['positive', 'negative', 'neutral'] } }),
      { sentiment: 'neutral' },
    ],
    [
      'It is not available, with free shipping',
      object({
        available: { type: 'boolean' },
        shipping: { type: 'boolean' },
      }),
      { available: false, shipping: true },
    ],
    ['nothing', object({ list: { type: 'array', contains: { const: 5 } } }), { list: [5] }],
    ['What is 6 times 7?', object({ answer: integer }), { answer: 42 }],
    ['What is 6 times 7?', object({ answer: text }), { answer: '42' }],
    // What a question is about is not its answer.
    ['What is the capital of France?', object({ capital: text }), { capital: '' }],
    ['What is the capital of France?', object({ answer: text }), { answer: '' }],
    [
      'my code is ABC-1234 ok',
      object({ code: { type: 'string', pattern: '^[A-Z]{3}-\\d{4}$' } }),
      { code: 'ABC-1234' },
    ],
    [
      'We meet on 2026-05-01 at noon',
      object({ date: { type: 'string', format: 'date' } }),
      { date: '2026-05-01' },
    ],
    [
      'hello',
      object({
        nickname: { type: ['string', 'null'] },
        age: { anyOf: [integer, { type: 'null' }] },
      }),
      { nickname: null, age: null },
    ],
    [
      'The price is $19.99 and there are 3 left, it is in stock',
      object({ price: { type: 'number' }, left: integer }),
      { price: 19.99, left: 3 },
    ],
    [
      'x is 100',
      object({ x: { type: 'integer', minimum: 5, maximum: 10, multipleOf: 3 } }),
      { x: 9 },
    ],
    [
      'y: hello',
      {
        anyOf: [
          object({ kind: { const: 'a' }, x: integer }),
          object({ kind: { const: 'b' }, y: text }),
        ],
      },
      { kind: 'b', y: 'hello' },
    ],
    [
      'Invoice INV-2041 from Acme Ltd. 3 x Widget at $4.50, 1 x Gear at $12. Total $25.50, due 2026-03-01',
      object({
        number: text,
        vendor: text,
        total: { type: 'number' },
        items: {
          type: 'array',
          items: object({ quantity: integer, name: text, price: { type: 'number' } }),
        },
      }),
      {
        number: 'INV-2041',
        vendor: 'Acme Ltd',
        total: 25.5,
        items: [
          { quantity: 3, name: 'Widget', price: 4.5 },
          { quantity: 1, name: 'Gear', price: 12 },
        ],
      },
    ],
    // What is not said of somebody is not made up for a list.
    [
      'Ann is 30. Ben is nice.',
      object({ people: { type: 'array', items: object({ name: text, age: integer }) } }),
      { people: [{ name: 'Ann', age: 30 }] },
    ],
    [
      'I fly on 12 May 2026, flight IB3456',
      object({ flight_number: text }),
      { flight_number: 'IB3456' },
    ],
    ['Tell me about a person.', object({ email: text, city: text }), { email: '', city: '' }],
    [
      'I am in Paris, France',
      object({ city: text, country: text }),
      { city: 'Paris', country: 'France' },
    ],
  ])('%s', async (content, schema, value) => {
    expect(await filled(schema, content)).toEqual(value)
  })
})

describe('fills schemas of every kind', () => {
  it.each<[string, Record<string, unknown>]>([
    [
      'formats',
      object(
        Object.fromEntries(
          [
            'date',
            'date-time',
            'time',
            'duration',
            'email',
            'uri',
            'uuid',
            'ipv4',
            'ipv6',
            'hostname',
          ].map((format) => [format, { type: 'string', format }]),
        ),
      ),
    ],
    [
      'patterns',
      object({
        a: { type: 'string', pattern: '^#[0-9a-f]{6}$' },
        b: { type: 'string', pattern: '^(?:red|green)-\\d+$' },
        c: { type: 'string', pattern: '\\p{Lu}\\p{Ll}+' },
      }),
    ],
    [
      'lengths',
      object({
        a: { type: 'string', minLength: 40 },
        b: { type: 'string', maxLength: 2 },
        c: { type: 'array', items: text, minItems: 3, uniqueItems: true },
      }),
    ],
    [
      'numbers',
      object({
        a: { type: 'number', exclusiveMinimum: 3, exclusiveMaximum: 3.5 },
        b: { type: 'integer', minimum: -5, maximum: -5 },
        c: { type: 'number', multipleOf: 0.25, minimum: 0.6 },
      }),
    ],
    [
      'tuples',
      object({ pair: { type: 'array', prefixItems: [text, integer], items: false, minItems: 2 } }),
    ],
    [
      'recursion',
      {
        type: 'object',
        properties: { tree: { $ref: '#/$defs/node' } },
        required: ['tree'],
        $defs: {
          node: {
            type: 'object',
            properties: {
              value: integer,
              children: { type: 'array', items: { $ref: '#/$defs/node' } },
            },
            required: ['value', 'children'],
          },
        },
      },
    ],
    [
      'allOf',
      {
        allOf: [
          object({ a: text }, ['a']),
          { type: 'object', properties: { b: integer }, required: ['b'] },
        ].map(({ ...part }) => ({ ...part, additionalProperties: true })),
      },
    ],
    [
      'oneOf',
      {
        type: 'object',
        oneOf: [
          { properties: { a: text }, required: ['a'] },
          { properties: { b: text }, required: ['b'] },
        ],
      },
    ],
    [
      'conditions',
      {
        type: 'object',
        properties: { kind: { enum: ['x', 'y'] } },
        required: ['kind'],
        if: { properties: { kind: { const: 'x' } } },
        then: { properties: { size: integer }, required: ['size'] },
      },
    ],
    [
      'dependencies',
      {
        type: 'object',
        properties: { card: text, code: text },
        required: ['card'],
        dependentRequired: { card: ['code'] },
      },
    ],
    ['maps', { type: 'object', additionalProperties: integer, minProperties: 2 }],
    ['names without schemas', { type: 'object', required: ['anything', 'else'] }],
    ['a root that is no object', { type: 'array', items: integer, minItems: 2 }],
    ['not', object({ a: { type: 'string', not: { const: 'hello' } } })],
    [
      'contains',
      object({ list: { type: 'array', items: integer, contains: { const: 5 }, minItems: 1 } }, []),
    ],
  ])('%s', async (_, schema) => {
    await filled(schema, 'hello from the test, number 5')
  })

  it('fills tuples of older JSON Schema drafts', async () => {
    const pair = { type: 'array', items: [text, integer], additionalItems: false, minItems: 2 }
    await filled(object({ pair }), 'hello, number 5', new Ajv({ strict: false }))
  })

  it('bounds the time of patterns that backtrack', async () => {
    const began = performance.now()
    await filled(
      object({
        a: { type: 'string', pattern: '^(a+)+$' },
        b: { type: 'string', pattern: '^(\\w+\\s?)*$' },
      }),
      `a ${'a'.repeat(60)}!`,
    )
    expect(performance.now() - began).toBeLessThan(2000)
  })

  it.each<[string, Record<string, unknown>]>([
    ['nothing is valid', { not: {} }],
    [
      'too deep',
      Array.from({ length: 100 }).reduce<Record<string, unknown>>(
        (inner) => ({ type: 'object', properties: { a: inner }, required: ['a'] }),
        { type: 'string' },
      ),
    ],
  ])('rejects a schema: %s', async (_, schema) => {
    await expect(filled(schema, 'hello')).rejects.toMatchObject({
      code: 'invalid_request',
      details: { param: 'response_format.json_schema' },
    })
  })
})

describe('JSON requested only by the prompt', () => {
  it.each([
    ['Give me a JSON object with name and age for John, 30', '{"name":"John","age":30}'],
    [
      'Give me a JSON object with name and city for: Ada from London',
      '{"name":"Ada","city":"London"}',
    ],
    [
      'Return JSON with the keys name, email for Bob, bob@example.com',
      '{"name":"Bob","email":"bob@example.com"}',
    ],
  ])('%s', async (content, answered) => {
    const reply = await replyTo({ messages: [{ role: 'user', content }] })
    expect(reply.choices[0]?.message.content).toBe(answered)
  })

  it.each([
    'Write a poem about the sea as JSON',
    'Who is the king of Spain? Answer in JSON.',
    'Return a JSON object with name and age for the president of France',
    'Return JSON with name and age of the author of Hamlet',
    'Give me a JSON object with the capital of France',
  ])('an unanswerable prompt is answered in words: %s', async (content) => {
    const reply = await replyTo({ messages: [{ role: 'user', content }] })
    expect(reply.choices[0]?.message.content).toContain('neural weights')
    const format = { type: 'json_object' } as const
    const demanded = await replyTo({
      messages: [{ role: 'user', content }],
      response_format: format,
    })
    expect(demanded.choices[0]?.message.content).toBe('{}')
  })
})

test('omits a key without a value in the prompt', async () => {
  const content = 'Give me a JSON object with title and year for the movie Alien'
  const reply = await replyTo({ messages: [{ role: 'user', content }] })
  expect(reply.choices[0]?.message.content).toBe('{"title":"Alien"}')
})

describe('json_object', () => {
  it.each([
    ['What is 6 times 7? Answer in JSON.', '{"answer":42}'],
    [
      'Give me a JSON object with keys name and age for: Bob is 41 years old',
      '{"name":"Bob","age":41}',
    ],
    ['Convert to JSON: name: Ada, age: 36', '{"name":"Ada","age":36}'],
    [
      'Extract {"city": string, "year": number} as JSON from: She moved to Paris in 1921.',
      '{"city":"Paris","year":1921}',
    ],
  ])('%s', async (content, answered) => {
    const reply = await replyTo({
      messages: [{ role: 'user', content }],
      response_format: { type: 'json_object' },
    })
    expect(reply.choices[0]?.message.content).toBe(answered)
  })
})
