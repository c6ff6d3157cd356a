import { wavHeader } from '../../contract/src/wire/wav.ts'
import type { OperationContext } from '../src/engine.ts'
import { WorkerPool } from '../src/workers/pool.ts'

const sampleRate = 16_000

/** A stretch of sound as samples from -1 to 1. */
export type Sound = readonly number[]

export function sine(hz: number, seconds: number, level = 0.5): Sound {
  return made(seconds, (t) => level * Math.sin(2 * Math.PI * hz * t))
}

export function sweep(fromHz: number, toHz: number, seconds: number): Sound {
  const rate = Math.log(toHz / fromHz) / seconds
  return made(
    seconds,
    (t) => 0.5 * Math.sin((2 * Math.PI * fromHz * (Math.exp(rate * t) - 1)) / rate),
  )
}

export function square(hz: number, seconds: number): Sound {
  return made(seconds, (t) => (Math.sin(2 * Math.PI * hz * t) >= 0 ? 0.3 : -0.3))
}

/** Noise that is the same every time. */
export function noise(seconds: number, level = 0.3): Sound {
  let state = 12345
  return made(seconds, () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return level * (state / 2 ** 31 - 1)
  })
}

export function silence(seconds: number): Sound {
  return made(seconds, () => 0)
}

/** Plucked strings: partials that fade, several at once. */
export function chord(hz: readonly number[], seconds: number): Sound {
  return made(seconds, (t) =>
    hz.reduce(
      (sum, base) =>
        sum +
        [1, 2, 3, 4].reduce(
          (s, k) => s + (0.1 / k) * Math.exp(-t * k * 0.8) * Math.sin(2 * Math.PI * base * k * t),
          0,
        ),
      0,
    ),
  )
}

function made(seconds: number, at: (t: number) => number): Sound {
  return Array.from({ length: Math.round(seconds * sampleRate) }, (_, i) => at(i / sampleRate))
}

/** A WAV file of sounds one after the other. */
export function wavOf(...sounds: readonly Sound[]): Uint8Array {
  const samples = sounds.flat()
  const bytes = new Uint8Array(44 + samples.length * 2)
  bytes.set(wavHeader(samples.length * 2, sampleRate))
  const view = new DataView(bytes.buffer)
  for (const [i, value] of samples.entries())
    view.setInt16(44 + i * 2, Math.round(value * 0x7fff), true)
  return bytes
}

/** The world of the engine, as far as these operations use it; closes its workers at the end. */
export function openContext(): OperationContext & AsyncDisposable {
  let workers: WorkerPool | undefined
  return {
    model: 'test-model',
    key: 'key_1',
    signal: new AbortController().signal,
    get workers() {
      workers ??= new WorkerPool()
      return workers
    },
    async fetchMedia(url, { param }) {
      const data = /^data:([^;,]*);base64,(.*)$/.exec(url)
      if (data === null) throw new Error(`${param} is no data URL`)
      return { bytes: Buffer.from(data[2] ?? '', 'base64'), contentType: data[1] }
    },
    publish: () => '',
    now: () => 0,
    newId: (prefix) => `${prefix}1`,
    random: () => 0.5,
    async [Symbol.asyncDispose]() {
      await workers?.[Symbol.asyncDispose]()
    },
  }
}
