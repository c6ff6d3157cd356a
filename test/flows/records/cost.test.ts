// The cost of a call in its response, in the log and in the records.
import { request as httpRequest } from 'node:http'
import { describe, expect, test } from 'vitest'
import { fakeUpstream, json, sse } from '../../support/fakes/fake-upstream.ts'
import {
  type ClientStream,
  clientStreams,
  upstreamStreams,
} from '../../support/fakes/upstream-streams.ts'
import { ask, at, error, good, streams } from '../../support/routes.ts'
import { type Started, start, testKey, until } from '../../support/start.ts'

/** Seven tokens in and three out are what the fake upstream reports: 7 × 2 + 3 × 10 = 44 millionths. */
const prices = { 'first/*': { input: 2, output: 10 } }

const chatStream: ClientStream = {
  name: 'chat',
  path: () => '/v1/chat/completions',
  body: (model) => ({ model, stream: true, ...ask }),
  text: (stream) => stream,
  isWhole: (stream) => stream.endsWith('[DONE]\n\n'),
  isError: () => false,
}

async function costs({ gateway }: Started) {
  await gateway.store.flush()
  const records = await gateway.store.listUsage({ limit: 99 })
  return records.map(({ provider, costMicroUsd, priceSource }) => ({
    provider,
    costMicroUsd,
    priceSource,
  }))
}

const lastLine = (gateway: Started) =>
  until(() => gateway.logged.findLast(({ message }) => message === 'request'))

/** The answer of a stream with what follows it. */
function streamed(
  { url }: Started,
  headers: Record<string, string>,
  { path, body }: ClientStream = chatStream,
) {
  return new Promise<{ trailers: NodeJS.Dict<string>; announced: unknown; text: string }>(
    (resolve, reject) => {
      const sent = httpRequest(
        url + path('first/m'),
        {
          method: 'POST',
          headers: {
            authorization: `Bearer ${testKey}`,
            'content-type': 'application/json',
            ...headers,
          },
        },
        (response) => {
          let text = ''
          response.setEncoding('utf8')
          response.on('data', (piece: string) => (text += piece))
          response.on('error', reject)
          response.on('end', () =>
            resolve({ trailers: response.trailers, announced: response.headers.trailer, text }),
          )
        },
      )
      sent.on('error', reject)
      sent.end(JSON.stringify(body('first/m')))
    },
  )
}

