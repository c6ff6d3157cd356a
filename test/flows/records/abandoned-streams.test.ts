// A caller that disconnects during a stream is charged by an estimate of what it received, marked as an estimate.
import { describe, expect, test } from 'vitest'
import { fakeUpstream, sse } from '../../support/fakes/fake-upstream.ts'
import { clientStreams, upstreamStreams } from '../../support/fakes/upstream-streams.ts'
import { noSuchAddress } from '../../support/gateways/two-keys.ts'
import { ledger } from '../../support/ledger.ts'
import { start, until } from '../../support/start.ts'

const words = Array.from({ length: 190 }, (_, index) => ['the ', 'cat ', 'sat '][index % 3]!)
const prompt = 'Tell me of cats and of mats. '.repeat(20)

/** As many events as there are words, each framed as the family does. */
const eventsOf = ([first = '']: readonly string[]) =>
  words.map((word) => first.replace('Hel', word))

describe.each(upstreamStreams)(
  'an abandoned stream from an upstream of type $type',
  ({ type, preamble, content }) => {
    test.each(clientStreams)('is charged by an estimate, read as $name', async (client) => {
      const events = [...preamble, ...eventsOf(content)].map((event) =>
        // Nothing of usage: that comes at the end, which never came.
        event.replace(/,"usage":\{[^}]*\}/, '').replace(/"usageMetadata":\{[^}]*\},/, ''),
      )
      await using upstream = await fakeUpstream((seen, response) =>
        seen.path.endsWith('/responses')
          ? noSuchAddress(response)
          : sse(response, events, { end: false }),
      )
      await using gateway = await start({
        providers: { up: { type, baseUrl: upstream.url, key: 'k' } },
      })
      const body = JSON.parse(
        JSON.stringify(client.body('up/m')).replace('"Hi"', JSON.stringify(prompt)),
      )
      const leaving = new AbortController()
      const answer = await gateway.post(client.path('up/m'), body, { signal: leaving.signal })
      const reader = answer.body!.pipeThrough(new TextDecoderStream()).getReader()
      let text = ''
      while (client.text(text).length < words.join('').length)
        text += (await reader.read()).value ?? ''
      leaving.abort()
      await until(() => upstream.seen.at(-1)?.isOver)
      const records = await ledger(gateway)
      const record = records.find(({ outcome }) => outcome === 'cancelled')
      expect(record).toMatchObject({ estimated: true, reported: false })
      // The words are a token each, and the prompt some 160.
      expect(record!.outputTokens).toBeGreaterThanOrEqual(180)
      expect(record!.outputTokens).toBeLessThan(230)
      expect(record!.inputTokens).toBeGreaterThan(120)
      expect(record!.inputTokens).toBeLessThan(220)
    })
  },
)

test('uses the reported usage of a complete answer, and estimates the prompt when no content arrived', async () => {
  await using upstream = await fakeUpstream((_seen, response) => sse(response, [], { end: false }))
  const [chat] = clientStreams
  const openai = upstreamStreams[0]!
  await using gateway = await start({
    providers: { up: { type: 'openai', baseUrl: upstream.url, key: 'k' } },
  })
  const leaving = new AbortController()
  const pending = gateway.post(chat!.path('up/m'), chat!.body('up/m'), { signal: leaving.signal })
  await until(() => upstream.seen.length === 1)
  leaving.abort()
  await pending.catch(() => {})
  await until(() => upstream.seen[0]?.isOver)
  upstream.answer((_seen, response) =>
    sse(response, [...openai.preamble, ...openai.content, ...openai.ending]),
  )
  await (await gateway.post(chat!.path('up/m'), chat!.body('up/m'))).text()
  const records = await ledger(gateway)
  expect(records.map(({ outcome, estimated }) => [outcome, estimated])).toEqual([
    ['completed', undefined],
    ['cancelled', true],
  ])
  expect(records[1]).toMatchObject({ outputTokens: 0, reported: false })
  expect(records[1]!.inputTokens).toBeGreaterThan(0)
  expect(records[1]!.inputTokens).toBeLessThan(20)
})

test('estimates images and audio in the prompt when the upstream reported no usage', async () => {
  const openai = upstreamStreams[0]!
  await using upstream = await fakeUpstream((_seen, response) =>
    sse(response, [...openai.preamble, ...openai.content], { end: false }),
  )
  await using gateway = await start({
    providers: { up: { type: 'openai', baseUrl: upstream.url, key: 'k' } },
  })
  const image_url = { url: `data:image/png;base64,${'aGkh'.repeat(75_000)}` }
  const input_audio = { data: 'aGkh'.repeat(5_000), format: 'mp3' }
  const content = [
    { type: 'text', text: 'What is this?' },
    { type: 'image_url', image_url },
    { type: 'input_audio', input_audio },
  ]
  const leaving = new AbortController()
  const body = { model: 'up/m', stream: true, messages: [{ role: 'user', content }] }
  const answer = await gateway.post('/v1/chat/completions', body, { signal: leaving.signal })
  await answer.body!.getReader().read()
  leaving.abort()
  await until(() => upstream.seen[0]?.isOver)
  const [record] = await ledger(gateway)
  expect(record).toMatchObject({ outcome: 'cancelled', estimated: true, reported: false })
  // 1,000 for the picture and 120 for four seconds of sound.
  expect(record!.inputTokens).toBeGreaterThan(1_100)
  expect(record!.inputTokens).toBeLessThan(1_200)
})
