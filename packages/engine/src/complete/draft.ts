import type { CompleteRequest } from '@sluice/contract'
import { choiceTokensMax } from '../chat/read-request.ts'
import type { Pause } from '../chat/pause.ts'
import { drawCandidate, weighCandidates } from '../chat/sampling/candidates.ts'
import { cutTokens, type Limits, stopsOf } from '../chat/sampling/cut.ts'
import { type ChosenToken, chooseTokens } from '../chat/sampling/logprobs.ts'
import { createRandom } from '../chat/sampling/random.ts'
import { readSampling, type SamplingSettings } from '../chat/sampling/settings.ts'
import { fallback } from '../chat/skills/fallback.ts'
import { encode } from '../tokens.ts'
import { answerPrompt, spaced } from './instructed.ts'
import { continuationOf } from './continuation.ts'

/** One choice of a completion. */
export interface CompletionDraft {
  readonly index: number
  /** The prompt's own tokens where the answer begins with them. */
  readonly echoed: readonly ChosenToken[]
  readonly tokens: readonly ChosenToken[]
  readonly finish: 'stop' | 'length'
}

export interface CompletionDrafts {
  readonly drafts: readonly CompletionDraft[]
  /** Tokens of all samples, those that best_of left out too. */
  readonly generated: number
}

export interface DraftOptions {
  readonly seed: number
  readonly now: number
  readonly pause: Pause
}

const tokensUsual = 16
/** What a token that was not seen before counts as. */
const unseenShare = 1e-5

/** n choices for each prompt, in the order of the prompts. */
export async function draftCompletions(
  request: CompleteRequest,
  prompts: readonly string[],
  options: DraftOptions,
): Promise<CompletionDrafts> {
  const n = request.n ?? 1
  const samples = Math.max(n, request.best_of ?? 1)
  const settings = await readSampling(request)
  const limits = {
    tokensMax: Math.min(
      request.max_tokens ?? tokensUsual,
      choiceTokensMax(prompts.length * samples),
    ),
    stops: stopsOf(request.stop),
  }
  const drafts: CompletionDraft[] = []
  let generated = 0
  for (const [place, text] of prompts.entries()) {
    const echoed = request.echo === true ? echoOf(text, request) : []
    const draw = limits.tokensMax === 0 ? () => [] : await sampler(text, settings, options)
    const drawn: Sample[] = []
    for (let index = 0; index < samples; index++) {
      await options.pause()
      drawn.push(cutSample(draw(place * samples + index), limits))
    }
    for (const { tokens } of drawn) generated += tokens.length
    const best =
      samples > n ? drawn.toSorted((left, right) => meanLogprob(right) - meanLogprob(left)) : drawn
    for (const [sample, chosen] of best.slice(0, n).entries())
      drafts.push({ index: place * n + sample, echoed, ...chosen })
  }
  return { drafts, generated }
}

/** The prompt in one piece, unless its tokens are asked about. */
function echoOf(text: string, { logprobs }: CompleteRequest): readonly ChosenToken[] {
  return logprobs == null ? [{ token: text, logprob: 0, alternatives: [] }] : echoedTokens(text)
}

/** A prompt's own tokens. How likely each was is how often it stood before, and next to nothing where it did not. */
function echoedTokens(text: string): readonly ChosenToken[] {
  const counts = new Map<string, number>()
  return encode(text).map((token, index) => {
    const count = counts.get(token) ?? 0
    counts.set(token, count + 1)
    const logprob = Math.log((count + unseenShare) / (index + 1))
    return { token, logprob, alternatives: [{ token, logprob }] }
  })
}

type Sample = Pick<CompletionDraft, 'tokens' | 'finish'>

function meanLogprob({ tokens }: Sample): number {
  return tokens.reduce((sum, chosen) => sum + chosen.logprob, 0) / Math.max(1, tokens.length)
}

/** Draws the tokens of the choice with a number. */
async function sampler(text: string, settings: SamplingSettings, options: DraftOptions) {
  const candidates = weighCandidates(await phrasingsFor(text, options), settings)
  return (choice: number): readonly ChosenToken[] => {
    const chosen = drawCandidate(candidates, createRandom(options.seed, choice))
    return chosen === undefined ? [] : chooseTokens(chosen, candidates)
  }
}

/** What is asked is answered, what repeats itself goes on, and of anything else is said that it needs a model. */
async function phrasingsFor(text: string, options: DraftOptions): Promise<readonly string[]> {
  const answered = await answerPrompt(text, options)
  if (answered !== undefined) return answered
  const continued = await continuationOf(text, options.pause)
  return continued === undefined
    ? fallback.phrasings.map((phrasing) => spaced(text, phrasing))
    : [continued]
}

function cutSample(tokens: readonly ChosenToken[], limits: Limits): Sample {
  if (limits.tokensMax === 0) return { tokens: [], finish: 'length' }
  const cut = cutTokens(
    tokens.map((chosen) => chosen.token),
    limits,
  )
  const kept = tokens.slice(0, cut.tokens)
  const part = tokens[cut.tokens]
  if (cut.rest !== '' && part !== undefined) kept.push({ ...part, token: cut.rest })
  return { tokens: kept, finish: cut.finish }
}
