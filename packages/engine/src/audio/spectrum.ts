import FFT from 'fft.js'

/** What one window of sound looks like. */
export interface Spectrum {
  /** Frequency of the strongest partial, Hz. */
  readonly peakHz: number
  /** Share of the energy that lies in the strongest partial, 0 to 1: near 1 for a pure tone. */
  readonly peakShare: number
  /** Spectral flatness averaged over octaves, 0 to 1: about 0.55 for noise of any colour, near 0 for partials. */
  readonly flatness: number
  /** Centre of gravity of the spectrum, Hz. */
  readonly centroidHz: number
  /** Fundamental frequency of the periodic part, Hz; 0 where nothing repeats. */
  readonly pitchHz: number
  /** How well the wave repeats after one period, 0 to 1. */
  readonly periodicity: number
  /** Likeness of the spectrum's shape to the one before, 0 to 1. */
  readonly persistence: number
}

const pitchHzMin = 60
const pitchHzMax = 1000
const pitchBandHz = 3000
/** The spectrum's shape is compared in this many bands per octave. */
const bandsPerOctave = 12
const bandHzMin = 80

/** Looks at windows of `size` samples (a power of two), one after the other. */
export function createSpectrumAnalyser(size: number, sampleRate: number) {
  const powerSpectrum = createPowerSpectrum(size)
  const padded = new Float64Array(size * 2)
  const power = new Float64Array(size)
  const hann = Float64Array.from({ length: size }, (_, i) => {
    return 0.5 - 0.5 * Math.cos((2 * Math.PI * (i + 0.5)) / size)
  })
  powerSpectrum(withZeros(hann), power)
  const findPitch = createPitchFinder(power.slice(), sampleRate)
  const bands = bandEdges(size, sampleRate)
  let before: Float64Array = new Float64Array(bands.length)

  return (window: Float32Array): Spectrum => {
    load(window)
    powerSpectrum(padded, power)
    const peak = strongestPartial(power, sampleRate)
    const shape = bandShape(power, bands)
    const persistence = likeness(shape, before)
    before = shape
    const { pitchHz, periodicity } = findPitch(power)
    return {
      ...peak,
      flatness: octaveFlatness(power, sampleRate),
      centroidHz: centroid(power, sampleRate),
      pitchHz,
      periodicity,
      persistence,
    }
  }

  function load(window: Float32Array): void {
    let mean = 0
    for (const value of window) mean += value / size
    for (let i = 0; i < size; i++) padded[i] = ((window[i] ?? 0) - mean) * (hann[i] ?? 0)
  }
}

function withZeros(window: Float64Array): Float64Array {
  const padded = new Float64Array(window.length * 2)
  padded.set(window)
  return padded
}

/** Prepares the power spectrum of `size` * 2 real samples: `size` bins from 0 Hz up. */
export function createPowerSpectrum(size: number) {
  const fft = new FFT(size * 2)
  const transformed = fft.createComplexArray()
  return (samples: Float64Array, power: Float64Array): void => {
    fft.realTransform(transformed, samples)
    for (let bin = 0; bin < size; bin++)
      power[bin] = (transformed[2 * bin] ?? 0) ** 2 + (transformed[2 * bin + 1] ?? 0) ** 2
  }
}

/**
 * Finds the period in the autocorrelation, which is the transform of the power spectrum; that of the window alone is
 * divided out (Boersma 1993). Partials above `pitchBandHz` say nothing more about the pitch and are left out.
 */
function createPitchFinder(windowPower: Float64Array, sampleRate: number) {
  const hzPerBin = sampleRate / (2 * windowPower.length)
  const bins = 2 ** Math.ceil(Math.log2(Math.min(windowPower.length, pitchBandHz / hzPerBin)))
  const fft = new FFT(bins * 2)
  const samples = new Float64Array(bins * 2)
  const transformed = fft.createComplexArray()
  const lagsPerSecond = bins * 2 * hzPerBin
  const lagMin = Math.max(2, Math.floor(lagsPerSecond / pitchHzMax))
  const lagMax = Math.min(Math.floor(bins * 0.6), Math.ceil(lagsPerSecond / pitchHzMin))
  correlate(windowPower)
  // The samples are symmetric, so their transform has real parts only: every other number.
  const real = (lag: number): number => transformed[2 * lag] ?? 0
  const windowWhole = real(0)
  const ownOfWindow = Float64Array.from({ length: bins }, (_, lag) =>
    Math.max(0.05, real(lag) / windowWhole),
  )

  function correlate(power: Float64Array): void {
    samples[bins] = 0
    for (let i = 0; i < bins; i++) {
      samples[i] = power[i] ?? 0
      if (i > 0) samples[2 * bins - i] = power[i] ?? 0
    }
    fft.realTransform(transformed, samples)
  }

  return (power: Float64Array): { pitchHz: number; periodicity: number } => {
    correlate(power)
    const whole = real(0)
    if (whole <= 0) return { pitchHz: 0, periodicity: 0 }
    const repeat = (lag: number): number => real(lag) / whole / (ownOfWindow[lag] ?? 1)
    return bestLag(repeat, { lagMin, lagMax, lagsPerSecond })
  }
}

