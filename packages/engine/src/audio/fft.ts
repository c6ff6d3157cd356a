/** A reusable in-place complex transform of one fixed size. */
export interface Fft {
  readonly size: number
  /** Transforms `real` and `imaginary` (each `size` long) forwards, without scaling. */
  transform(real: Float64Array, imaginary: Float64Array): void
}

/** Prepares the radix-2 Cooley-Tukey transform of `size` points, a power of two. */
export function createFft(size: number): Fft {
  const bits = Math.log2(size)
  if (!Number.isInteger(bits)) throw new RangeError(`${size} is not a power of two`)
  const cosines = new Float64Array(size / 2)
  const sines = new Float64Array(size / 2)
  for (let i = 0; i < size / 2; i++) {
    cosines[i] = Math.cos((2 * Math.PI * i) / size)
    sines[i] = -Math.sin((2 * Math.PI * i) / size)
  }
  const reversed = new Uint32Array(size)
  for (let i = 0; i < size; i++)
    reversed[i] = ((reversed[i >> 1] ?? 0) >> 1) | (i & 1 ? size >> 1 : 0)

  return {
    size,
    transform(real, imaginary) {
      reorder(real, imaginary, reversed)
      for (let half = 1; half < size; half *= 2)
        combine(real, imaginary, { half, step: size / (2 * half), cosines, sines })
    },
  }
}

/**
 * Prepares the power spectrum of `size` * 2 real samples: `size` bins from 0 Hz up.
 * Even and odd samples travel as real and imaginary parts of one transform of half the length.
 */
export function createPowerSpectrum(size: number) {
  const fft = createFft(size)
  const real = new Float64Array(size)
  const imaginary = new Float64Array(size)
  const turns = Float64Array.from({ length: size }, (_, k) => (Math.PI * k) / size)
  const cosines = turns.map(Math.cos)
  const sines = turns.map(Math.sin)
  return (samples: Float64Array, power: Float64Array): void => {
    for (let i = 0; i < size; i++) {
      real[i] = samples[2 * i] ?? 0
      imaginary[i] = samples[2 * i + 1] ?? 0
    }
    fft.transform(real, imaginary)
    for (let k = 0; k < size; k++) {
      const mirror = k === 0 ? 0 : size - k
      const evenReal = ((real[k] ?? 0) + (real[mirror] ?? 0)) / 2
      const evenImaginary = ((imaginary[k] ?? 0) - (imaginary[mirror] ?? 0)) / 2
      const oddReal = ((imaginary[k] ?? 0) + (imaginary[mirror] ?? 0)) / 2
      const oddImaginary = ((real[mirror] ?? 0) - (real[k] ?? 0)) / 2
      const cosine = cosines[k] ?? 0
      const sine = sines[k] ?? 0
      const a = evenReal + oddReal * cosine + oddImaginary * sine
      const b = evenImaginary + oddImaginary * cosine - oddReal * sine
      power[k] = a * a + b * b
    }
  }
}

function reorder(real: Float64Array, imaginary: Float64Array, reversed: Uint32Array): void {
  for (let i = 0; i < reversed.length; i++) {
    const j = reversed[i] ?? 0
    if (j <= i) continue
    const a = real[i] ?? 0
    const b = imaginary[i] ?? 0
    real[i] = real[j] ?? 0
    imaginary[i] = imaginary[j] ?? 0
    real[j] = a
    imaginary[j] = b
  }
}

interface Stage {
  readonly half: number
  readonly step: number
  readonly cosines: Float64Array
  readonly sines: Float64Array
}

function combine(real: Float64Array, imaginary: Float64Array, stage: Stage): void {
  const { half, step, cosines, sines } = stage
  for (let k = 0; k < half; k++) {
    const cosine = cosines[k * step] ?? 0
    const sine = sines[k * step] ?? 0
    for (let i = k; i < real.length; i += 2 * half) {
      const j = i + half
      const otherReal = real[j] ?? 0
      const otherImaginary = imaginary[j] ?? 0
      const a = otherReal * cosine - otherImaginary * sine
      const b = otherReal * sine + otherImaginary * cosine
      const thisReal = real[i] ?? 0
      const thisImaginary = imaginary[i] ?? 0
      real[j] = thisReal - a
      imaginary[j] = thisImaginary - b
      real[i] = thisReal + a
      imaginary[i] = thisImaginary + b
    }
  }
}
