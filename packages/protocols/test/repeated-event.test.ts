import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import '../../../test/support/property-limits.ts'
import { GatewayError } from '../../contract/src/core/errors.ts'
import { createCompletionWatcher } from '../src/openai/upstream/watcher.ts'
import { RepeatedEvent } from '../src/repeated-event.ts'

const event = (data: string, name = '') => ({ event: name, data })
/** As its block comes, one character for each byte. */
const block = (data: string) => Buffer.from(`data: ${data}\n\n`).toString('latin1')
const chunk = (content: string, more: object = {}) =>
  JSON.stringify({
    id: 'c',
    choices: [{ index: 0, delta: { content }, finish_reason: null }],
    ...more,
  })

describe('a repeated event with other text', () => {
  test.each([
    ['another word', chunk('one'), chunk('two')],
    ['escapes', chunk('one'), chunk('"\\\n\u0001ü😀')],
    ['a longer text', chunk('a'), chunk('b'.repeat(10_000))],
    ['other padding', chunk('a', { obfuscation: 'xy' }), chunk('b', { obfuscation: 'z' })],
    ['white space after the colon', '{"content": "a"}', '{"content": "b"}'],
  ])('is recognized: %s', (_name, before, next) => {
    const repeated = new RepeatedEvent()
    repeated.keep(event(before))
    expect(repeated.matches(event(next))).toBe(true)
    expect(repeated.matchesBlock(block(next))).toBe(true)
  })

  test.each([
    ['an empty text', chunk('one'), chunk('')],
    ['a text after an empty one', chunk(''), chunk('one')],
    ['another field', chunk('one'), chunk('one', { usage: { prompt_tokens: 1 } })],
    ['a text that ends early', chunk('one'), chunk('one').slice(0, -3)],
    ['something behind', chunk('one'), `${chunk('one')} `],
    ['a raw line break', chunk('one'), chunk('one').replace('one', 'o\tne')],
    ['an escape that is none', chunk('one'), chunk('one').replace('one', '\\x')],
    ['no text at all', '{"a":1}', '{"a":1}'],
    ['a field that closes the text', chunk('one'), chunk('one').replace('one', 'a","b":"c')],
  ])('is not recognized: %s', (_name, before, next) => {
    const repeated = new RepeatedEvent()
    repeated.keep(event(before))
    expect(repeated.matches(event(next))).toBe(false)
    expect(repeated.matchesBlock(block(next))).toBe(false)
  })

  test('is recognized when it is large', () => {
    const repeated = new RepeatedEvent()
    repeated.keep(event(chunk('one')))
    expect(repeated.matches(event(chunk('a'.repeat(100_000))))).toBe(false)
    repeated.keep(event(chunk('a'.repeat(100_000))))
    expect(repeated.matches(event(chunk('one')))).toBe(false)
  })

  test.each([
    ['without its blank line', block(chunk('two')).slice(0, -1)],
    ['with another before it', block(chunk('two')).repeat(2)],
    ['with a name', `event: error\n${block(chunk('two'))}`],
    ['in two lines of data', block(chunk('two')).replace(',"delta"', ',\ndata: "delta"')],
    ['as a comment', block(chunk('two')).replace('data', '')],
    ['with other line ends', block(chunk('two')).replace('\n\n', '\r\n\r\n')],
  ])('is not recognized in a block %s', (_name, next) => {
    const repeated = new RepeatedEvent()
    repeated.keep(event(chunk('one')))
    expect(repeated.matchesBlock(block(chunk('two')))).toBe(true)
    expect(repeated.matchesBlock(next)).toBe(false)
  })

  test('has the text around its block of the last kept event', () => {
    const repeated = new RepeatedEvent()
    repeated.keep(event(chunk('one')))
    expect(repeated.matchesBlock(block(chunk('two')))).toBe(true)
    repeated.keep(event(chunk('one', { model: 'm' })))
    expect(repeated.matchesBlock(block(chunk('two')))).toBe(false)
    expect(repeated.matchesBlock(block(chunk('two', { model: 'm' })))).toBe(true)
    repeated.forget()
    expect(repeated.matchesBlock(block(chunk('two', { model: 'm' })))).toBe(false)
    repeated.keep(event(chunk('one'), 'named'))
    expect(repeated.matchesBlock(block(chunk('two')))).toBe(false)
  })

  test('is not recognized under another name or after forgetting', () => {
    const repeated = new RepeatedEvent()
    repeated.keep(event(chunk('one')))
    expect(repeated.matches(event(chunk('one'), 'error'))).toBe(false)
    repeated.forget()
    expect(repeated.matches(event(chunk('one')))).toBe(false)
  })
})

const text = fc.oneof(fc.string({ unit: 'binary', maxLength: 4 }), fc.constantFrom('', 'a', 'b'))
const maybe = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined, freq: 2 })
const choice = fc.record({
  index: maybe(fc.integer({ min: 0, max: 1 })),
  delta: fc.record({
    content: maybe(
      fc.oneof(text, fc.constant(null), fc.array(fc.record({ text }), { maxLength: 2 })),
    ),
    reasoning_content: maybe(text),
    refusal: maybe(text),
    tool_calls: maybe(fc.constant([{ index: 0, function: { arguments: '{}' } }])),
  }),
  finish_reason: fc.constantFrom(null, null, null, 'stop', 'error'),
})
const anyEvent = fc.oneof(
  {
    weight: 12,
    arbitrary: fc.record({ choices: fc.array(choice, { maxLength: 2 }), obfuscation: maybe(text) }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ usage: fc.constant({ prompt_tokens: 3 }), choices: fc.constant([]) }),
  },
  { weight: 1, arbitrary: fc.record({ error: fc.record({ message: text }) }) },
)

test('property: a watcher that recognizes repeated events agrees with one that parses each', () => {
  fc.assert(
    fc.property(fc.array(anyEvent, { maxLength: 12 }), (events) => {
      const [one, other] = [createCompletionWatcher(), createCompletionWatcher()]
      for (const [index, value] of events.entries()) {
        const data = JSON.stringify(value)
        // White space that no other event has keeps the other watcher from recognising any.
        const verdicts = [one.see(event(data)), other.see(event(`${' '.repeat(index)}${data}`))]
        const [first, second] = verdicts.map((verdict) =>
          verdict instanceof GatewayError ? verdict.message : verdict,
        )
        expect(first).toBe(second)
        expect(one.usageOnly).toBe(other.usageOnly)
        expect(one.usage()).toEqual(other.usage())
      }
    }),
  )
})
