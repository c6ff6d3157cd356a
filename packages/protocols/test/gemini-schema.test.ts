import { describe, expect, test } from 'vitest'
import { GatewayError } from '../../contract/src/core/errors.ts'
import { toJsonSchema } from '../src/gemini/client/json-schema.ts'
import { toGeminiSchema } from '../src/gemini/upstream/schema.ts'

describe('translates JSON Schema to the subset of older Gemini models', () => {
  test.each<[string, unknown, unknown]>([
    ['types in capitals', { type: 'string' }, { type: 'STRING' }],
    [
      'additionalProperties and $schema are dropped',
      {
        $schema: 'https://json-schema.org/draft/2020-12/schema',
        type: 'object',
        properties: { a: { type: 'number', description: 'A.' } },
        required: ['a', 'gone'],
        additionalProperties: false,
      },
      {
        type: 'OBJECT',
        properties: { a: { type: 'NUMBER', description: 'A.' } },
        required: ['a'],
      },
    ],
    [
      'references are written out, with what stands beside them',
      {
        type: 'object',
        properties: { at: { $ref: '#/$defs/Point', description: 'Where.' } },
        $defs: {
          Point: { type: 'object', properties: { x: { $ref: '#/$defs/N' } } },
          N: { type: 'integer' },
        },
      },
      {
        type: 'OBJECT',
        properties: {
          at: { type: 'OBJECT', description: 'Where.', properties: { x: { type: 'INTEGER' } } },
        },
      },
    ],
    [
      'the same reference twice is no recursion',
      {
        type: 'object',
        properties: { a: { $ref: '#/definitions/a~1b' }, b: { $ref: '#/definitions/a~1b' } },
        definitions: { 'a/b': { type: 'boolean' } },
      },
      { type: 'OBJECT', properties: { a: { type: 'BOOLEAN' }, b: { type: 'BOOLEAN' } } },
    ],
    ['one text', { const: 'x' }, { type: 'STRING', enum: ['x'] }],
    ['one number', { const: 3 }, { type: 'INTEGER', minimum: 3, maximum: 3 }],
    ['numbers to choose from', { enum: [1, 2.5] }, { type: 'STRING', enum: ['1', '2.5'] }],
    [
      'texts or null to choose from',
      { type: ['string', 'null'], enum: ['a', null] },
      { type: 'STRING', enum: ['a'], nullable: true },
    ],
    ['a type or null', { type: ['integer', 'null'] }, { type: 'INTEGER', nullable: true }],
    [
      'several types',
      { type: ['string', 'integer'], description: 'Either.' },
      {
        anyOf: [
          { type: 'STRING', description: 'Either.' },
          { type: 'INTEGER', description: 'Either.' },
        ],
      },
    ],
    [
      'alternatives with what holds for each',
      {
        description: 'A place.',
        default: 1,
        properties: { zoom: { type: 'integer' } },
        required: ['zoom'],
        anyOf: [
          { properties: { city: { type: 'string' } }, required: ['city'] },
          { type: 'number', description: 'An id.' },
          { $ref: '#/$defs/point' },
          { type: 'null' },
        ],
        $defs: {
          point: { type: 'object', properties: { at: { type: ['number', 'null', 'string'] } } },
        },
      },
      {
        anyOf: [
          {
            type: 'OBJECT',
            description: 'A place.',
            nullable: true,
            properties: { zoom: { type: 'INTEGER' }, city: { type: 'STRING' } },
            required: ['zoom', 'city'],
          },
          {
            type: 'NUMBER',
            description: 'An id.',
            nullable: true,
            properties: { zoom: { type: 'INTEGER' } },
            required: ['zoom'],
          },
          {
            type: 'OBJECT',
            description: 'A place.',
            nullable: true,
            properties: {
              zoom: { type: 'INTEGER' },
              at: {
                anyOf: [
                  { type: 'NUMBER', nullable: true },
                  { type: 'STRING', nullable: true },
                ],
              },
            },
            required: ['zoom'],
          },
        ],
      },
    ],
    [
      'oneOf',
      { oneOf: [{ type: 'string' }, { type: 'number' }] },
      { anyOf: [{ type: 'STRING' }, { type: 'NUMBER' }] },
    ],
    [
      'anyOf with null',
      { anyOf: [{ type: 'string', maxLength: 3 }, { type: 'null' }], description: 'Name.' },
      { type: 'STRING', maxLength: 3, description: 'Name.', nullable: true },
    ],
    [
      'allOf is merged',
      {
        allOf: [
          { type: 'object', properties: { a: { type: 'string' } }, required: ['a'] },
          { $ref: '#/$defs/B' },
        ],
        $defs: { B: { properties: { b: { type: 'string' } }, required: ['b'] } },
      },
      {
        type: 'OBJECT',
        properties: { a: { type: 'STRING' }, b: { type: 'STRING' } },
        required: ['a', 'b'],
      },
    ],
    [
      'open bounds of integers are moved',
      { type: 'integer', exclusiveMinimum: 0, exclusiveMaximum: 10 },
      { type: 'INTEGER', minimum: 1, maximum: 9 },
    ],
    ['unknown formats are dropped', { type: 'string', format: 'email' }, { type: 'STRING' }],
    [
      'known formats stay',
      { type: 'string', format: 'date-time' },
      { type: 'STRING', format: 'date-time' },
    ],
    [
      'tuples',
      { type: 'array', prefixItems: [{ type: 'string' }, { type: 'number' }] },
      { type: 'ARRAY', items: { anyOf: [{ type: 'STRING' }, { type: 'NUMBER' }] } },
    ],
    ['an array of anything', { type: 'array' }, { type: 'ARRAY', items: {} }],
    ['an object without properties', { type: 'object', properties: {} }, { type: 'OBJECT' }],
  ])('%s', (_name, schema, expected) => {
    expect(toGeminiSchema(schema, 'schema')).toEqual(expected)
  })

  test.each<[string, unknown, string]>([
    [
      'a schema that refers to itself',
      {
        type: 'object',
        properties: { child: { $ref: '#/$defs/Node' } },
        $defs: { Node: { type: 'object', properties: { next: { $ref: '#/$defs/Node' } } } },
      },
      'tools[0].properties.child.properties.next',
    ],
    [
      'the whole in itself',
      { type: 'object', properties: { a: { items: { $ref: '#' } } } },
      'tools[0].properties.a.items.properties.a.items',
    ],
    ['another document', { $ref: 'https://example.com/schema.json' }, 'tools[0]'],
    ['nothing', { type: 'array', items: { $ref: '#/$defs/none' } }, 'tools[0].items'],
  ])('rejects %s by its path', (_name, schema, param) => {
    expect(() => toGeminiSchema(schema, 'tools[0]')).toThrowError(
      expect.objectContaining({ code: 'unsupported_value', details: { param } }),
    )
  })

  test('rejects references that expand exponentially', () => {
    const $defs: Record<string, unknown> = { d0: { type: 'string' } }
    for (let level = 1; level <= 30; level += 1) {
      const $ref = `#/$defs/d${level - 1}`
      $defs[`d${level}`] = { type: 'object', properties: { a: { $ref }, b: { $ref } } }
    }
    expect(() => toGeminiSchema({ $ref: '#/$defs/d30', $defs }, 'p')).toThrowError(GatewayError)
  })
})

