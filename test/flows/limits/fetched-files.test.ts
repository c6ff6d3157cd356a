// Files that a request names are fetched within limits on their number, their bytes and their concurrency.
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, test } from 'vitest'
import { fakeUpstream, json } from '../../support/fakes/fake-upstream.ts'
import { start, until } from '../../support/start.ts'

const server = { allowPrivateMedia: true }
const part = (url: string) => ({ type: 'image_url', image_url: { url } })
const pictures = (urls: readonly string[]) => ({
  messages: [{ role: 'user', content: [{ type: 'text', text: 'What is it?' }, ...urls.map(part)] }],
})
const reply = {
  candidates: [{ content: { role: 'model', parts: [{ text: 'A dot' }] }, finishReason: 'STOP' }],
}

/** Serves files of some bytes, each held until `open`, and counts how many are asked for at the same time. */
async function fileHost(bytes: number) {
  const opened = Promise.withResolvers<void>()
  const seen = { now: 0, most: 0, all: 0 }
  const host = createServer((_request, response) => {
    seen.all += 1
    seen.now += 1
    seen.most = Math.max(seen.most, seen.now)
    response.on('close', () => {
      seen.now -= 1
    })
    void opened.promise.then(() => {
      response.writeHead(200, { 'content-type': 'image/png' }).end(Buffer.alloc(bytes, 1))
    })
  })
  host.listen(0, '127.0.0.1')
  await once(host, 'listening')
  const { port } = host.address() as AddressInfo
  return {
    seen,
    open: opened.resolve,
    urls: (count: number) =>
      Array.from({ length: count }, (_, index) => `http://127.0.0.1:${port}/${index}.png`),
    async [Symbol.asyncDispose]() {
      opened.resolve()
      host.closeAllConnections()
      host.close()
      await once(host, 'close')
    },
  }
}

const gemini = (upstream: { readonly url: string }, limits: object = {}) => ({
  server,
  limits,
  defaults: { retries: { attempts: 1 } },
  providers: {
    upstream: { type: 'gemini' as const, baseUrl: upstream.url, key: 'k', models: ['m'] },
    other: { type: 'gemini' as const, baseUrl: upstream.url, key: 'k', models: ['m'] },
  },
  models: { both: { targets: [{ target: 'upstream/m' }], fallback: ['other/m'] } },
})

test('fetches at most six files at a time and each once', async () => {
  await using upstream = await fakeUpstream((_seen, response) => json(response, reply))
  await using host = await fileHost(10)
  await using gateway = await start(gemini(upstream))
  const call = gateway.post('/v1/chat/completions', {
    model: 'upstream/m',
    ...pictures(host.urls(20)),
  })
  await until(() => host.seen.now === 6)
  host.open()
  expect((await call).status).toBe(200)
  expect(host.seen).toMatchObject({ most: 6, all: 20 })
})

test('rejects one file more than allowed and names its field', async () => {
  await using upstream = await fakeUpstream((_seen, response) => json(response, reply))
  await using host = await fileHost(10)
  host.open()
  await using gateway = await start(gemini(upstream, { namedFiles: { count: 3 } }))
  const call = (count: number) =>
    gateway.post('/v1/chat/completions', { model: 'both', ...pictures(host.urls(count)) })
  expect((await call(3)).status).toBe(200)
  const asked = upstream.seen.length
  const response = await call(4)
  expect(response.status).toBe(400)
  expect(await response.json()).toMatchObject({
    error: {
      param: 'messages[0].content[4].image_url.url',
      message: expect.stringContaining('3 files'),
    },
  })
  expect(upstream.seen.length).toBe(asked)
})

test.each([
  ['different files', (urls: readonly string[]) => urls],
  ['one file in many places', ([url = '']: readonly string[]) => Array<string>(8).fill(url)],
])('limits the total bytes of files: %s', async (_name, chosen) => {
  await using upstream = await fakeUpstream((_seen, response) => json(response, reply))
  await using host = await fileHost(300_000)
  host.open()
  await using gateway = await start(gemini(upstream, { namedFiles: { bytes: 1_000_000 } }))
  const call = (count: number) =>
    gateway.post('/v1/chat/completions', {
      model: 'upstream/m',
      ...pictures(chosen(host.urls(8)).slice(0, count)),
    })
  expect((await call(3)).status).toBe(200)
  const response = await call(8)
  expect(response.status).toBe(400)
  const { error } = (await response.json()) as { error: { param: string; message: string } }
  expect(error.param).toMatch(/^messages\[0\]\.content\[\d\]\.image_url\.url$/)
  expect(error.message).toContain('1000000 bytes')
})

test('counts fetched bytes against the key’s memory limit', async () => {
  await using upstream = await fakeUpstream((_seen, response) => json(response, reply))
  await using host = await fileHost(300_000)
  host.open()
  await using gateway = await start(gemini(upstream, { heldBytesPerKey: 500_000 }))
  const body = { model: 'upstream/m', ...pictures(host.urls(2)) }
  const response = await gateway.post('/v1/chat/completions', body)
  expect(response.status).toBe(429)
  expect(response.headers.get('retry-after')).toBe('1')
})

test('does not fetch files again for a fallback', async () => {
  let asked = 0
  await using upstream = await fakeUpstream((_seen, response) => {
    asked += 1
    if (asked === 1) response.writeHead(503).end('{}')
    else json(response, reply)
  })
  await using host = await fileHost(10)
  host.open()
  await using gateway = await start(gemini(upstream))
  const response = await gateway.post('/v1/chat/completions', {
    model: 'both',
    ...pictures(host.urls(5)),
  })
  expect(response.status).toBe(200)
  expect(asked).toBe(2)
  expect(host.seen.all).toBe(5)
})

test('sends large images complete', async () => {
  const sizes: number[] = []
  await using upstream = await fakeUpstream((seen, response) => {
    const { contents } = seen.body as unknown as {
      contents: { parts: { inlineData?: { data: string } }[] }[]
    }
    for (const { inlineData } of contents.flatMap(({ parts }) => parts))
      if (inlineData) sizes.push(Buffer.from(inlineData.data, 'base64').length)
    json(response, reply)
  })
  await using host = await fileHost(4_000_001)
  host.open()
  await using gateway = await start(gemini(upstream))
  const text = 'é"\n😀'.repeat(40_000)
  const body = pictures([
    ...host.urls(2),
    `data:image/png;base64,${Buffer.alloc(2_000_000, 7).toString('base64')}`,
  ])
  const response = await gateway.post('/v1/chat/completions', {
    model: 'upstream/m',
    messages: [{ role: 'user', content: text }, ...body.messages],
  })
  expect(response.status).toBe(200)
  expect(sizes).toEqual([4_000_001, 4_000_001, 2_000_000])
  expect(JSON.stringify(upstream.seen[0]?.body)).toContain(JSON.stringify(text))
})
