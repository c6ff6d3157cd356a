// Request bodies: compressed ones, and the memory of all of them together.
import { randomBytes } from 'node:crypto'
import { brotliCompressSync, constants, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { silence, sine, wavOf } from '../../../packages/engine/test/audio-sounds.ts'
import { postHead, type RawClient, rawClient } from '../../support/clients/raw-client.ts'
import { fakeUpstream, json } from '../../support/fakes/fake-upstream.ts'
import { chatReply } from '../../support/fakes/openai-wire.ts'
import { ask, at } from '../../support/routes.ts'
import { type Started, start, testKey, until } from '../../support/start.ts'

const soon = { timeout: 20_000 }

const compressions = {
  gzip: gzipSync,
  deflate: deflateSync,
  br: (bytes: string | Uint8Array) =>
    brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } }),
  zstd: zstdCompressSync,
} as const

describe.each(Object.entries(compressions))('a request body in %s', (encoding, compress) => {
  let gateway: Started
  beforeAll(async () => {
    gateway = await start({ server: { inflatedLimitBytes: 1_500_000 } })
  })
  afterAll(() => gateway[Symbol.asyncDispose]())

  const json = (body: object) =>
    send('/v1/embeddings', 'application/json', compress(JSON.stringify(body)))
  const send = (path: string, type: string, body: Uint8Array) =>
    gateway.request(path, {
      method: 'POST',
      headers: { 'content-type': type, 'content-encoding': encoding },
      body,
    })
  async function form(edit: (form: FormData) => void): Promise<Response> {
    const fields = new FormData()
    fields.set('model', 'builtin-transcribe')
    fields.set('file', new File([wavOf(sine(440, 0.3), silence(0.2))], 'a.wav'))
    edit(fields)
    const plain = new Response(fields)
    const bytes = compress(new Uint8Array(await plain.arrayBuffer()))
    return send('/v1/audio/transcriptions', plain.headers.get('content-type') ?? '', bytes)
  }

  test('is decompressed as JSON', async () => {
    expect((await json({ model: 'builtin-embed', input: 'Hi' })).status).toBe(200)
  })

  test('is decompressed as a form', async () => {
    const response = await form(() => {})
    expect(response.status).toBe(200)
    expect(await response.json()).toHaveProperty('text')
  })

  test('is rejected when it expands more than a hundredfold', async () => {
    const input = 'a'.repeat(1_300_000)
    for (const response of [
      await json({ model: 'builtin-embed', input }),
      await form((fields) => fields.set('file', new File([input], 'a.wav'))),
    ]) {
      expect(response.status).toBe(413)
      expect(await response.text()).toContain('100 times')
    }
  })

  test('is rejected when it expands beyond the size limit', async () => {
    const noise = randomBytes(800_000).toString('hex')
    for (const response of [
      await json({ model: 'builtin-embed', input: noise }),
      await form((fields) => fields.set('file', new File([noise], 'a.wav'))),
    ]) {
      expect(response.status).toBe(413)
      expect(await response.text()).toContain('1500000 bytes')
    }
  })

  test('answers 400 when it is truncated', async () => {
    const whole = compress(JSON.stringify({ model: 'builtin-embed', input: 'Hi'.repeat(500) }))
    const response = await send('/v1/embeddings', 'application/json', whole.subarray(0, -5))
    expect(response.status).toBe(400)
  })
})

