import type { ChatRequest } from '@sluice/contract'
import { hashOf } from '../../embed/words.ts'
import { decodeTokenId, encode } from '../../tokens.ts'

/** One wording of the answer. Probabilities refer to all wordings. */
export interface Candidate {
  readonly tokens: readonly string[]
  /** Before temperature and top_p; reported as logprobs. */
  readonly probability: number
  /** The chance with which it is sampled. */
  readonly chance: number
}

/** The best candidate gets the greater part of the probability. */
const bestShare = 0.6
const rankRatio = 0.5
const candidateTokensMax = 20_000

/** The wordings of an answer as a distribution: ranked, then adjusted by bias and penalties, temperature and top_p. */
export function weighCandidates(
  phrasings: readonly string[],
  settings: SamplingSettings,
): Candidate[] {
  const tokenLists = phrasings.map((text) => encode(text).slice(0, candidateTokensMax))
  const energies = tokenLists.map(
    (tokens, rank) => Math.log(rankWeight(rank, phrasings.length)) + adjustment(tokens, settings),
  )
  const probabilities = softmax(energies, 1)
  const chances = nucleus(softmax(energies, settings.temperature), settings.topP)
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

/** The sum of bias and penalties, as if they were applied token by token. */
function adjustment(tokens: readonly string[], settings: SamplingSettings): number {
  const { presencePenalty, frequencyPenalty, bias } = settings
  if (presencePenalty === 0 && frequencyPenalty === 0 && bias.length === 0) return 0
  const times = new Map<string, number>()
  for (const token of tokens) times.set(token, (times.get(token) ?? 0) + 1)
  let sum = 0
  for (const [token, count] of times) {
    // The second time counts one repetition, the third time two.
    const repeated = (count * (count - 1)) / 2
    sum += count * biasOf(token, bias) - presencePenalty * (count - 1) - frequencyPenalty * repeated
  }
  return sum
}

/** At temperature 0 the best candidate gets everything. */
function softmax(energies: readonly number[], temperature: number): number[] {
  const top = Math.max(...energies)
  const best = energies.indexOf(top)
  if (temperature === 0) return energies.map((_, index) => (index === best ? 1 : 0))
  const weights = energies.map((energy) => Math.exp((energy - top) / temperature))
  const total = weights.reduce((sum, weight) => sum + weight, 0)
  return weights.map((weight) => weight / total)
}

/** The most likely candidates that together reach `topP`; at least one. */
function nucleus(chances: readonly number[], topP: number): number[] {
  const kept = chances.map(() => 0)
  let reached = 0
  const ranked = [...chances.entries()].sort(([, left], [, right]) => right - left)
  for (const [index, chance] of ranked) {
    kept[index] = chance
    reached += chance
    if (reached >= topP) break
  }
  return kept.map((chance) => chance / reached)
}

/** Samples one candidate by its chance; undefined if there is none. */
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

/** How the request wants one of several wordings to be chosen. */
export interface SamplingSettings {
  /** 0 chooses the best one. */
  readonly temperature: number
  readonly topP: number
  readonly presencePenalty: number
  readonly frequencyPenalty: number
  readonly bias: readonly Bias[]
}

/** A weight added to a token. `text` is the text of the token id in the request. */
interface Bias {
  readonly text: string
  readonly weight: number
}

type SamplingFields = Pick<
  ChatRequest,
  'temperature' | 'top_p' | 'presence_penalty' | 'frequency_penalty' | 'logit_bias'
>

const biasesMax = 1024

/** Reads the sampling fields of a request. Unknown token ids have no effect. */
export async function readSampling(fields: SamplingFields): Promise<SamplingSettings> {
  const bias: Bias[] = []
  for (const [id, weight] of Object.entries(fields.logit_bias ?? {}).slice(0, biasesMax)) {
    const text = /^\d{1,7}$/.test(id) ? await decodeTokenId(Number(id)) : id
    if (text !== undefined && text.trim() !== '' && weight !== 0) bias.push({ text, weight })
  }
  return {
    temperature: fields.temperature ?? 1,
    topP: fields.top_p ?? 1,
    presencePenalty: fields.presence_penalty ?? 0,
    frequencyPenalty: fields.frequency_penalty ?? 0,
    bias,
  }
}

/**
 * The bias of one of the engine's tokens. OpenAI's tokens are cut differently: a short one means exactly this token, a longer
 * one any token that contains it.
 */
function biasOf(token: string, bias: readonly Bias[]): number {
  let sum = 0
  const bare = token.trim()
  for (const { text, weight } of bias) {
    const wanted = text.trim()
    if (bare === wanted || (wanted.length > 2 && bare.includes(wanted))) sum += weight
  }
  return sum
}

/** Returns numbers from 0 (inclusive) to 1 (exclusive), always the same ones for a seed (mulberry32). */
export type Random = () => number

/** `stream` distinguishes the choices that share one seed. */
export function createRandom(seed: number, stream = 0): Random {
  // Hashes the digits, so that integers of any size can be seeds.
  let state = hashOf(`${seed}/${stream}`)
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}
