import type { SoundBlock } from './decode.ts'

/** Loudness is measured for every hundredth of a second, the wave for every twentieth. */
export const levelsPerSecond = 100
export const wavesPerSecond = 20
/** Quieter than this is silence, dBFS. */
export const silenceDb = -60
/** What moves more slowly is an offset and no sound. */
const offsetHz = 20

/** How often the wave rose through zero within a twentieth of a second. */
export interface Wave {
  /** Seconds from the first rise to the last. */
  readonly seconds: number
  /** Periods between them. */
  readonly periods: number
  /** How unequal the periods are: their standard deviation by their mean. */
  readonly unevenness: number
}

/** A recording in measurements: some 2 kB per second, whatever its sample rate. */
export interface Measurements {
  readonly sampleRate: number
  readonly channels: number
  readonly samples: number
  /** Of all of it, dBFS; -120 at least, as each of the levels is. */
  readonly level: number
  readonly levels: readonly number[]
  readonly waves: readonly Wave[]
}

/** Takes blocks of one sample rate as they come and measures them. */
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
  /** Where the wave last rose through zero, in samples; -1 before it did within this twentieth of a second. */
  let risen = -1
  const endWave = (): void => {
    const { count, mean, deviation } = periods.take()
    const seconds = (count * mean) / sampleRate
    waves.push({ seconds, periods: count, unevenness: deviation / Math.max(1e-9, mean) })
    risen = -1
  }
  // A constant offset is no sound, so the spread around the mean is what counts.
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

/** How many numbers there were, their mean and their standard deviation, until they are taken. */
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

/** Float files may hold anything. */
function sane(value: number): number {
  return Number.isFinite(value) ? Math.max(-16, Math.min(16, value)) : 0
}
