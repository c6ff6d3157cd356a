import { hashOf } from '../../embed/vector.ts'

/** Returns numbers from 0 (inclusive) to 1 (exclusive), always the same ones for a seed (mulberry32). */
export type Random = () => number

/** `stream` distinguishes the choices that share one seed. */
export function createRandom(seed: number, stream = 0): Random {
  // Hashes the digits, so that integers of any size can be seeds.
  let state = hashOf(`${seed}/${stream}`)
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}
