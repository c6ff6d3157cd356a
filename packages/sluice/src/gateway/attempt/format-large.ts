import { formatPieces } from '@sluice/contract'
import { turn } from '../turns.ts'

/** A longer text is written by itself. */
const longTextMin = 16 * 1024
/** So much is written in one turn: about a millisecond. */
const stretchLength = 256 * 1024

/** The value as JSON in UTF-8, in turns, so that no other request waits for all of it. */
export async function formatLargeJson(value: unknown): Promise<Buffer> {
  await turn()
  const { pieces, texts } = formatPieces(value, longTextMin)
  const written: Buffer[] = []
  for (const [index, piece] of pieces.entries()) {
    written.push(Buffer.from(piece))
    const text = texts[index] ?? ''
    for (let at = 0; at < text.length; at += stretchLength) {
      const stretch = JSON.stringify(text.slice(at, at + stretchLength))
      written.push(Buffer.from(stretch.slice(1, -1)))
      await turn()
    }
  }
  return Buffer.concat(written)
}
