import type { Pause } from '../chat/pause.ts'
import { encode } from '../tokens.ts'

/** Less than this of an end, in tokens, stands earlier in any text and shows nothing. */
const sameMin = 2
const sameMax = 64

/**
 * What stood behind the same words the last time that most of them were there, up to the end of the text: so lists and
 * repeated sentences go on as they have begun, and nothing is said twice. Undefined where nothing is the same.
 */
export async function continuationsOf(
  text: string,
  pause: Pause,
): Promise<readonly string[] | undefined> {
  // The first word is seen as it would stand behind another one.
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

/** How many tokens before this place are those at the end. */
function sameBefore(tokens: readonly string[], end: number): number {
  let same = 0
  while (same < Math.min(end, sameMax) && tokens[end - 1 - same] === tokens.at(-1 - same)) same++
  return same
}
