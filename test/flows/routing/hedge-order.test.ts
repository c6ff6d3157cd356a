// Hedging: which targets are called, in which order and how often, and how the loser ends.
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { type Answering, fakeUpstream, json, sse } from '../../support/fakes/fake-upstream.ts'
import { textStream } from '../../support/fakes/openai-wire.ts'
import { held } from '../../support/fakes/paused-package.ts'
import {
  begun,
  type Expected,
  expectOrder,
  onceAsked,
  silent,
  stage,
} from '../../support/fakes/scripted-targets.ts'
import { videoTask } from '../../support/gateways/two-keys.ts'
import { expectNumbered, expectRecordsMatch, ledger } from '../../support/ledger.ts'
import { ask, at, error, good } from '../../support/routes.ts'
import { start, until } from '../../support/start.ts'

const errorFrame: Answering = (_seen, response) =>
  sse(response, [{ error: { message: 'overloaded', type: 'server_error' } }])

describe('order of a hedge', () => {
  const at20 = { hedge: { enabled: true, delayMs: 20 } }
  const never = { hedge: { enabled: true, delayMs: 60_000 } }
  const stream = { stream: true }

  test.each<[string, Expected]>([
    [
      'both fail: the third target is called, and none twice',
      {
        script: () => ({ first: [error(500)], second: [error(500)], third: [good] }),
        options: never,
        status: 200,
        by: 'third',
        asked: ['first', 'second', 'third'],
        records: ['first chat failed', 'second chat failed', 'third chat completed 7+3'],
      },
    ],
    [
      'all fail: each is called once',
      {
        script: () => ({ first: [error(500)], second: [error(500)], third: [error(503)] }),
        options: never,
        status: 503,
        asked: ['first', 'second', 'third'],
        records: ['first chat failed', 'second chat failed', 'third chat failed'],
      },
    ],
    [
      'the first one’s retries come before the second',
      {
        script: () => ({ first: [error(500), error(500)], second: [good] }),
        options: { ...never, retries: { attempts: 2, baseMs: 1, maxMs: 5 } },
        status: 200,
        by: 'second',
        asked: ['first', 'first', 'second'],
        records: ['first chat failed', 'first chat failed', 'second chat completed 7+3'],
      },
    ],
    [
      'the first answers 400: no other target is called',
      {
        script: () => ({ first: [error(422)], second: [good], third: [good] }),
        options: never,
        status: 422,
        asked: ['first'],
        records: ['first chat failed'],
      },
    ],
    [
      'the second fails and the first still answers',
      {
        script: (asked) => ({
          first: [onceAsked(() => asked.length === 2, good)],
          second: [error(500)],
        }),
        options: at20,
        status: 200,
        by: 'first',
        asked: ['first', 'second'],
        records: ['first chat completed 7+3', 'second chat failed'],
      },
    ],
    [
      'the second answers and the first is canceled',
      {
        script: () => ({ first: [silent], second: [good] }),
        options: at20,
        status: 200,
        by: 'second',
        asked: ['first', 'second'],
        records: ['first chat cancelled', 'second chat completed 7+3'],
      },
    ],
    [
      'streams: an error event does not win, the first target does',
      {
        script: (asked) => ({
          first: [
            onceAsked(
              () => asked.length === 2,
              (_seen, response) => sse(response, textStream),
            ),
          ],
          second: [errorFrame],
        }),
        options: at20,
        body: stream,
        status: 200,
        by: 'first',
        asked: ['first', 'second'],
        records: ['first chat completed 7+3', 'second chat failed'],
      },
    ],
    [
      'streams: the second sends content first and the first is canceled',
      {
        script: () => ({
          first: [begun],
          second: [(_seen, response) => sse(response, textStream)],
        }),
        options: at20,
        body: stream,
        status: 200,
        by: 'second',
        asked: ['first', 'second'],
        records: ['first chat cancelled', 'second chat completed 7+3'],
      },
    ],
  ])('%s', (_name, expected) => expectOrder(expected))

  const mistakes = [
    ['is silent', silent, {}],
    ['has sent no content yet', begun, stream],
  ] as const
  const secondRefuses = (first: Answering) =>
    stage(() => ({ first: [first], second: [error(400)], third: [good] }), at20)

  test.each(mistakes)(
    'a 400 from the second target ends the hedge and cancels the first, which %s',
    async (_name, answering, body) => {
      await using staged = await secondRefuses(answering)
      const { gateway, upstreams, asked } = staged
      const response = await gateway.post('/v1/chat/completions', { model: 'm', ...ask, ...body })
      expect(response.status).toBe(400)
      await until(() => upstreams.first.seen[0]?.closedAt)
      expect(asked).toEqual(['first', 'second'])
      expect((await ledger(gateway)).map(({ provider }) => provider).toSorted()).toEqual([
        'first',
        'second',
      ])
      await expectNumbered(gateway)
    },
  )

  test.each(mistakes)(
    'the canceled first target is recorded as cancelled, not as failed: it %s',
    async (_name, answering, body) => {
      await using staged = await secondRefuses(answering)
      const { gateway, upstreams } = staged
      await gateway.post('/v1/chat/completions', { model: 'm', ...ask, ...body })
      await until(() => upstreams.first.seen[0]?.closedAt)
      await expectRecordsMatch(gateway, upstreams, ['first chat cancelled', 'second chat failed'])
    },
  )

  test('creating a video is never hedged, since a second job would be paid for', async () => {
    const asked: string[] = []
    const late: Answering = async (_seen, response) => {
      asked.push('first')
      // Longer than the delay of the hedge.
      await new Promise((resolve) => setTimeout(resolve, 60))
      return asked.length > 1 ? error(500)(_seen, response) : json(response, videoTask('v1'))
    }
    await using first = await fakeUpstream(late)
    await using second = await fakeUpstream((_seen, response) => {
      asked.push('second')
      json(response, videoTask('v2'))
    })
    const targets = [{ target: 'first/sora' }, { target: 'second/sora', priority: 1 }]
    const models = { clips: { targets, hedge: { enabled: true, delayMs: 1 } } }
    await using gateway = await start(at({ first, second }, { models }))
    const made = await gateway.post('/v1/videos', { model: 'clips', prompt: 'A sun rises' })
    expect(made.status).toBe(200)
    expect(asked).toEqual(['first'])
  })

  test('both legs are recorded when both answer at the same moment', async () => {
    const file = join(import.meta.dirname, '../../support/fakes/paused-package.ts')
    const engine = { type: 'ai-sdk' as const, package: file, key: 'k' }
    await using gateway = await start({
      providers: { one: engine, two: engine },
      models: {
        m: {
          targets: [{ target: 'one/m' }],
          fallback: ['two/m'],
          hedge: { enabled: true, delayMs: 1 },
        },
      },
    })
    const answer = gateway.post('/v1/chat/completions', { model: 'm', ...ask })
    await until(() => held.count === 2)
    held.release()
    const response = await answer
    expect(response.status).toBe(200)
    const won = response.headers.get('x-sluice-provider')
    await expectRecordsMatch(gateway, {}, [
      `${won} chat completed 7+3`,
      `${won === 'one' ? 'two' : 'one'} chat completed 7+3`,
    ])
  })
})
