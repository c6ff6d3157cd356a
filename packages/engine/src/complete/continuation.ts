import type { Pause } from '../chat/pause.ts'
import { encode } from '../tokens.ts'

/** A shorter repetition than this, in tokens, occurs in any text and shows nothing. */
const sameMin = 2
const sameMax = 64

/**
 * What followed the longest earlier repetition of the text's last words, up to the end of the text. This continues lists and
 * repeated sentences as they began, without saying anything twice. Undefined if nothing is repeated.
 */
export async function continuationsOf(
  text: string,
  pause: Pause,
): Promise<readonly string[] | undefined> {
  // Encodes the first word as it would be after another one.
  const tokens = encode(/^[\p{L}\p{N}]/u.test(text) ? ` ${text}` : text)
  let longest = sameMin - 1
  let from = 0
  for (let end = tokens.length - 1; end >= sameMin; end--) {
    if (end % 4096 === 0) await pause()
    const same = sameBefore(tokens, end)
    if (same > longest) [longest, from] = [same, end]
    if (longest === sameMax) break
  }
  return from === 0 ? undefined : [tokens.slice(from).join('')]
}

/** How many tokens before this place equal the tokens at the end. */
function sameBefore(tokens: readonly string[], end: number): number {
  let same = 0
  while (same < Math.min(end, sameMax) && tokens[end - 1 - same] === tokens.at(-1 - same)) same++
  return same
}
