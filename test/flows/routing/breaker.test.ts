// The breaker of a target that failed: when it is probed, by which call, and the effects of each result.
import { describe, expect, test } from 'vitest'
import {
  type Answering,
  type FakeUpstream,
  fakeUpstream,
  sse,
} from '../../support/fakes/fake-upstream.ts'
import { chunk } from '../../support/fakes/openai-wire.ts'
import { ask, at, error, good } from '../../support/routes.ts'
import { type Started, start, until } from '../../support/start.ts'

const failures = 3
const cooldownMs = 100

interface Stage extends AsyncDisposable {
  readonly gateway: Started
  /** The target whose breaker is open. */
  readonly first: FakeUpstream
  readonly second: FakeUpstream
}

const call = async (gateway: Started, body: object = {}, signal?: AbortSignal) => {
  const response = await gateway.post(
    '/v1/chat/completions',
    { model: 'm', ...ask, ...body },
    { ...(signal && { signal }) },
  )
  await response.arrayBuffer()
  return `${response.status} ${response.headers.get('x-sluice-provider')}`
}

/** Two targets, the first of which has just failed as often as it may. */
async function openedBreaker(further: object = {}): Promise<Stage> {
  const first = await fakeUpstream(error(500))
  const second = await fakeUpstream(good)
  const plain = {
    targets: [{ target: 'first/m' }],
    fallback: ['second/m'],
    retries: { attempts: 1 },
    breaker: { failures, windowMs: 60_000, cooldownMs },
  }
  const gateway = await start(
    at({ first, second }, { models: { m: { ...plain, ...further }, plain } }),
  )
  for (let index = 0; index < failures; index += 1) expect(await call(gateway)).toBe('200 second')
  return {
    gateway,
    first,
    second,
    async [Symbol.asyncDispose]() {
      await gateway[Symbol.asyncDispose]()
      await first[Symbol.asyncDispose]()
      await second[Symbol.asyncDispose]()
    },
  }
}

/** Calls until one of them gets through to the resting target, which is the one that is given back, under way. */
async function probe({ gateway, first }: Stage, body: object = {}, signal?: AbortSignal) {
  const before = first.seen.length
  for (;;) {
    let isOver = false
    const outcome = call(gateway, body, signal)
      .catch(() => 'left')
      .finally(() => {
        isOver = true
      })
    await until(() => isOver || first.seen.length > before)
    if (first.seen.length > before) return { outcome }
  }
}

/** Calls until the target is used again. Fails where it stays last for ever. */
async function untilUsed({ gateway }: Stage): Promise<void> {
  const end = Date.now() + 5_000
  while (Date.now() < end) if ((await call(gateway, { model: 'plain' })) === '200 first') return
  throw new Error('The healed target is never used again')
}

test('an open target gets no calls while another works, and is used as the last resort', async () => {
  await using stage = await openedBreaker({
    breaker: { failures, windowMs: 60_000, cooldownMs: 60_000 },
  })
  const { gateway, first, second } = stage
  for (let index = 0; index < 3; index += 1) expect(await call(gateway)).toBe('200 second')
  expect(first.seen.length).toBe(failures)
  first.answer(good)
  second.answer(error(500))
  expect(await call(gateway)).toBe('200 first')
})

test('a half-open target gets one probe at a time; other calls use the next target', async () => {
  await using stage = await openedBreaker()
  const { gateway, first, second } = stage
  const { promise: held, resolve: release } = Promise.withResolvers<void>()
  first.answer(async (...exchange) => {
    await held
    return good(...exchange)
  })
  const { outcome } = await probe(stage)
  const before = second.seen.length
  const others = Array.from({ length: 5 }, () => call(gateway))
  expect(await Promise.all(others)).toEqual(Array(5).fill('200 second'))
  expect(first.seen.length).toBe(failures + 1)
  expect(second.seen.length).toBe(before + 5)
  release()
  expect(await outcome).toBe('200 first')
  expect(await call(gateway)).toBe('200 first')
})

test('a failed probe opens the breaker again', async () => {
  await using stage = await openedBreaker({
    breaker: { failures, windowMs: 60_000, cooldownMs: 2_000 },
  })
  const { gateway, first } = stage
  expect(await (await probe(stage)).outcome).toBe('200 second')
  expect(await call(gateway)).toBe('200 second')
  expect(first.seen.length).toBe(failures + 1)
})

const silent: Answering = () => {}
const preambleOnly: Answering = (_seen, response) =>
  sse(response, [chunk({ role: 'assistant', content: '' })], { end: false })

describe('a healed target is used again after an inconclusive probe:', () => {
  test.each<[string, Answering, object]>([
    ['its caller disconnected before the headers', silent, {}],
    ['its caller disconnected before the first content', preambleOnly, { stream: true }],
  ])('%s', async (_name, answering, body) => {
    await using stage = await openedBreaker()
    const { first } = stage
    first.answer(answering)
    const leaving = new AbortController()
    const { outcome } = await probe(stage, body, leaving.signal)
    leaving.abort()
    expect(await outcome).toBe('left')
    await until(() => first.seen.at(-1)?.closedAt)
    first.answer(good)
    await untilUsed(stage)
  })

  test.each([400, 413, 422])('the probe’s request was invalid (%i)', async (status) => {
    await using stage = await openedBreaker()
    const { first } = stage
    first.answer(error(status))
    expect(await (await probe(stage)).outcome).toBe(`${status} first`)
    first.answer(good)
    await untilUsed(stage)
  })

  test('another target won the hedge', async () => {
    await using stage = await openedBreaker({ hedge: { enabled: true, delayMs: 1 } })
    const { first } = stage
    first.answer(silent)
    expect(await (await probe(stage)).outcome).toBe('200 second')
    await until(() => first.seen.at(-1)?.closedAt)
    first.answer(good)
    await untilUsed(stage)
  })
})

test('a success resets the count of failures', async () => {
  let answers: readonly Answering[] = []
  await using first = await fakeUpstream((...exchange) => {
    const [next = good, ...rest] = answers
    answers = rest
    return next(...exchange)
  })
  await using second = await fakeUpstream(good)
  await using gateway = await start(
    at(
      { first, second },
      {
        models: {
          m: {
            targets: [{ target: 'first/m' }],
            fallback: ['second/m'],
            retries: { attempts: 1 },
            breaker: { failures, windowMs: 60_000, cooldownMs: 60_000 },
          },
        },
      },
    ),
  )
  const bad = error(500)
  answers = [bad, bad, good, bad, bad, good]
  const outcomes: string[] = []
  for (let index = 0; index < 6; index += 1) outcomes.push(await call(gateway))
  expect(outcomes).toEqual([
    '200 second',
    '200 second',
    '200 first',
    '200 second',
    '200 second',
    '200 first',
  ])
})