test.each<[string, unknown, unknown]>([
  [
    'an object',
    {
      type: 'OBJECT',
      properties: {
        a: { type: 'STRING', nullable: true, enum: ['x'], format: 'enum' },
        b: { type: 'ARRAY', items: { type: 'INTEGER', format: 'int32' }, min_items: '1' },
      },
      required: ['a'],
      propertyOrdering: ['b', 'a'],
    },
    {
      type: 'object',
      properties: {
        b: { type: 'array', items: { type: 'integer', format: 'int32' }, minItems: 1 },
        a: { type: ['string', 'null'], enum: ['x', null] },
      },
      required: ['a'],
    },
  ],
  [
    'alternatives or null',
    { any_of: [{ type: 'STRING' }, { type: 'NUMBER' }], nullable: true, example: 1 },
    { anyOf: [{ type: 'string' }, { type: 'number' }, { type: 'null' }], examples: [1] },
  ],
  ['no type', { type: 'TYPE_UNSPECIFIED', description: 'Any.' }, { description: 'Any.' }],
  [
    'properties named like keywords',
    { type: 'OBJECT', properties: { type: { type: 'STRING' }, max_items: { type: 'NUMBER' } } },
    { type: 'object', properties: { type: { type: 'string' }, max_items: { type: 'number' } } },
  ],
])('translates a client’s Gemini schema to JSON Schema: %s', (_name, schema, expected) => {
  const made = toJsonSchema(schema)
  expect(made).toEqual(expected)
  expect(Object.keys((made['properties'] as object | undefined) ?? {})).toEqual(
    Object.keys(((expected as Record<string, object>)['properties'] as object | undefined) ?? {}),
  )
})
