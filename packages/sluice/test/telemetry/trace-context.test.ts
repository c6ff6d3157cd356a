import { describe, expect, test } from 'vitest'
import { formatTraceParent, isWithin, traceParentOf } from '../../src/telemetry/trace-context.ts'

const traceId = '4bf92f3577b34da6a3ce929d0e0e4736'
const spanId = '00f067aa0ba902b7'
const parent = (flags: string, version = '00', more = '') =>
  traceParentOf({ traceparent: `${version}-${traceId}-${spanId}-${flags}${more}` })

describe('traceparent', () => {
  test.each([
    ['00', false],
    ['01', true],
    // Level 2 of the specification adds "random trace id"; further bits are reserved.
    ['02', false],
    ['03', true],
    ['fe', false],
    ['ff', true],
  ])('with the flags %s is sampled: %s', (flags, isSampled) => {
    expect(parent(flags)).toEqual({ traceId, spanId, isSampled, state: '' })
    expect(formatTraceParent(traceId, spanId, isSampled)).toBe(
      `00-${traceId}-${spanId}-${isSampled ? '01' : '00'}`,
    )
  })

  test.each<[string, string | undefined, boolean]>([
    ['a later version', `cc-${traceId}-${spanId}-01`, true],
    ['a later version with more fields', `cc-${traceId}-${spanId}-01-what`, true],
    ['spaces around it', ` 00-${traceId}-${spanId}-01 `, true],
    ['no header', undefined, false],
    ['an empty header', '', false],
    ['more fields than its version has', `00-${traceId}-${spanId}-01-what`, false],
    ['the invalid version ff', `ff-${traceId}-${spanId}-01`, false],
    ['a trace id of zeros', `00-${'0'.repeat(32)}-${spanId}-01`, false],
    ['a span id of zeros', `00-${traceId}-${'0'.repeat(16)}-01`, false],
    ['capital letters', `00-${traceId.toUpperCase()}-${spanId}-01`, false],
    ['a digit too few', `00-${traceId.slice(1)}-${spanId}-01`, false],
    ['flags of one digit', `00-${traceId}-${spanId}-1`, false],
  ])('%s', (_name, traceparent, isTaken) => {
    const found = traceParentOf({
      ...(traceparent !== undefined && { traceparent }),
      tracestate: 'a=1',
    })
    expect(found?.traceId).toBe(isTaken ? traceId : undefined)
    expect(found?.state).toBe(isTaken ? 'a=1' : undefined)
  })

  test.each<[string, string | string[], string]>([
    ['as it came', 'a=1,b=2', 'a=1,b=2'],
    ['from several headers', ['a=1', 'b=2'], 'a=1,b=2'],
    ['of 512 characters', 'a'.repeat(512), 'a'.repeat(512)],
    ['but not of 513', 'a'.repeat(513), ''],
    ['but not with a line feed', 'a=1\nb: 2', ''],
  ])('keeps its state: %s', (_name, tracestate, state) => {
    const traceparent = `00-${traceId}-${spanId}-01`
    expect(traceParentOf({ traceparent, tracestate })?.state).toBe(state)
  })
})

test.each([
  [1, 'ffffffff', true],
  [0, '00000000', false],
  [0.5, '7fffffff', true],
  [0.5, '80000000', false],
])('the sampling ratio %d of a trace id that ends with %s: %s', (ratio, end, is) => {
  expect(isWithin(ratio, '0'.repeat(24) + end)).toBe(is)
})
