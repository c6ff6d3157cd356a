/** The tasks that a client library performs in front of every upstream protocol, with the checks of the results. */
import { expect } from 'vitest'
import { baseUrlOf, type Target } from '../../agents/targets.ts'
import {
  type Answering,
  type FakeUpstream,
  fakeUpstream,
  json,
  type SeenRequest,
} from '../fakes/fake-upstream.ts'
import type { Script } from '../fakes/scripted-models.ts'
import { smallWeather, smallWeatherInput } from '../generated/weather.ts'
import { type Started, start } from '../start.ts'

/** How a library performs each task. */
export interface Library {
  readonly name: string
  /** The text of the response to one question. */
  plain(stage: Stage): Promise<string>
  /** The same, assembled from a stream. */
  streamed(stage: Stage): Promise<string>
  /** Runs `get_weather` and `now` until the model makes no more calls; returns the arguments of the calls. */
  loop(stage: Stage): Promise<{ readonly text: string; readonly called: readonly unknown[] }>
  /** An object with one text field, `place`. */
  object(stage: Stage): Promise<unknown>
  /** Asks about an image. */
  picture(stage: Stage, base64: string): Promise<string>
  /** The status of the library's own error. */
  statusOf(error: unknown): unknown
}

export interface Stage extends AsyncDisposable {
  readonly gateway: Started
  readonly upstream: FakeUpstream
  /** The name that a caller uses. */
  readonly model: string
}

/** A gateway in front of one of the upstreams of the agent tests, whose model follows a script. */
async function inFront(target: Target, script: Script | Answering): Promise<Stage> {
  const { model, upstream: served } = target
  if (served === undefined) throw new Error(`${target.name} has no upstream`)
  const answering = script.length < 3 ? served.answering(script as Script) : (script as Answering)
  const upstream = await fakeUpstream(answering)
  const provider = { ...served.provider, baseUrl: baseUrlOf(target, upstream.url) }
  const gateway = await start({
    providers: { up: provider },
    defaults: { retries: { attempts: 1 } },
  })
  return {
    gateway,
    upstream,
    model: `up/${model}`,
    async [Symbol.asyncDispose]() {
      await gateway[Symbol.asyncDispose]()
      await upstream[Symbol.asyncDispose]()
    },
  }
}

const pixel =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='

const place = '{"place":"Zürich"}'
/** As text, or as a tool call if a library or a codec requests JSON in that way. */
const saysPlace: Script = (_rounds, [tool]) =>
  tool === undefined ? { text: place } : { calls: [[tool, place]] }
const saysNoon: Script = () => ({ text: 'It is noon 🕛.' })

const limited: Answering = (_seen, response, _request) =>
  json(
    response,
    { error: { type: 'rate_limit_error', message: 'Slow down' }, message: 'Slow down' },
    { status: 429 },
  )

type Check = (library: Library, target: Target) => Promise<void>

/** The checks of every library in front of every upstream. */
export const checks: Readonly<Record<string, Check>> = {
  async plain(library, target) {
    await using stage = await inFront(target, saysNoon)
    expect(await library.plain(stage)).toBe('It is noon 🕛.')
  },
  async streamed(library, target) {
    await using stage = await inFront(target, saysNoon)
    expect(await library.streamed(stage)).toBe('It is noon 🕛.')
  },
  async 'tool loop'(library, target) {
    await using stage = await inFront(target, smallWeather)
    const { text, called } = await library.loop(stage)
    expect(text).toBe('Zürich has 7°, and it is noon 🕛.')
    expect(called).toEqual([JSON.parse(smallWeatherInput), {}])
    // An upstream that may support Responses is asked about it once.
    const isAnswered = ({ path }: SeenRequest) =>
      target.speaks === 'openai-responses' || !path.endsWith('/responses')
    const answered = stage.upstream.seen.filter(isAnswered)
    expect(answered).toHaveLength(2)
    // The tool's result has reached the model.
    expect(answered[1]?.text).toContain('7°')
  },
  async 'JSON schema'(library, target) {
    await using stage = await inFront(target, saysPlace)
    expect(await library.object(stage)).toEqual({ place: 'Zürich' })
    expect(stage.upstream.seen[0]?.text).toContain('"place"')
  },
  async picture(library, target) {
    await using stage = await inFront(target, saysNoon)
    expect(await library.picture(stage, pixel)).toBe('It is noon 🕛.')
    expect(stage.upstream.seen[0]?.text).toContain(pixel)
  },
  async error(library, target) {
    await using stage = await inFront(target, limited)
    const failed: unknown = await library.plain(stage).catch((error: unknown) => error)
    expect(failed).toBeInstanceOf(Error)
    expect(library.statusOf(failed)).toBe(429)
  },
}
