import { randomFillSync } from 'node:crypto'

/** 88 bits: nobody guesses one. */
const randomBytes = 11
/** Random bytes are dear to ask for and cheap to have. */
const idsAtOnce = 256
/** 40 bits of milliseconds are the same again after 34 years. */
const timeDigits = 10

/**
 * Makes ids that nobody can guess: 32 hexadecimal digits behind a prefix. They begin with the time, so that new ones go to the
 * end of a database's index, which costs a fraction of a place anywhere in it.
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
