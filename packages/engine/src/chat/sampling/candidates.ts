import { encode } from '../../tokens.ts'
import type { Random } from './random.ts'
import { biasOf, type SamplingSettings } from './settings.ts'

/** One way to say the answer. Probabilities are over all ways to say it. */
export interface Candidate {
  readonly tokens: readonly string[]
  /** Before temperature and top_p: what logprobs report. */
  readonly probability: number
  /** What is drawn by. */
  readonly chance: number
}

/** Of what is best first, the first has the greater part of the probability. */
const bestShare = 0.6
const rankRatio = 0.5
const candidateTokensMax = 20_000

/** The ways to say an answer as a distribution: ranked, then moved by bias and penalties, temperature and top_p. */
export function weighCandidates(
  phrasings: readonly string[],
  settings: SamplingSettings,
): Candidate[] {
  const tokenLists = phrasings.map((text) => encode(text).slice(0, candidateTokensMax))
  const energies = tokenLists.map(
    (tokens, rank) => Math.log(rankWeight(rank, phrasings.length)) + adjustment(tokens, settings),
  )
  const probabilities = softmax(energies, 1)
  const tempered =
    settings.temperature === 0 ? onlyBest(energies) : softmax(energies, settings.temperature)
  const chances = nucleus(tempered, settings.topP)
  return tokenLists.map((tokens, index) => ({
    tokens,
    probability: probabilities[index] ?? 0,
    chance: chances[index] ?? 0,
  }))
}

function rankWeight(rank: number, count: number): number {
  if (count === 1) return 1
  if (rank === 0) return bestShare
  const rest = (1 - rankRatio ** (count - 1)) / (1 - rankRatio)
  return ((1 - bestShare) * rankRatio ** (rank - 1)) / rest
}

/** What bias and penalties add along the way, as they would token by token. */
function adjustment(tokens: readonly string[], settings: SamplingSettings): number {
  const { presencePenalty, frequencyPenalty, bias } = settings
  if (presencePenalty === 0 && frequencyPenalty === 0 && bias.length === 0) return 0
  const seen = new Map<string, number>()
  const biases = new Map<string, number>()
  let sum = 0
  for (const token of tokens) {
    const times = seen.get(token) ?? 0
    if (times > 0) sum -= presencePenalty + frequencyPenalty * times
    seen.set(token, times + 1)
    const known = biases.get(token) ?? biasOf(token, bias)
    biases.set(token, known)
    sum += known
  }
  return sum
}

function softmax(energies: readonly number[], temperature: number): number[] {
  const scaled = energies.map((energy) => energy / temperature)
  const top = Math.max(...scaled)
  const weights = scaled.map((energy) => Math.exp(energy - top))
  const total = weights.reduce((sum, weight) => sum + weight, 0)
  return weights.map((weight) => weight / total)
}

function onlyBest(energies: readonly number[]): number[] {
  const best = energies.indexOf(Math.max(...energies))
  return energies.map((_, index) => (index === best ? 1 : 0))
}

/** The likeliest candidates that together reach `topP`; at least one. */
function nucleus(chances: readonly number[], topP: number): number[] {
  if (topP >= 1) return [...chances]
  const order = chances
    .map((_, index) => index)
    .sort((left, right) => (chances[right] ?? 0) - (chances[left] ?? 0))
  const kept = new Set<number>()
  let reached = 0
  for (const index of order) {
    kept.add(index)
    reached += chances[index] ?? 0
    if (reached >= topP) break
  }
  return chances.map((chance, index) => (kept.has(index) ? chance / reached : 0))
}

/** Draws one candidate by its chance; undefined where there is none. */
export function drawCandidate(
  candidates: readonly Candidate[],
  random: Random,
): Candidate | undefined {
  let mark = random()
  for (const candidate of candidates) {
    mark -= candidate.chance
    if (mark < 0 && candidate.chance > 0) return candidate
  }
  return candidates.findLast((candidate) => candidate.chance > 0) ?? candidates[0]
}
