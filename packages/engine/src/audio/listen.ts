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
  const levels = createLevelMeter(sampleRate)
  const waves = createWaveMeter(sampleRate)
  let samples = 0
  let squares = 0
  return {
    sampleRate,
    get samples() {
      return samples
    },
    listen(block: SoundBlock): void {
      for (const given of block.samples) {
        const value = sane(given)
        squares += value * value
        levels.add(value)
        waves.add(value)
      }
      samples += block.samples.length
    },
    finish(): Measurements {
      const level = decibels(squares / Math.max(1, samples))
      return {
        sampleRate,
        channels,
        samples,
        level,
        levels: levels.finish(),
        waves: waves.finish(),
      }
    },
  }
}

function createLevelMeter(sampleRate: number) {
  const levels: number[] = []
  let samples = 0
  let sum = 0
  let squares = 0
  let summed = 0
  const end = (): void => {
    // A constant offset is no sound, so the spread around the mean is what counts.
    levels.push(decibels(Math.max(0, squares / summed - (sum / summed) ** 2)))
    sum = 0
    squares = 0
    summed = 0
  }
  return {
    add(value: number): void {
      samples++
      sum += value
      squares += value * value
      summed++
      if (samples * levelsPerSecond >= (levels.length + 1) * sampleRate) end()
    },
    finish(): readonly number[] {
      if (summed > 0) end()
      return levels
    },
  }
}

function createWaveMeter(sampleRate: number) {
  const waves: Wave[] = []
  const share = (2 * Math.PI * offsetHz) / sampleRate
  let samples = 0
  let offset = 0
  let before = 0
  /** Where the wave last rose through zero, in samples; -1 before it did within this wave. */
  let risen = -1
  let periods = 0
  let sum = 0
  let squares = 0
  const end = (): void => {
    const mean = sum / Math.max(1, periods)
    const spread = Math.sqrt(Math.max(0, squares / Math.max(1, periods) - mean * mean))
    waves.push({ seconds: sum / sampleRate, periods, unevenness: spread / Math.max(1e-9, mean) })
    risen = -1
    periods = 0
    sum = 0
    squares = 0
  }
  const rise = (at: number): void => {
    const period = at - risen
    if (risen >= 0) {
      periods++
      sum += period
      squares += period * period
    }
    risen = at
  }
  return {
    add(value: number): void {
      offset += (value - offset) * share
      const height = value - offset
      if (before < 0 && height >= 0) rise(samples - height / (height - before))
      before = height
      samples++
      if (samples * wavesPerSecond >= (waves.length + 1) * sampleRate) end()
    },
    finish(): readonly Wave[] {
      end()
      return waves
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