describe('the memory of all request bodies', () => {
  const other = 'sk-other0123456789abcdef'
  const limits = { heldBytesPerKey: 1_000_000, heldBytes: 1_500_000 }
  const noise = Buffer.from(Array.from({ length: 400_000 }, () => 97 + 26 * Math.random()))
  const plain = Buffer.concat([Buffer.from('{"model":"builtin-embed","input":"'), noise])
  const small = { model: 'builtin-embed', input: 'Hi' }

  /** Sends a body that inflates to 400 kB and never comes to its end. */
  async function hold(
    gateway: Started,
    { key = testKey, path = '/v1/embeddings', encoding = '' } = {},
  ) {
    const client = rawClient(gateway.url)
    await client.write(
      postHead(path, {
        authorization: `Bearer ${key}`,
        'content-type': 'application/json',
        'transfer-encoding': 'chunked',
        ...(encoding !== '' && { 'content-encoding': encoding }),
      }),
    )
    await client.chunk(encoding === 'gzip' ? gzipSync(plain).subarray(0, -9) : plain)
    return client
  }

  const refused = async (client: RawClient, status: number) => {
    await until(() => client.text().includes('\r\n\r\n'))
    expect(client.text()).toContain(`HTTP/1.1 ${status} `)
    expect(client.text()).toMatch(/^retry-after: 1\r$/im)
  }

  test.each(['', 'gzip'])(
    'is limited per key: 429, while other keys go on %s',
    async (encoding) => {
      await using gateway = await start({ limits, keys: [{ name: 'other', key: other }] })
      const held = [await hold(gateway, { encoding }), await hold(gateway, { encoding })]
      // A little of the third comes before it is too much; whichever of them that happens to is refused.
      const third = await hold(gateway, { encoding, path: '/v1/messages' })
      const clients = [...held, third]
      await until(() => clients.some((client) => client.text().includes('\r\n\r\n')))
      const late = clients.find((client) => client.text() !== '')
      if (late) await refused(late, 429)
      expect((await gateway.post('/v1/embeddings', small, { key: other })).status).toBe(200)
      // All keys together: half of what is allowed is left, and then none.
      const others = [
        await hold(gateway, { key: other, encoding }),
        await hold(gateway, { key: other, encoding }),
      ]
      await until(() => others.some((client) => client.text().includes('\r\n\r\n')))
      const last = others.find((client) => client.text() !== '')
      if (last) await refused(last, 503)
      for (const client of [...clients, ...others]) client[Symbol.dispose]()
      // What they held is given back when they leave.
      await vi.waitFor(async () => {
        expect((await gateway.post('/v1/embeddings', small)).status).toBe(200)
        using again = await hold(gateway, { encoding })
        using more = await hold(gateway, { encoding })
        expect((await gateway.post('/v1/embeddings', small)).status).toBe(200)
        expect(again.text() + more.text()).toBe('')
      }, soon)
    },
  )

  test('is reported over the limit in the caller’s own error format', async () => {
    await using gateway = await start({ limits: { heldBytesPerKey: 1_000 } })
    const response = await gateway.post('/v1/messages', {
      model: 'claude',
      max_tokens: 10,
      messages: [{ role: 'user', content: 'a'.repeat(2_000) }],
    })
    expect(response.status).toBe(429)
    expect(response.headers.get('retry-after')).toBe('1')
    expect(await response.json()).toMatchObject({
      type: 'error',
      error: { type: 'rate_limit_error' },
    })
  })

  test('includes bodies that wait for an answer, and releases them once it arrived', async () => {
    const answer = Promise.withResolvers<void>()
    await using upstream = await fakeUpstream(async (_seen, response) => {
      await answer.promise
      json(response, chatReply('Hello'))
    })
    await using gateway = await start(at({ upstream }, { limits: { heldBytesPerKey: 3_000 } }))
    const call = () =>
      gateway.post('/v1/chat/completions', { model: 'upstream/m', ...ask, user: 'a'.repeat(1_900) })
    const first = call()
    await until(() => upstream.seen.length === 1)
    const second = await Promise.race([call(), first])
    answer.resolve()
    expect(second.status).toBe(429)
    expect((await first).status).toBe(200)
    for (let again = 0; again < 3; again += 1)
      // The gateway may learn a little after the caller that the answer has arrived.
      await vi.waitFor(async () => {
        const response = await call()
        await response.text()
        expect(response.status).toBe(200)
      }, soon)
  })
})
