import type { TokenLogprob } from '@sluice/contract'
import type { Candidate } from './candidates.ts'

/** A token and the natural logarithm of its probability among the tokens that are possible at its place. */
export interface ChosenToken {
  readonly token: string
  readonly logprob: number
  /** All tokens that are possible at its place, including the chosen one, most likely first. */
  readonly alternatives: readonly Alternative[]
}

export interface Alternative {
  readonly token: string
  readonly logprob: number
}

/**
 * The tokens of one candidate with the probability of each, given those before it: the share of this token in the probability
 * of all candidates with the same beginning.
 */
export function chooseTokens(chosen: Candidate, candidates: readonly Candidate[]): ChosenToken[] {
  let active = candidates.filter((candidate) => candidate.probability > 0)
  if (!active.includes(chosen)) active = [...active, chosen]
  return chosen.tokens.map((token, place) => {
    if (active.length === 1) return { token, logprob: 0, alternatives: [{ token, logprob: 0 }] }
    const total = active.reduce((sum, candidate) => sum + candidate.probability, 0)
    const masses = new Map<string, number>()
    for (const { tokens, probability } of active) {
      const next = tokens[place]
      if (next !== undefined) masses.set(next, (masses.get(next) ?? 0) + probability)
    }
    active = active.filter((candidate) => candidate.tokens[place] === token)
    const alternatives = [...masses]
      .map(([other, mass]) => ({ token: other, logprob: logarithm(mass / total) }))
      .sort((left, right) => right.logprob - left.logprob)
    return {
      token,
      logprob: alternatives.find((other) => other.token === token)?.logprob ?? -9999,
      alternatives,
    }
  })
}

/** Never above zero despite rounding; -9999 for what is nearly impossible (OpenAI API, logprobs). */
function logarithm(probability: number): number {
  return Math.max(-9999, Math.min(0, Math.log(probability)))
}

/** A token in the form of chat logprobs. */
export function tokenLogprob(
  { token, logprob, alternatives }: ChosenToken,
  top: number,
): TokenLogprob {
  return {
    token,
    logprob,
    bytes: bytesOf(token),
    top_logprobs: alternatives
      .slice(0, top)
      .map((other) => ({ ...other, bytes: bytesOf(other.token) })),
  }
}

function bytesOf(token: string): number[] {
  return [...Buffer.from(token, 'utf8')]
}
