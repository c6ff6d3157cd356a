import type { TokenLogprob } from '@sluice/contract'
import { type Candidate, drawCandidate, type Random } from './candidates.ts'

/** A token and the natural logarithm of its probability among the tokens that are possible at its place. */
export interface ChosenToken {
  readonly token: string
  readonly logprob: number
  /** All tokens that are possible at its place, including the chosen one, most likely first. */
  readonly alternatives: readonly Alternative[]
}

interface Alternative {
  readonly token: string
  readonly logprob: number
}

/**
 * The tokens of one candidate with the probability of each, given those before it: the share of this token in the probability
 * of all candidates with the same beginning.
 */
function chooseTokens(chosen: Candidate, candidates: readonly Candidate[]): ChosenToken[] {
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

/** Where an answer ends, and what is to be known of it. */
interface SampleOptions {
  readonly tokensMax: number
  /** Sequences that end the answer and do not belong to it. */
  readonly stop: readonly string[] | null | undefined
  /** Whether the probabilities of its tokens are needed. */
  readonly isWeighed: boolean
}

/** One answer. */
export interface Sample {
  readonly tokens: readonly ChosenToken[]
  readonly finish: 'stop' | 'length'
}

/**
 * Samples one of the wordings. It ends at the first stop sequence or after the last token allowed, whichever comes first; a
 * sequence that the limit cuts in two does not end it.
 */
export function drawSample(
  candidates: readonly Candidate[],
  random: Random,
  { tokensMax, stop, isWeighed }: SampleOptions,
): Sample {
  const chosen = drawCandidate(candidates, random)
  if (chosen === undefined) return { tokens: [], finish: 'stop' }
  const tokens = chosen.tokens.slice(0, tokensMax)
  const within = tokens.join('').length
  const text = chosen.tokens.join('')
  const [first] = (stop ?? [])
    .filter((sequence) => sequence !== '')
    .map((sequence) => ({ start: text.indexOf(sequence), length: sequence.length }))
    .filter(({ start, length }) => start >= 0 && start + length <= within)
    .sort((left, right) => left.start + left.length - (right.start + right.length))
  const shortened = { ...chosen, tokens }
  const told = isWeighed
    ? chooseTokens(
        shortened,
        candidates.map((other) => (other === chosen ? shortened : other)),
      )
    : tokens.map((token) => ({ token, logprob: 0, alternatives: [] }))
  if (first !== undefined) return { tokens: upTo(first.start, told), finish: 'stop' }
  return { tokens: told, finish: chosen.tokens.length > tokensMax ? 'length' : 'stop' }
}

/** The tokens up to a character. The last one may be incomplete. */
function upTo(end: number, tokens: readonly ChosenToken[]): ChosenToken[] {
  let at = 0
  return tokens.flatMap((chosen) => {
    const token = chosen.token.slice(0, Math.max(0, end - at))
    at += chosen.token.length
    return token === '' ? [] : { ...chosen, token }
  })
}