interface LagRange {
  readonly lagMin: number
  readonly lagMax: number
  readonly lagsPerSecond: number
}

function bestLag(
  repeat: (lag: number) => number,
  { lagMin, lagMax, lagsPerSecond }: LagRange,
): { pitchHz: number; periodicity: number } {
  let best = 0
  let lag = 0
  // The slope from lag zero belongs to no period: begin behind the first dip.
  let at = lagMin
  while (at < lagMax && repeat(at) > repeat(at + 1)) at++
  for (; at < lagMax; at++) {
    const value = repeat(at)
    if (value < repeat(at - 1) || value < repeat(at + 1)) continue
    // A longer period must be clearly better: twice a period repeats as well as the period itself.
    if (value > best + 0.05) {
      best = value
      lag = at
    }
  }
  if (lag === 0) return { pitchHz: 0, periodicity: 0 }
  const shift = vertex(repeat(lag - 1), repeat(lag), repeat(lag + 1))
  return { pitchHz: lagsPerSecond / (lag + shift), periodicity: Math.min(1, Math.max(0, best)) }
}

/** Where the parabola through three neighbours has its top, relative to the middle one. */
function vertex(left: number, middle: number, right: number): number {
  const bend = left - 2 * middle + right
  return bend === 0 ? 0 : Math.max(-0.5, Math.min(0.5, (0.5 * (left - right)) / bend))
}

function strongestPartial(power: Float64Array, sampleRate: number) {
  let top = 1
  let total = 1e-12
  for (let i = 1; i < power.length; i++) {
    const value = power[i] ?? 0
    total += value
    if (value > (power[top] ?? 0)) top = i
  }
  // The lobe of a zero-padded Hann window is eight bins wide.
  let lobe = 0
  for (let i = Math.max(1, top - 5); i <= Math.min(power.length - 1, top + 5); i++)
    lobe += power[i] ?? 0
  const logOf = (i: number): number => Math.log((power[i] ?? 0) + 1e-12)
  const shift = vertex(logOf(top - 1), logOf(top), logOf(top + 1))
  const peakHz = ((top + shift) * sampleRate) / (2 * power.length)
  return { peakHz, peakShare: lobe / total }
}

function octaveFlatness(power: Float64Array, sampleRate: number): number {
  const hzPerBin = sampleRate / (2 * power.length)
  let sum = 0
  let weight = 0
  for (let low = 200; low * 2 <= Math.min(sampleRate / 2, 8000); low *= 2) {
    const from = Math.round(low / hzPerBin)
    const to = Math.round((low * 2) / hzPerBin)
    let logs = 0
    let mean = 1e-12
    for (let i = from; i < to; i++) {
      logs += Math.log((power[i] ?? 0) + 1e-12)
      mean += (power[i] ?? 0) / (to - from)
    }
    // Loud octaves count for more, quiet ones still for something.
    const share = Math.log10(1 + mean * 1e6)
    sum += share * (Math.exp(logs / (to - from)) / mean)
    weight += share
  }
  return weight === 0 ? 0 : Math.min(1, sum / weight)
}

function centroid(power: Float64Array, sampleRate: number): number {
  let weighted = 0
  let total = 1e-12
  for (let i = 1; i < power.length; i++) {
    weighted += i * (power[i] ?? 0)
    total += power[i] ?? 0
  }
  return ((weighted / total) * sampleRate) / (2 * power.length)
}

function bandEdges(size: number, sampleRate: number): readonly number[] {
  const hzPerBin = sampleRate / (2 * size)
  const edges: number[] = []
  const top = Math.min(8000, sampleRate / 2)
  for (let hz = bandHzMin; hz <= top; hz *= 2 ** (1 / bandsPerOctave)) {
    const bin = Math.round(hz / hzPerBin)
    if (bin !== edges.at(-1)) edges.push(bin)
  }
  return edges
}

/** Loudness per band, less their mean: the shape of the spectrum whatever the volume. */
function bandShape(power: Float64Array, edges: readonly number[]): Float64Array {
  const shape = new Float64Array(edges.length)
  let mean = 0
  for (let band = 0; band + 1 < edges.length; band++) {
    let energy = 1e-9
    for (let i = edges[band] ?? 0; i < (edges[band + 1] ?? 0); i++) energy += power[i] ?? 0
    shape[band] = Math.log(energy)
    mean += Math.log(energy) / (edges.length - 1)
  }
  for (let band = 0; band + 1 < edges.length; band++) shape[band] = (shape[band] ?? 0) - mean
  return shape
}

function likeness(a: Float64Array, b: Float64Array): number {
  let product = 0
  let squareA = 1e-12
  let squareB = 1e-12
  for (let i = 0; i < a.length; i++) {
    product += (a[i] ?? 0) * (b[i] ?? 0)
    squareA += (a[i] ?? 0) ** 2
    squareB += (b[i] ?? 0) ** 2
  }
  return Math.max(0, product / Math.sqrt(squareA * squareB))
}
