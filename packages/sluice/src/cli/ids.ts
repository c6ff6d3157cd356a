import { randomFillSync } from 'node:crypto'

/** 88 bits, too many to guess. */
const randomBytes = 11
/** Requesting random bytes is expensive, so many are fetched at once. */
const idsAtOnce = 256
/** 40 bits of milliseconds repeat after 34 years. */
const timeDigits = 10

/**
 * Creates unguessable ids: a prefix and 32 hexadecimal digits. They begin with the time, so that new ones are appended to a
 * database index, which costs a fraction of inserting at a random place.
 */
export function createIds(now: () => number): (prefix: string) => string {
  const drawn = Buffer.alloc(randomBytes * idsAtOnce)
  let at = drawn.length
  let time = -1
  let digits = ''
  return (prefix) => {
    if (at === drawn.length) {
      randomFillSync(drawn)
      at = 0
    }
    at += randomBytes
    if (now() !== time) {
      time = now()
      digits = time.toString(16).padStart(timeDigits, '0').slice(-timeDigits)
    }
    return prefix + digits + drawn.toString('hex', at - randomBytes, at)
  }
}