describe('the cost of a whole answer', () => {
  test('is in a header, in the log and in the record', async () => {
    await using first = await fakeUpstream(good)
    await using gateway = await start({ ...at({ first }), prices })
    const response = await gateway.post('/v1/chat/completions', { model: 'first/m', ...ask })
    expect(response.headers.get('x-sluice-cost')).toBe('0.000044')
    expect(response.headers.has('x-sluice-cost-unknown')).toBe(false)
    expect(await costs(gateway)).toEqual([
      { provider: 'first', costMicroUsd: 44, priceSource: 'sluice.yaml' },
    ])
    expect((await lastLine(gateway)).fields).toMatchObject({ costUsd: 0.000044 })
  })

  test('is unknown, never 0, for a target without a price, with one warning', async () => {
    await using first = await fakeUpstream(good)
    await using gateway = await start({ ...at({ first }), prices: {} })
    for (let n = 0; n < 2; n++) {
      const response = await gateway.post('/v1/chat/completions', { model: 'first/m', ...ask })
      expect(response.headers.get('x-sluice-cost-unknown')).toBe('true')
      expect(response.headers.has('x-sluice-cost')).toBe(false)
    }
    expect(await costs(gateway)).toEqual([{ provider: 'first' }, { provider: 'first' }])
    expect((await lastLine(gateway)).fields).not.toHaveProperty('costUsd')
    const warned = gateway.logged.filter(({ message }) => message.includes('costs is unknown'))
    expect(warned.map(({ fields }) => fields['target'])).toEqual(['first/m'])
  })

  test('uses the bundled price of a model of the catalogue', async () => {
    await using first = await fakeUpstream(good)
    const providers = { mine: { kind: 'openai', baseUrl: first.url, key: 'key' } }
    await using gateway = await start({ providers, prices: {} })
    const response = await gateway.post('/v1/chat/completions', { model: 'mine/gpt-4o', ...ask })
    // 7 × 2.5 + 3 × 10
    expect(response.headers.get('x-sluice-cost')).toBe('0.0000475')
    const [record] = await costs(gateway)
    expect(record?.priceSource).toMatch(/^genai-prices /)
  })

  test('is zero for the built-in engine', async () => {
    await using gateway = await start({ prices: {} })
    const response = await gateway.post('/v1/chat/completions', { model: 'builtin-chat', ...ask })
    expect(response.headers.get('x-sluice-cost')).toBe('0.000000')
    expect(await costs(gateway)).toEqual([
      { provider: 'builtin', costMicroUsd: 0, priceSource: 'built-in' },
    ])
  })

  test('includes nothing for an attempt that an upstream rejected', async () => {
    await using first = await fakeUpstream(good)
    await using second = await fakeUpstream(error(503))
    const models = { m: { targets: [{ target: 'second/m' }], fallback: ['first/m'] } }
    await using gateway = await start({ ...at({ first, second }), models, prices })
    const response = await gateway.post('/v1/chat/completions', { model: 'm', ...ask })
    expect(response.headers.get('x-sluice-cost')).toBe('0.000044')
  })

  test('of speech is charged by the character', async () => {
    await using first = await fakeUpstream((_seen, response) => {
      response.writeHead(200, { 'content-type': 'audio/mpeg' }).end('sound')
    })
    await using gateway = await start({
      ...at({ first }),
      prices: { 'first/*': { characters: 15 } },
    })
    const speech = { model: 'first/tts', input: 'Grüße, 🗼!', voice: 'alloy' }
    await (await gateway.post('/v1/audio/speech', speech)).arrayBuffer()
    // 9 characters, one of them of two halves.
    await until(() => gateway.logged.some(({ message }) => message === 'request'))
    expect(await costs(gateway)).toEqual([
      { provider: 'first', costMicroUsd: 135, priceSource: 'sluice.yaml' },
    ])
  })

  test('of an image is charged by its size', async () => {
    await using first = await fakeUpstream((_seen, response) =>
      json(response, { created: 1, data: [{ b64_json: 'aGk=' }] }),
    )
    const images = [
      { size: '1024x1024', price: 0.04 },
      { size: '1792x1024', price: 0.08 },
    ]
    await using gateway = await start({ ...at({ first }), prices: { 'first/*': { images } } })
    const asked = { model: 'first/m', prompt: 'A tower', size: '1792x1024' }
    const response = await gateway.post('/v1/images/generations', asked)
    expect(response.headers.get('x-sluice-cost')).toBe('0.080000')
  })
})

describe('the cost of a stream', () => {
  // An upstream of OpenAI's type is asked for responses as such, which the stream of chat is no answer to.
  const everyPair = clientStreams.flatMap((client) =>
    upstreamStreams
      .filter(({ type }) => type !== 'openai' || client.name !== 'responses')
      .map((upstream) => [client.name, upstream.type, client, upstream] as const),
  )
  test.each(everyPair)(
    'of %s from an upstream of type %s is in the trailer',
    async (_client, type, client, { preamble, content, ending }) => {
      const events = [...preamble, ...content, ...ending]
      await using first = await fakeUpstream((_seen, response) => sse(response, events))
      const providers = { first: { type, baseUrl: first.url, key: 'key' } }
      await using gateway = await start({ providers, prices })
      const { trailers, text } = await streamed(gateway, { te: 'trailers' }, client)
      expect([trailers, client.isWhole(text)]).toEqual([{ 'x-sluice-cost': '0.000044' }, true])
      expect(await costs(gateway)).toMatchObject([{ costMicroUsd: 44 }])
    },
  )

  test('is reported as unknown in the trailer when the target has no price', async () => {
    await using first = await fakeUpstream(streams)
    await using gateway = await start({ ...at({ first }), prices: {} })
    const { trailers } = await streamed(gateway, { te: 'trailers' })
    expect(trailers).toEqual({ 'x-sluice-cost-unknown': 'true' })
  })

  test('is sent in the trailer when the request has te: trailers', async () => {
    await using first = await fakeUpstream(streams)
    await using gateway = await start({ ...at({ first }), prices })
    const { trailers, announced, text } = await streamed(gateway, { te: 'trailers' })
    expect(announced).toBe('x-sluice-cost, x-sluice-cost-unknown')
    expect(trailers).toEqual({ 'x-sluice-cost': '0.000044' })
    expect(text).toMatch(/data: \[DONE\]\n\n$/)
  })

  test('is not sent as a trailer without te: trailers', async () => {
    await using first = await fakeUpstream(streams)
    await using gateway = await start({ ...at({ first }), prices })
    const { trailers, announced } = await streamed(gateway, {})
    expect([trailers, announced]).toEqual([{}, undefined])
    expect((await lastLine(gateway)).fields).toMatchObject({ costUsd: 0.000044 })
  })
})
