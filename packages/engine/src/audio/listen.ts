import type { SoundBlock } from './decode.ts'

/** The level is measured 100 times per second, the wave 20 times per second. */
export const levelsPerSecond = 100
export const wavesPerSecond = 20
/** Anything quieter than this is silence, in dBFS. */
export const silenceDb = -60
/** Anything slower than this is an offset and not sound, in Hz. */
const offsetHz = 20

/** How often the wave rose through zero within a twentieth of a second. */
export interface Wave {
  /** Seconds from the first rise to the last. */
  readonly seconds: number
  /** Number of periods between them. */
  readonly periods: number
  /** Variation of the periods: their standard deviation divided by their mean. */
  readonly unevenness: number
}

/** The measurements of a recording: about 2 kB per second, whatever its sampling rate. */
export interface Measurements {
  readonly sampleRate: number
  readonly channels: number
  readonly samples: number
  /** Level of the whole recording, in dBFS; at least -120, like each of the levels. */
  readonly level: number
  readonly levels: readonly number[]
  readonly waves: readonly Wave[]
}

/** Measures blocks of one sampling rate as they come. */
export function createListener({ sampleRate, channels }: SoundBlock) {
  const levels: number[] = []
  const waves: Wave[] = []
  const level = createSpread()
  const periods = createSpread()
  const offsetShare = (2 * Math.PI * offsetHz) / sampleRate
  let samples = 0
  let squares = 0
  let offset = 0
  let before = 0
  /** Where the wave last rose through zero, in samples; -1 if it has not done so within this twentieth of a second. */
  let risen = -1
  const endWave = (): void => {
    const { count, mean, deviation } = periods.take()
    const seconds = (count * mean) / sampleRate
    waves.push({ seconds, periods: count, unevenness: deviation / Math.max(1e-9, mean) })
    risen = -1
  }
  // A constant offset is not sound, so only the spread around the mean counts.
  const endLevel = (): number => levels.push(decibels(level.take().deviation ** 2))
  const hear = (value: number): void => {
    squares += value * value
    level.add(value)
    offset += (value - offset) * offsetShare
    const height = value - offset
    if (before < 0 && height >= 0) {
      const rise = samples - height / (height - before)
      if (risen >= 0) periods.add(rise - risen)
      risen = rise
    }
    before = height
    samples++
    if (samples * levelsPerSecond >= (levels.length + 1) * sampleRate) endLevel()
    if (samples * wavesPerSecond >= (waves.length + 1) * sampleRate) endWave()
  }
  return {
    sampleRate,
    get samples() {
      return samples
    },
    listen(block: SoundBlock): void {
      for (const value of block.samples) hear(sane(value))
    },
    finish(): Measurements {
      if (samples * levelsPerSecond > levels.length * sampleRate) endLevel()
      endWave()
      const all = decibels(squares / Math.max(1, samples))
      return { sampleRate, channels, samples, level: all, levels, waves }
    },
  }
}

/** Count, mean and standard deviation of the numbers since the last `take`. */
function createSpread() {
  let count = 0
  let sum = 0
  let squares = 0
  return {
    add(value: number): void {
      count++
      sum += value
      squares += value * value
    },
    take() {
      const mean = sum / Math.max(1, count)
      const deviation = Math.sqrt(Math.max(0, squares / Math.max(1, count) - mean * mean))
      const taken = { count, mean, deviation }
      count = sum = squares = 0
      return taken
    },
  }
}

function decibels(power: number): number {
  return 10 * Math.log10(power + 1e-12)
}

/** Float files may contain any values. */
function sane(value: number): number {
  return Number.isFinite(value) ? Math.max(-16, Math.min(16, value)) : 0
}
