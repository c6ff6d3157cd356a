import { connect } from 'node:net'
import { describe, expect, test } from 'vitest'
import { plainMeasure } from '../../../packages/protocols/src/measure.ts'
import { askEngine } from '../../../packages/gateway/src/attempt/ask-engine.ts'
import { Cancellation } from '../../../packages/gateway/src/call/cancellation.ts'
import { defaultTimeouts, type Timeouts } from '../../../packages/gateway/src/route/timeouts.ts'
import { openTrail } from '../../../packages/gateway/src/call/call.ts'
import { CallRequest } from '../../../packages/gateway/src/call/call-request.ts'
import { defaultBreaker } from '../../../packages/gateway/src/route/breaker.ts'
import type { CallRun } from '../../../packages/gateway/src/attempt/call-run.ts'
import { freeTarget } from '../../../packages/gateway/src/prices/target-price.ts'
import { ask } from '../../support/routes.ts'
import { type Started, start, testKey, until } from '../../support/start.ts'
import { records } from '../../support/measures/usage-records.ts'

test('a caller that reads nothing of a whole answer is disconnected', async () => {
  await using gateway = await start({}, { streamTimes: { keepAliveMs: 10_000, stalledMs: 300 } })
  const { port, hostname } = new URL(gateway.url)
  const socket = connect(Number(port), hostname)
  socket.on('error', () => {})
  const input = Array(2_000).fill('water')
  const text = JSON.stringify({ model: 'builtin-embed', input, dimensions: 3_072 })
  socket.pause()
  socket.write(
    `POST /v1/embeddings HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${testKey}\r\nContent-Type: application/json\r\nContent-Length: ${text.length}\r\n\r\n${text}`,
  )
  const line = await until(
    () => gateway.logged.find(({ message }) => message === 'request'),
    20_000,
  )
  expect(line.fields).toMatchObject({ status: 200, left: true })
  socket.destroy()
})

describe('an engine that ignores its abort signal', () => {
  const never = new Promise<never>(() => {})
  const silent = { [Symbol.asyncIterator]: () => ({ next: () => never }) }
  const spoken = {
    [Symbol.asyncIterator]() {
      let told = false
      return {
        next() {
          if (told) return never
          told = true
          return Promise.resolve({ done: false, value: { event: { choices: [] } } })
        },
      }
    },
  }

  function attempt(
    { gateway }: Started,
    chat: () => Promise<unknown>,
    { leavesMs, ...timeouts }: Partial<Timeouts> & { readonly leavesMs?: number },
  ) {
    const key = gateway.keys.find(testKey)
    const fields = { model: 'own/m', ...ask }
    const call = {
      id: 'call',
      key,
      operation: 'chat',
      request: new CallRequest(fields, { fields, isOwn: true }),
      stream: true,
      format: { id: 'chat', measure: () => plainMeasure },
      trail: openTrail(0),
      tags: [],
      admission: { isGranted: true, isPriced: true },
    }
    const run = {
      gateway,
      call,
      route: { model: 'own/m', options: { breaker: defaultBreaker } },
      canonical: fields,
    }
    const target = {
      kind: 'engine',
      id: 'own/m',
      providerId: 'own',
      model: 'm',
      family: 'm',
      weight: 1,
      priority: 0,
      because: 'test',
      price: freeTarget('test', ''),
      unsupported: 'refuse',
      slots: [],
      rates: [],
      takesRoom: false,
      whenFull: 'wait',
      timeouts: { ...defaultTimeouts, ...timeouts },
      engine: async () => ({ chat }) as never,
    } as const
    const cancellation = new Cancellation()
    if (leavesMs !== undefined)
      setTimeout(() => cancellation.cancel(new Error('The caller went away')), leavesMs)
    return askEngine(run as unknown as CallRun, target, cancellation)
  }

  test('times out without an answer', async () => {
    await using gateway = await start()
    const waiting = attempt(gateway, () => never, { firstTokenMs: 50 })
    await expect(waiting).rejects.toMatchObject({ code: 'upstream_timeout' })
    expect(await records(gateway)).toEqual(['own chat failed'])
  })

  test('times out without an event', async () => {
    await using gateway = await start()
    const events = async () => ({ kind: 'events', events: silent })
    const waiting = attempt(gateway, events, { firstTokenMs: 50 })
    await expect(waiting).rejects.toMatchObject({ code: 'upstream_timeout' })
    expect(await records(gateway)).toEqual(['own chat failed'])
  })

  test.each([
    ['falls silent', { idleMs: 50 }, 'upstream_timeout', 'incomplete'],
    ['is abandoned by its caller', { leavesMs: 50 }, 'cancelled', 'cancelled'],
  ])('ends the attempt when it %s', async (_name, limits, code, outcome) => {
    await using gateway = await start()
    const events = async () => ({ kind: 'events', events: spoken })
    const { answer } = await attempt(gateway, events, limits)
    expect(answer.kind).toBe('steps')
    if (answer.kind !== 'steps') return
    const { steps } = answer
    const pushed: unknown[] = []
    const ended = new Promise((resolve, reject) => {
      steps.flow({ push: (step) => pushed.push(step), end: () => resolve('end'), fail: reject })
    })
    await expect(ended).rejects.toMatchObject({ code })
    expect(pushed).toHaveLength(1)
    expect(await records(gateway)).toEqual([`own chat ${outcome}`])
  })
})
