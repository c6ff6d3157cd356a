import type { Pause } from '../chat/pause.ts'
import { createNGrams, type NGrams } from './n-grams.ts'

/** What stands nearest to the end says most about how it goes on; no more than this is learnt of each part. */
const learnedMax = 32_768

/** Learns a text and, behind a gap, the text that is to follow the answer. */
export async function learnTokens(
  parts: readonly (readonly string[])[],
  pause: Pause,
): Promise<NGrams> {
  const grams = createNGrams()
  for (const part of parts) {
    const tokens = part.slice(-learnedMax)
    const history: string[] = []
    for (const [index, token] of tokens.entries()) {
      if (index % 1024 === 0) await pause()
      grams.learn(history, token)
      history.push(token)
      if (history.length > 3) history.shift()
    }
  }
  return grams
}
