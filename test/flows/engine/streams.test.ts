// Streams of the built-in engine arrive over time, in every client format, and end when the caller disconnects.
import { afterAll, beforeAll, describe, expect, it, test } from 'vitest'
import { createPace } from '../../../packages/gateway/src/attempt/pace.ts'
import { settled } from '../../support/measures/usage-records.ts'
import { type Started, start } from '../../support/start.ts'

let gateway: Started
beforeAll(async () => {
  gateway = await start()
})
afterAll(() => gateway[Symbol.asyncDispose]())

const model = 'builtin-chat'
const words = Array.from({ length: 60 }, (_, index) => `word${index}`).join(' ')
const content = `Repeat after me: "${words}"`
const messages = [{ role: 'user', content }]
const parts = [{ role: 'user', parts: [{ text: content }] }]

const faces: readonly (readonly [path: string, body: object])[] = [
  ['/v1/chat/completions', { model, messages, stream: true }],
  ['/v1/completions', { model, prompt: content, max_tokens: 400, stream: true }],
  ['/v1/messages', { model, messages, max_tokens: 400, stream: true }],
  ['/v1/responses', { model, input: content, stream: true }],
  [`/v1beta/models/${model}:streamGenerateContent?alt=sse`, { contents: parts }],
  [`/v1beta/models/${model}:streamGenerateContent`, { contents: parts }],
]

/** Every string in a response, in order. */
function stringsIn(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value]
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(stringsIn) : []
}

describe.each(faces)('%s', (path, body) => {
  it('arrives in many chunks that make up the whole text', async () => {
    const { body: stream } = await gateway.post(path, body)
    const arrived: string[] = []
    const decoder = new TextDecoder()
    for await (const bytes of stream ?? []) arrived.push(decoder.decode(bytes, { stream: true }))
    // Less than one per write: the network may join some.
    expect(arrived.length).toBeGreaterThan(5)
    const all = arrived.join('')
    const events = all.startsWith('[')
      ? (JSON.parse(all) as unknown[])
      : [...all.matchAll(/^data: (\{.*)$/gm)].map(([, json = '']) => JSON.parse(json) as unknown)
    const deltas = events.flatMap((event) =>
      stringsIn(event).filter((text) => /^ ?(?:word|\d)/.test(text)),
    )
    expect(deltas.join('')).toContain(words)
  })
})

test('streams a long answer in bounded time', async () => {
  const prompt = 'x '.repeat(3_000)
  const response = await gateway.post('/v1/chat/completions', {
    model,
    messages: [{ role: 'user', content: `Repeat after me: "${prompt.trim()}"` }],
    stream: true,
  })
  const text = await response.text()
  expect(text.match(/^data: /gm)?.length).toBeGreaterThan(3_000)
})

test('a disconnecting caller ends the stream', async () => {
  await using own = await start()
  const leaving = new AbortController()
  const response = await own.post(
    '/v1/chat/completions',
    { model, messages, stream: true },
    { signal: leaving.signal },
  )
  const reader = response.body?.getReader()
  await reader?.read()
  leaving.abort()
  expect(await settled(own, 1)).toEqual(['builtin chat cancelled'])
})

describe('the pace of a stream', () => {
  const never = new AbortController().signal

  it('sends the first text at once and limits the number of waits', async () => {
    const pace = createPace(never)
    expect([pace(), pace()]).toEqual([undefined, undefined])
    let waits = 0
    for (let item = 0; item < 300_000; item++) {
      const wait = pace()
      if (wait === undefined) continue
      waits += 1
      await wait
    }
    expect(waits).toBeGreaterThan(10)
    expect(waits).toBeLessThanOrEqual(41)
  })

  it('ends with the signal and does not keep the process alive', async () => {
    const leaving = new AbortController()
    const pace = createPace(leaving.signal)
    const timers = () =>
      process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout').length
    const before = timers()
    const waits = [pace(), pace(), pace()]
    expect(timers()).toBe(before)
    leaving.abort()
    await expect(waits[2]).rejects.toMatchObject({ name: 'AbortError' })
  })
})
