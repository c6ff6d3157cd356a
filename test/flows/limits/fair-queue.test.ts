// When the slots of all keys are in use, keys take turns.
import { expect, test } from 'vitest'
import { fakeUpstream, json } from '../../support/fakes/fake-upstream.ts'
import { chatReply } from '../../support/fakes/openai-wire.ts'
import { ask, at } from '../../support/routes.ts'
import { start, until } from '../../support/start.ts'

const other = 'sk-other0123456789abcdef'
const body = { model: 'upstream/m', ...ask }

/** An upstream that answers one call at a time, when it is told to. */
async function heldUpstream() {
  const waiting: (() => void)[] = []
  const upstream = await fakeUpstream(async (_seen, response) => {
    await new Promise<void>((resolve) => waiting.push(resolve))
    json(response, chatReply('Hello'))
  })
  return { upstream, waiting }
}

test('500 waiting calls of one key do not starve another key', async () => {
  const { upstream, waiting } = await heldUpstream()
  await using _upstream = upstream
  const limits = { concurrentRequests: 4, waitMs: 20_000 }
  await using gateway = await start(
    at({ upstream }, { limits, keys: [{ name: 'other', key: other }] }),
  )
  let answered = 0
  const many = Array.from({ length: 500 }, async () => {
    const { status } = await gateway.post('/v1/chat/completions', body)
    answered += 1
    return status
  })
  await until(() => waiting.length === 4)
  const few = [1, 2, 3].map(() => gateway.post('/v1/chat/completions', body, { key: other }))
  let served = 0
  for (const call of few) void call.then(() => (served += 1))
  // Those that are in are answered one by one; of every two that follow, one is the other key's.
  while (served < 3) {
    await until(() => waiting.length > 0)
    waiting.shift()?.()
    await until(() => waiting.length === 4)
  }
  expect((await Promise.all(few)).map(({ status }) => status)).toEqual([200, 200, 200])
  expect(answered).toBeLessThan(250)
  const draining = setInterval(() => waiting.splice(0).forEach((answer) => answer()), 1)
  const statuses = await Promise.all(many)
  clearInterval(draining)
  expect(new Set(statuses)).toEqual(new Set([200]))
})

test('a caller that disconnects while waiting takes no slot and is not sent upstream', async () => {
  const { upstream, waiting } = await heldUpstream()
  await using _upstream = upstream
  await using gateway = await start(at({ upstream }, { limits: { concurrentRequests: 1 } }))
  const first = gateway.post('/v1/chat/completions', body)
  await until(() => waiting.length === 1)
  const leaving = new AbortController()
  const left = gateway.post('/v1/chat/completions', body, { signal: leaving.signal })
  const caught = left.catch((error: unknown) => error)
  const next = gateway.post('/v1/chat/completions', body)
  await new Promise((resolve) => setTimeout(resolve, 50))
  leaving.abort()
  expect(await caught).toBeInstanceOf(Error)
  await until(() => gateway.logged.some(({ fields }) => fields['status'] === 499))
  waiting.shift()?.()
  expect((await first).status).toBe(200)
  await until(() => waiting.length === 1)
  waiting.shift()?.()
  expect((await next).status).toBe(200)
  expect(upstream.seen.length).toBe(2)
})
