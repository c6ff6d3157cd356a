import type { Features } from './features.ts'

export const dimensionsMax = 3072
export const dimensionsDefault = 1536

/**
 * Every feature adds its weight, with a sign, at one place in each block of this many numbers. The first n blocks are
 * therefore a complete vector themselves, and shortening a long vector gives exactly the short one.
 */
const blockSize = 256

/** Folds features into 1 to 3,072 numbers (`dimensions`) of length one (feature hashing, Weinberger et al. 2009). */
export function foldFeatures(features: Features, dimensions: number): Float32Array {
  const sums = new Float64Array(dimensions)
  for (const [feature, weight] of features) {
    const hash = hashOf(feature)
    for (let start = 0; start < dimensions; start += blockSize) {
      const place = mix(hash + start)
      const at = start + (place & (blockSize - 1))
      if (at < dimensions) sums[at] = (sums[at] ?? 0) + (place & 0x10000 ? weight : -weight)
    }
  }
  return normalise(sums)
}

function normalise(sums: Float64Array): Float32Array {
  let squares = 0
  for (const value of sums) squares += value * value
  const vector = new Float32Array(sums.length)
  // With very few dimensions opposite signs can cancel out, but the vector must always have length one.
  if (squares === 0) vector[0] = 1
  else for (let i = 0; i < vector.length; i++) vector[i] = (sums[i] ?? 0) / Math.sqrt(squares)
  return vector
}

/** FNV-1a over UTF-16 units, as a signed 32-bit number. */
export function hashOf(text: string): number {
  let hash = 0x811c9dc5
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193)
  return hash
}

/** The finaliser of MurmurHash3: similar inputs give very different results. */
function mix(input: number): number {
  let hash = input | 0
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35)
  return hash ^ (hash >>> 16)
}

/** Little-endian float32 in base64, as OpenAI's clients read it. */
export function toBase64(vector: Float32Array): string {
  const bytes = Buffer.alloc(vector.length * 4)
  for (let i = 0; i < vector.length; i++) bytes.writeFloatLE(vector[i] ?? 0, i * 4)
  return bytes.toString('base64')
}
