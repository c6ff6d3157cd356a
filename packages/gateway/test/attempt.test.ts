import { describe, expect, test } from 'vitest'
import { GatewayError } from '../../contract/src/core/errors.ts'
import type { UsageRecord } from '../../contract/src/core/usage.ts'
import { plainMeasure } from '../../protocols/src/measure.ts'
import { Attempt } from '../src/attempt/attempt.ts'
import { Cancellation } from '../src/call/cancellation.ts'
import { defaultTimeouts } from '../src/route/timeouts.ts'
import { openTrail } from '../src/call/call.ts'
import { LiveCalls } from '../src/observe/live-calls.ts'
import { defaultBreaker } from '../src/route/breaker.ts'
import { createHealth } from '../src/route/health.ts'
import type { Target } from '../src/route/routing.ts'
import type { UsageBegun, UsageEnded } from '../src/ports/store.ts'
import { Concealer } from '../src/call/concealer.ts'
import type { CallRun } from '../src/attempt/call-run.ts'
import { freeTarget } from '../src/prices/target-price.ts'

const cancelled = new GatewayError('cancelled', 'The caller went away')
const unavailable = new GatewayError('upstream_unavailable', 'The upstream could not be reached')

function open(cancellation: Cancellation) {
  const records: UsageRecord[] = []
  let closed = 0
  const run = {
    gateway: {
      now: () => 0,
      engine: { id: 'builtin', tokensOf: (text: string) => text.length },
      concealer: new Concealer(),
      log: { warn() {} },
      health: createHealth(() => 0),
      live: new LiveCalls(),
      observers: { ofAttempts: [] },
      store: {
        beginUsage: (begun: UsageBegun) => ({
          note() {},
          end: (ended: UsageEnded) => records.push({ ...begun, ...ended }),
        }),
      },
    },
    call: {
      id: 'call',
      key: { id: 'key', owners: {} },
      tags: [],
      format: { id: 'chat', measure: () => plainMeasure },
      request: { model: 'up/m', value: {}, outline: {}, rest() {} },
      operation: 'chat',
      trail: openTrail(0),
      admission: { isGranted: true, isPriced: true },
    },
    route: { options: { breaker: defaultBreaker } },
  }
  const price = freeTarget('test', '')
  const target = { id: 'up/m', providerId: 'up', model: 'm', timeouts: defaultTimeouts, price }
  const attempt = new Attempt(run as unknown as CallRun, target as Target, cancellation)
  attempt.connection = { isOpen: true, pause() {}, resume() {}, close: () => (closed += 1) }
  const told: GatewayError[] = []
  attempt.onBreak({
    fail(error) {
      told.push(error)
      attempt.fail(error)
    },
  })
  return { attempt, records, told, closed: () => closed, trail: run.call.trail }
}

describe('an attempt', () => {
  test('is canceled once when the caller disconnects', () => {
    const caller = new Cancellation()
    const { attempt, records, told, closed } = open(caller)
    caller.cancel(cancelled)
    attempt.fail(unavailable)
    attempt.complete()
    expect(told).toEqual([cancelled])
    expect(records.map(({ outcome }) => outcome)).toEqual(['cancelled'])
    expect(closed()).toBe(1)
    expect(attempt.signal.reason).toBe(cancelled)
  })

  test('reports a caller that had already disconnected', () => {
    const caller = new Cancellation()
    caller.cancel(cancelled)
    const { told } = open(caller)
    expect(told).toEqual([cancelled])
  })

  test('canceled by the failure of another is cancelled, not failed', () => {
    const other = new Cancellation()
    const { told, records } = open(other)
    other.cancel(unavailable)
    expect(told.map(({ code }) => code)).toEqual(['cancelled'])
    expect(records.map(({ outcome }) => outcome)).toEqual(['cancelled'])
  })

  test('that completes keeps its socket and ignores later ends', () => {
    const caller = new Cancellation()
    const { attempt, records, told, closed } = open(caller)
    attempt.usage = () => ({ inputTokens: 3, outputTokens: 4 })
    attempt.complete()
    attempt.abandon()
    caller.cancel(cancelled)
    expect(told).toEqual([])
    expect(closed()).toBe(0)
    expect(records).toMatchObject([
      { callId: 'call', attempt: 1, outcome: 'completed', reported: true, outputTokens: 4 },
    ])
  })

  test.each([
    [false, 'failed'],
    [true, 'incomplete'],
  ])('that fails with a started answer (%s) is %s', (hasBegun, outcome) => {
    const { attempt, records, closed } = open(new Cancellation())
    if (hasBegun) attempt.begin()
    attempt.fail(unavailable)
    expect(records.map((record) => record.outcome)).toEqual([outcome])
    expect(closed()).toBe(1)
  })

  test('gets the next number of its call', () => {
    const { trail } = open(new Cancellation())
    expect(trail).toMatchObject({ attempts: 1, provider: 'up', model: 'm' })
  })
})
