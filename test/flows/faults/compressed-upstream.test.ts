// Upstreams that compress responses although the request does not accept it.
import { once } from 'node:events'
import {
  brotliCompressSync,
  createBrotliCompress,
  createDeflate,
  createGzip,
  createZstdCompress,
  deflateRawSync,
  deflateSync,
  gzipSync,
  zstdCompressSync,
} from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { fakeUpstream } from '../../support/fakes/fake-upstream.ts'
import { chatReply, chunk, done, usageChunk } from '../../support/fakes/openai-wire.ts'
import { ask, at } from '../../support/routes.ts'
import { start } from '../../support/start.ts'

const single = { defaults: { retries: { attempts: 1 } } }
const encodings = {
  gzip: { compress: gzipSync, open: createGzip },
  deflate: { compress: deflateSync, open: createDeflate },
  br: { compress: brotliCompressSync, open: createBrotliCompress },
  zstd: { compress: zstdCompressSync, open: createZstdCompress },
}
const events = [chunk({ content: 'Hel' }), chunk({ content: 'lo' }), chunk({}, 'stop'), usageChunk]

describe.each(Object.entries(encodings))(
  'upstream answers compressed with %s',
  (encoding, { compress, open }) => {
    const headers = (type: string) => ({ 'content-type': type, 'content-encoding': encoding })

    test.each(['/v1/chat/completions', '/v1/messages'])(
      'decompresses a JSON answer: %s',
      async (path) => {
        await using upstream = await fakeUpstream((_seen, response) => {
          response.writeHead(200, headers('application/json'))
          response.end(compress(JSON.stringify(chatReply('Hello there'))))
        })
        await using gateway = await start(at({ upstream }, single))
        const response = await gateway.post(path, { model: 'upstream/m', max_tokens: 9, ...ask })
        expect(response.status).toBe(200)
        expect(response.headers.get('content-encoding')).toBeNull()
        expect(await response.text()).toContain('Hello there')
      },
    )

    test.each(['/v1/chat/completions', '/v1/messages'])(
      'decompresses an error: %s',
      async (path) => {
        await using upstream = await fakeUpstream((_seen, response) => {
          response.writeHead(422, headers('application/json'))
          response.end(compress(JSON.stringify({ error: { message: 'Too blue', type: 'x' } })))
        })
        await using gateway = await start(at({ upstream }, single))
        const response = await gateway.post(path, { model: 'upstream/m', max_tokens: 9, ...ask })
        expect(response.status).toBe(422)
        expect(await response.text()).toContain('Too blue')
      },
    )

    test('decompresses a stream event by event', async () => {
      const goOn = Promise.withResolvers<void>()
      await using upstream = await fakeUpstream(async (_seen, response) => {
        response.writeHead(200, headers('text/event-stream'))
        const stream = open()
        stream.pipe(response)
        for (const event of events) {
          stream.write(`data: ${JSON.stringify(event)}\n\n`)
          await new Promise<void>((resolve) => {
            stream.flush(() => resolve())
          })
          if (event === events[0]) await goOn.promise
        }
        stream.end(done)
        await once(response, 'finish')
      })
      await using gateway = await start(at({ upstream }, single))
      const response = await gateway.post('/v1/chat/completions', {
        model: 'upstream/m',
        stream: true,
        ...ask,
      })
      expect(response.status).toBe(200)
      let text = ''
      const decoder = new TextDecoder()
      for await (const piece of response.body ?? []) {
        text += decoder.decode(piece as Uint8Array, { stream: true })
        // Nothing more comes before the first event has been read.
        if (text.includes('Hel')) goOn.resolve()
      }
      expect(text).toContain('"lo"')
      expect(text).toContain('[DONE]')
    })

    test('answers 502 for a truncated body', async () => {
      await using upstream = await fakeUpstream((_seen, response) => {
        response.writeHead(200, headers('application/json'))
        response.end(compress(JSON.stringify(chatReply('Hello'.repeat(500)))).subarray(0, -9))
      })
      await using gateway = await start(at({ upstream }, single))
      const response = await gateway.post('/v1/chat/completions', { model: 'upstream/m', ...ask })
      expect(response.status).toBe(502)
    })
  },
)

test.each([
  ['deflate', deflateRawSync],
  ['gzip, identity', gzipSync],
  ['Identity', (text: string) => text],
])('accepts the content-encoding spelled %s', async (encoding, compress) => {
  await using upstream = await fakeUpstream((_seen, response) => {
    response.writeHead(200, { 'content-type': 'application/json', 'content-encoding': encoding })
    response.end(compress(JSON.stringify(chatReply('Hello there'))))
  })
  await using gateway = await start(at({ upstream }, single))
  const response = await gateway.post('/v1/chat/completions', { model: 'upstream/m', ...ask })
  expect(response.status).toBe(200)
  expect(await response.text()).toContain('Hello there')
})

test('answers bad_response for a body that is not compressed as its header says', async () => {
  await using upstream = await fakeUpstream((_seen, response) => {
    response.writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'gzip' })
    response.end(JSON.stringify(chatReply('Hello')))
  })
  await using gateway = await start(at({ upstream }, single))
  const response = await gateway.post('/v1/chat/completions', { model: 'upstream/m', ...ask })
  expect(response.status).toBe(502)
  expect(await response.json()).toMatchObject({ error: { code: 'bad_response' } })
})

test('answers 502 for a body that expands beyond the size limit', async () => {
  const large = gzipSync(Buffer.alloc(270 * 1024 * 1024, 'a'))
  await using upstream = await fakeUpstream((_seen, response) => {
    response.writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'gzip' })
    response.end(large)
  })
  await using gateway = await start(at({ upstream }, single))
  const response = await gateway.post('/v1/chat/completions', { model: 'upstream/m', ...ask })
  expect(response.status).toBe(502)
  expect(await response.text()).toContain('too large')
})
