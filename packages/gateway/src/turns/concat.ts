import { turn } from './turn.ts'

/** Bytes copied per turn: about ten milliseconds, most of it spent on the first use of fresh memory. */
const stretchBytes = 8 * 1024 * 1024

/**
 * As Buffer.concat, in several turns of the event loop, so that other requests do not wait for hundreds of megabytes.
 * Empties `pieces`.
 */
export async function concatInTurns(pieces: Uint8Array[]): Promise<Buffer> {
  const all = Buffer.allocUnsafeSlow(pieces.reduce((sum, { length }) => sum + length, 0))
  let at = 0
  let sinceTurn = 0
  for (const piece of pieces.splice(0)) {
    all.set(piece, at)
    at += piece.length
    sinceTurn += piece.length
    if (sinceTurn < stretchBytes) continue
    sinceTurn = 0
    await turn()
  }
  return all
}
