import type { Pause } from '../chat/pause.ts'
import { type ChosenToken, logarithm } from '../chat/sampling/logprobs.ts'

/** What is left for tokens that the text has not shown before, and over how many they share it. */
const unseen = 0.1
const vocabularySize = 50_000
const alternativesMax = 6
/** Of a common token only so many followers are offered as alternatives. */
const followersMax = 64

interface Followers {
  readonly counts: Map<string, number>
  total: number
}

/**
 * How well each token of a text could be foreseen from those before it, by a model that learns the text as it reads
 * on: pairs of tokens, single tokens, and a little for what is new. The first token has nothing before it.
 */
export async function scorePrompt(tokens: readonly string[], pause: Pause): Promise<ChosenToken[]> {
  const singles = new Map<string, number>()
  const pairs = new Map<string, Followers>()
  const scored: ChosenToken[] = []
  for (const [index, token] of tokens.entries()) {
    if (index % 512 === 0) await pause()
    const before = tokens[index - 1]
    const followers = before === undefined ? undefined : pairs.get(before)
    const chance = (other: string): number => {
      const pair =
        followers === undefined ? 0 : ((followers.counts.get(other) ?? 0) / followers.total) * 0.6
      const single =
        index === 0
          ? 0
          : ((singles.get(other) ?? 0) / index) * (followers === undefined ? 0.9 : 0.3)
      return pair + single + unseen / vocabularySize
    }
    const alternatives = [...new Set([token, ...likeliest(followers)])]
      .map((other) => ({ token: other, logprob: logarithm(chance(other)) }))
      .sort((left, right) => right.logprob - left.logprob)
    scored.push({ token, logprob: logarithm(chance(token)), alternatives })
    singles.set(token, (singles.get(token) ?? 0) + 1)
    if (before !== undefined) pairs.set(before, counted(followers, token))
  }
  return scored
}

function likeliest(followers: Followers | undefined): string[] {
  if (followers === undefined) return []
  const offered: [string, number][] = []
  for (const entry of followers.counts) if (offered.push(entry) >= followersMax) break
  return offered
    .sort((left, right) => right[1] - left[1])
    .slice(0, alternativesMax)
    .map(([token]) => token)
}

function counted(followers: Followers | undefined, token: string): Followers {
  const into = followers ?? { counts: new Map<string, number>(), total: 0 }
  into.counts.set(token, (into.counts.get(token) ?? 0) + 1)
  into.total += 1
  return into
}
