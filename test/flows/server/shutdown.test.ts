// Calls that are still open when the gateway stops after its grace period.
import { describe, expect, test } from 'vitest'
import { type Answering, fakeUpstream, sse } from '../../support/fakes/fake-upstream.ts'
import { clientStreams, upstreamStreams } from '../../support/fakes/upstream-streams.ts'
import { noSuchAddress } from '../../support/gateways/two-keys.ts'
import { ledger } from '../../support/ledger.ts'
import { start, until } from '../../support/start.ts'

/** Begins an answer and never ends it. */
const endless =
  (events: readonly string[]): Answering =>
  (seen, response) =>
    seen.path.endsWith('/responses')
      ? noSuchAddress(response)
      : sse(response, events, { end: false })

describe.each(upstreamStreams)(
  'shutdown with an upstream of type $type',
  ({ type, preamble, content }) => {
    test.each(clientStreams)('ends a stream of $name with an error event', async (client) => {
      await using upstream = await fakeUpstream(endless([...preamble, ...content]))
      await using gateway = await start({
        providers: { up: { type, baseUrl: upstream.url, key: 'k' } },
      })
      const answer = await gateway.post(client.path('up/m'), client.body('up/m'))
      const reader = answer.body!.pipeThrough(new TextDecoderStream()).getReader()
      let text = ''
      while (client.text(text) !== 'Hello') text += (await reader.read()).value ?? ''
      gateway.endCalls()
      for (;;) {
        const { done, value } = await reader.read()
        if (done) break
        text += value
      }
      expect(client.isError(text), text).toBe(true)
      expect(client.isWhole(text)).toBe(false)
      expect(text).toContain('The gateway is stopping')
      await until(() => upstream.seen.at(-1)?.isOver)
      const records = await ledger(gateway)
      expect(records.filter(({ outcome }) => outcome !== 'failed')).toMatchObject([
        { outcome: 'incomplete' },
      ])
    })
  },
)

test.each(clientStreams)('shutdown answers a waiting call of $name with 503', async (client) => {
  await using upstream = await fakeUpstream(endless([]))
  await using spare = await fakeUpstream(endless([]))
  await using gateway = await start({
    providers: {
      up: { type: 'openai', baseUrl: upstream.url, key: 'k' },
      spare: { type: 'openai', baseUrl: spare.url, key: 'k' },
    },
    models: { m: { targets: [{ target: 'up/m' }], fallback: ['spare/m'] } },
  })
  const pending = gateway.post(client.path('m'), client.body('m'))
  await until(() => upstream.seen.some(({ path }) => !path.endsWith('/responses')))
  gateway.endCalls()
  const answer = await pending
  expect(answer.status).toBe(503)
  expect(answer.headers.get('retry-after')).toBe('1')
  expect(await answer.text()).toContain('The gateway is stopping')
  // Another target would be asked for nobody.
  expect(spare.seen).toEqual([])
})
