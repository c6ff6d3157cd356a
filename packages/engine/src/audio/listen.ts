import { createColumn } from './columns.ts'
import type { SoundBlock } from './decode.ts'
import { createSpectrumAnalyser, type Spectrum } from './spectrum.ts'

/** Loudness is measured for every hundredth of a second. */
export const levelsPerSecond = 100
/** The spectrum is looked at fifty times a second. */
export const framesPerSecond = 50
/** Quieter than this is silence, dBFS. */
export const silenceDb = -60

/** A recording in measurements: some 2 kB per second, whatever its sample rate. */
export interface Measurements {
  readonly sampleRate: number
  readonly samples: number
  /** dBFS per hundredth of a second (root mean square), -120 at least. */
  readonly levels: Float32Array
  /** One value per fiftieth of a second, as in Spectrum; zeros where it is silent. */
  readonly peakHz: Float32Array
  readonly peakShare: Float32Array
  readonly flatness: Float32Array
  readonly centroidHz: Float32Array
  readonly pitchHz: Float32Array
  readonly periodicity: Float32Array
  readonly persistence: Float32Array
}

/** Takes blocks of one sample rate as they come and measures them. */
export function createListener(sampleRate: number) {
  const levels = createLevelMeter(sampleRate)
  const frames = createFrameMeter(sampleRate)
  let samples = 0
  return {
    sampleRate,
    get samples() {
      return samples
    },
    listen(block: SoundBlock): void {
      for (const value of block.samples) {
        const finite = sane(value)
        const power = levels.add(finite)
        frames.add(finite, power)
      }
      samples += block.samples.length
    },
    finish(): Measurements {
      return { sampleRate, samples, levels: levels.finish(), ...frames.finish(samples) }
    },
  }
}

function createLevelMeter(sampleRate: number) {
  const levels = createColumn()
  let samples = 0
  let sum = 0
  let squares = 0
  let summed = 0

  /** A constant offset is no sound, so the spread around the mean is what counts. */
  function endLevel(): number {
    const power = Math.max(0, squares / summed - (sum / summed) ** 2)
    levels.push(decibels(power))
    sum = 0
    squares = 0
    summed = 0
    return power
  }

  return {
    /** Returns the power of the hundredth of a second that this sample completes, else 0. */
    add(value: number): number {
      samples++
      sum += value
      squares += value * value
      summed++
      return samples * levelsPerSecond >= (levels.length + 1) * sampleRate ? endLevel() : 0
    },
    finish(): Float32Array {
      if (summed > 0) endLevel()
      return levels.values()
    },
  }
}

function createFrameMeter(sampleRate: number) {
  const size = 2 ** Math.max(6, Math.round(Math.log2(sampleRate * 0.04)))
  const analyse = createSpectrumAnalyser(size, sampleRate)
  const columns = {
    peakHz: createColumn(),
    peakShare: createColumn(),
    flatness: createColumn(),
    centroidHz: createColumn(),
    pitchHz: createColumn(),
    periodicity: createColumn(),
    persistence: createColumn(),
  }
  const recent = new Float32Array(size * 2)
  const window = new Float32Array(size)
  let samples = 0
  let loudest = 0

  function add(value: number, power: number): void {
    recent[samples % recent.length] = value
    samples++
    loudest = Math.max(loudest, power)
    // A frame's window is centred on the frame, so it can be looked at half a window later.
    const centre = ((columns.peakHz.length + 0.5) * sampleRate) / framesPerSecond
    if (samples >= centre + size / 2) endFrame()
  }

  function endFrame(): void {
    const spectrum = decibels(loudest) < silenceDb ? noSpectrum : analyse(latest())
    columns.peakHz.push(spectrum.peakHz)
    columns.peakShare.push(spectrum.peakShare)
    columns.flatness.push(spectrum.flatness)
    columns.centroidHz.push(spectrum.centroidHz)
    columns.pitchHz.push(spectrum.pitchHz)
    columns.periodicity.push(spectrum.periodicity)
    columns.persistence.push(spectrum.persistence)
    loudest *= 0.5
  }

  function latest(): Float32Array {
    for (let i = 0; i < size; i++) {
      const at = samples - size + i
      window[i] = at < 0 ? 0 : (recent[at % recent.length] ?? 0)
    }
    return window
  }

  return {
    add,
    finish(heard: number) {
      const frames = Math.ceil((heard / sampleRate) * framesPerSecond)
      while (columns.peakHz.length < frames) add(0, 0)
      return {
        peakHz: columns.peakHz.values(),
        peakShare: columns.peakShare.values(),
        flatness: columns.flatness.values(),
        centroidHz: columns.centroidHz.values(),
        pitchHz: columns.pitchHz.values(),
        periodicity: columns.periodicity.values(),
        persistence: columns.persistence.values(),
      }
    },
  }
}

const noSpectrum: Spectrum = {
  peakHz: 0,
  peakShare: 0,
  flatness: 0,
  centroidHz: 0,
  pitchHz: 0,
  periodicity: 0,
  persistence: 0,
}

function decibels(power: number): number {
  return 10 * Math.log10(power + 1e-12)
}

/** Float files may hold anything. */
function sane(value: number): number {
  return Number.isFinite(value) ? Math.max(-16, Math.min(16, value)) : 0
}
