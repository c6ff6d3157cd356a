/** Three targets that answer by a script, for tests of who is asked when. */
import { expect } from 'vitest'
import { type Answering, type FakeUpstream, fakeUpstream, sse } from './fake-upstream.ts'
import { expectRecordsMatch } from './ledger.ts'
import { chunk } from './openai-wire.ts'
import { ask, at, error } from './routes.ts'
import { type Started, start, until } from './start.ts'

/** Never answers. */
export const silent: Answering = () => {}
/** Shows no content, and then nothing more. */
export const begun: Answering = (_seen, response) =>
  sse(response, [chunk({ role: 'assistant', content: '' })], { end: false })
/** Says nothing until another upstream has been asked. */
export const onceAsked =
  (isAsked: () => boolean, answering: Answering): Answering =>
  async (...exchange) => {
    await until(isAsked)
    return answering(...exchange)
  }

const names = ['first', 'second', 'third'] as const
type Name = (typeof names)[number]
type Script = Readonly<Record<Name, readonly Answering[]>>

interface Stage extends AsyncDisposable {
  readonly gateway: Started
  readonly upstreams: Readonly<Record<Name, FakeUpstream>>
  /** Who was asked, in order. */
  readonly asked: readonly Name[]
}

/** Three targets that answer by their scripts; one that is asked more often is out of its text and says 599. */
export async function stage(
  script: (asked: readonly Name[]) => Partial<Script>,
  options: object,
): Promise<Stage> {
  const asked: Name[] = []
  const scripts = script(asked)
  const open = async (name: Name) => {
    let turn = 0
    return fakeUpstream((...exchange) => {
      asked.push(name)
      const answering = scripts[name]?.[turn] ?? error(599)
      turn += 1
      return answering(...exchange)
    })
  }
  const [first, second, third] = await Promise.all([open('first'), open('second'), open('third')])
  const upstreams = { first, second, third }
  const gateway = await start(
    at(upstreams, {
      models: {
        m: {
          targets: [{ target: 'first/m' }],
          fallback: ['second/m', 'third/m'],
          retries: { attempts: 1, baseMs: 1, maxMs: 5 },
          ...options,
        },
      },
    }),
  )
  return {
    gateway,
    upstreams,
    asked,
    async [Symbol.asyncDispose]() {
      await gateway[Symbol.asyncDispose]()
      for (const upstream of Object.values(upstreams)) await upstream[Symbol.asyncDispose]()
    },
  }
}

/** What the targets say, and what is to come of it. */
export interface Expected {
  readonly script: (asked: readonly Name[]) => Partial<Script>
  readonly options?: object
  readonly body?: object
  readonly status: number
  readonly by?: Name
  readonly asked: readonly Name[]
  readonly records: readonly string[]
}

/** Makes the one call, and checks who was asked in which order, the answer and the records. */
export async function expectOrder({ script, options = {}, body = {}, ...expected }: Expected) {
  await using staged = await stage(script, options)
  const { gateway, upstreams, asked } = staged
  const response = await gateway.post('/v1/chat/completions', { model: 'm', ...ask, ...body })
  const text = await response.text()
  expect({ status: response.status, text }).toEqual({ status: expected.status, text })
  if (expected.by) expect(response.headers.get('x-sluice-provider')).toBe(expected.by)
  expect(response.headers.get('x-sluice-attempts')).toBe(String(expected.asked.length))
  expect(asked).toEqual(expected.asked)
  await expectRecordsMatch(gateway, upstreams, expected.records)
  // Nobody is asked behind the caller's back either.
  expect(asked).toEqual(expected.asked)
}
