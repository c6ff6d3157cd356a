// Scarce resources of the built-in engine are shared: the work of one key neither rejects nor delays that of another.
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { owner, stranger, withTwoKeys } from '../../support/gateways/two-keys.ts'
import { type Started, start } from '../../support/start.ts'

let gateway: Started
beforeAll(async () => {
  gateway = await start(withTwoKeys({}))
})
afterAll(() => gateway[Symbol.asyncDispose]())

const film = { model: 'builtin-video', prompt: 'a red circle', seconds: '60', size: '1280x720' }

/** A drawing that nobody finishes: dashes of one pixel along thousands of lines. */
const lines = Array.from(
  { length: 20_000 },
  (_, index) => `L${(index * 7919) % 1000} ${(index * 104_729) % 1000}`,
)
const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="1000" height="1000"><path d="M0 0${lines.join('')}" stroke="red" stroke-width="3" stroke-dasharray="1 1" fill="none"/></svg>`
const drawing = {
  model: 'builtin-chat',
  messages: [
    {
      role: 'user',
      content: [
        { type: 'text', text: 'How wide is this image?' },
        {
          type: 'image_url',
          image_url: { url: `data:image/svg+xml;base64,${Buffer.from(svg).toString('base64')}` },
        },
      ],
    },
  ],
}

test('limits the queued videos of one key while another key is served', async () => {
  const statuses: number[] = []
  for (let count = 0; count < 25; count++)
    statuses.push((await gateway.post('/v1/videos', film, owner)).status)
  expect(statuses.filter((status) => status === 200).length).toBeGreaterThanOrEqual(20)
  expect(statuses.at(-1)).toBe(429)
  const refused = await gateway.post('/v1/videos', film, owner)
  expect(await refused.json()).toMatchObject({
    error: { code: 'rate_limit_exceeded', message: expect.stringContaining('of this key') },
  })
  expect((await gateway.post('/v1/videos', film, stranger)).status).toBe(200)
})

test('SVG images that expand without end block no other call and are rejected with their path', async () => {
  const leaving = new AbortController()
  const asked = Array.from({ length: 4 }, () =>
    gateway.post('/v1/chat/completions', drawing, { ...owner, signal: leaving.signal }),
  )
  // Inflated by libuv's threads, all four of which such drawings would hold.
  const other = await gateway.request('/v1/moderations', {
    ...stranger,
    method: 'POST',
    headers: { 'content-type': 'application/json', 'content-encoding': 'gzip' },
    body: gzipSync(JSON.stringify({ input: 'Hello there' })),
  })
  expect(other.status).toBe(200)
  const first = await Promise.race(asked)
  expect(first.status).toBe(400)
  expect(await first.json()).toMatchObject({
    error: { param: 'messages[0].content[1].image_url' },
  })
  leaving.abort()
  await Promise.allSettled(asked)
})
