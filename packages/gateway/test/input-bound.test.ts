import { formats } from '@sluice/protocols/formats.ts'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Call } from '../src/call/call.ts'
import { inputBound } from '../src/admit/input-bound.ts'
import { inputSizeOf } from '../src/admit/input-size.ts'
import type { Target } from '../src/route/routing.ts'
import '../../../test/support/property-limits.ts'

const words = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 200 }),
  fc.constantFrom(
    `data:image/png;base64,${'A'.repeat(400)}`,
    `data:audio/wav ${'word '.repeat(80)}`,
    'a'.repeat(1_500),
    'https://example.com/a.png',
  ),
)
const names = fc.oneof(
  fc.string({ minLength: 1, maxLength: 12 }),
  fc.constantFrom('image', 'file_url', 'fileUri', 'mime_type', 'type', 'data', 'description'),
)
const anything = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    words,
    fc.integer(),
    fc.boolean(),
    fc.array(tie('value'), { maxLength: 6 }),
    fc.dictionary(names, tie('value'), { maxKeys: 6 }),
  ),
})).value
const schema = fc.dictionary(names, anything, { maxKeys: 8 })

/** Requests of each format that have anything in places for texts and objects of the caller, and no media. */
const requests: Readonly<Record<string, fc.Arbitrary<object>>> = {
  chat: fc.record({
    messages: fc.array(fc.record({ role: fc.constant('user'), content: words })),
    tools: fc.array(
      fc.record({ type: fc.constant('function'), function: fc.record({ parameters: schema }) }),
    ),
    metadata: schema,
  }),
  messages: fc.record({
    system: words,
    messages: fc.array(
      fc.record({
        role: fc.constant('assistant'),
        content: fc.array(fc.record({ type: fc.constant('tool_use'), input: schema })),
      }),
    ),
    tools: fc.array(fc.record({ name: words, input_schema: schema })),
  }),
  responses: fc.record({
    instructions: words,
    input: words,
    tools: fc.array(fc.record({ type: fc.constant('function'), parameters: schema })),
    text: fc.record({ format: schema }),
  }),
  generateContent: fc.record({
    contents: fc.array(
      fc.record({ parts: fc.array(fc.record({ functionCall: fc.record({ args: schema }) })) }),
    ),
    generationConfig: fc.record({ responseSchema: schema }),
  }),
}

describe.each(Object.entries(requests))('the input bound of a %s request', (id, arbitrary) => {
  const format = formats.find((one) => one.id === id)
  const target = { id: 'up/m', model: 'm' } as Target

  test('is at least its bytes', () => {
    if (!format) throw new Error('no such format')
    fc.assert(
      fc.property(arbitrary, (body) => {
        const bytes = Buffer.byteLength(JSON.stringify(body))
        const call = { request: { bytes, outline: body } } as unknown as Call
        const measured = format.measure(body)
        const bound = inputBound(inputSizeOf(call, measured), target, measured)
        expect(bound.tokens).toBeGreaterThanOrEqual(bytes)
      }),
    )
  })
})

test('every format with an output limit sets it, or is a known exception', () => {
  const unlimited = formats
    .filter(({ operation, counted }) => ['chat', 'complete'].includes(operation) && !counted)
    .filter(({ outputLimit }) => outputLimit === 'none')
  // A summary has no limit in its API.
  expect(unlimited.map(({ id }) => id)).toEqual(['responsesCompact'])
})
