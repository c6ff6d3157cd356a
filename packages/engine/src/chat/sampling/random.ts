import { hashOf } from '../../embed/vector.ts'

/** A stream of numbers from 0 up to 1 that one seed always gives in the same order (mulberry32). */
export type Random = () => number

/** `stream` tells apart the choices that are drawn with one seed. */
export function createRandom(seed: number, stream = 0): Random {
  // Over the digits, so that any integer is a seed, however large.
  let state = hashOf(`${seed}/${stream}`)
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}
