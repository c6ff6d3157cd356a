import { turn } from './turns.ts'

/** So much is copied in one turn: about ten milliseconds, most of which memory takes that nobody has used before. */
const stretchBytes = 8 * 1024 * 1024

/** As Buffer.concat, in turns, so that no other request waits for a hundred megabytes. `pieces` is empty afterwards. */
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
