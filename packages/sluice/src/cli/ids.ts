import { randomFillSync } from 'node:crypto'

const bytesPerId = 16
/** Random bytes are dear to ask for and cheap to have. */
const idsAtOnce = 256

/** Makes ids that nobody can guess: 32 hexadecimal digits behind a prefix. */
export function createIds(): (prefix: string) => string {
  const drawn = Buffer.alloc(bytesPerId * idsAtOnce)
  let at = drawn.length
  return (prefix) => {
    if (at === drawn.length) {
      randomFillSync(drawn)
      at = 0
    }
    at += bytesPerId
    return prefix + drawn.toString('hex', at - bytesPerId, at)
  }
}
