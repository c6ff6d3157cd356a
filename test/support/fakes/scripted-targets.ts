/** Three targets that respond by a script, for tests of the order in which targets are called. */
import { expect } from 'vitest'
import { expectRecordsMatch } from '../ledger.ts'
import { ask, at, error } from '../routes.ts'
import { type Started, start, until } from '../start.ts'
import { type Answering, type FakeUpstream, fakeUpstream, sse } from './fake-upstream.ts'
import { chunk } from './openai-wire.ts'

/** Never responds. */
export const silent: Answering = () => {}
/** Sends a first chunk without content, and then nothing more. */
export const begun: Answering = (_seen, response) =>
  sse(response, [chunk({ role: 'assistant', content: '' })], { end: false })
/** Waits until a condition holds, such as that another upstream was called, before it responds. */
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
  /** The called targets, in order. */
  readonly asked: readonly Name[]
}

/**
 * Three targets that respond by their scripts; a target called more often than its script has entries responds with status
 * 599.
 */
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

/** The targets' scripts, and the expected result. */
export interface Expected {
  readonly script: (asked: readonly Name[]) => Partial<Script>
  readonly options?: object
  readonly body?: object
  readonly status: number
  readonly by?: Name
  readonly asked: readonly Name[]
  readonly records: readonly string[]
}

/** Makes one call, and checks the order of the called targets, the response and the records. */
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
  // No target is called in the background either.
  expect(asked).toEqual(expected.asked)
}
