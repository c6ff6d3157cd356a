import type { CompleteRequest } from '@sluice/contract'
import type { Pause } from '../chat/pause.ts'
import { choiceTokensMax } from '../chat/read-request.ts'
import { drawCandidate, weighCandidates } from '../chat/sampling/candidates.ts'
import { cutTokens, keptOf, type Limits, stopsOf } from '../chat/sampling/cut.ts'
import { type ChosenToken, chooseTokens } from '../chat/sampling/logprobs.ts'
import { createRandom } from '../chat/sampling/random.ts'
import { readSampling, type SamplingSettings } from '../chat/sampling/settings.ts'
import { fallback } from '../chat/skills/fallback.ts'
import { encode } from '../tokens.ts'
import { continuationsOf } from './continuation.ts'
import { answerPrompt, spaced } from './instructed.ts'

/** One choice of a completion. */
export interface CompletionDraft {
  readonly index: number
  /** The prompt's own tokens, if the response begins with them. */
  readonly echoed: readonly ChosenToken[]
  readonly tokens: readonly ChosenToken[]
  readonly finish: 'stop' | 'length'
}

export interface CompletionDrafts {
  readonly drafts: readonly CompletionDraft[]
  /** Tokens of all samples, including those that best_of dropped. */
  readonly generated: number
}

export interface DraftOptions {
  readonly seed: number
  readonly now: number
  readonly pause: Pause
}

const tokensUsual = 16
/** The count used for a token that did not occur before. */
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

/**
 * The prompt in one piece, unless logprobs were requested. The probability of a token is its frequency before, and nearly zero
 * if it did not occur.
 */
function echoOf(text: string, { logprobs }: CompleteRequest): readonly ChosenToken[] {
  if (logprobs == null) return [{ token: text, logprob: 0, alternatives: [] }]
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

/**
 * Returns a function that samples the tokens of the choice with a number. A question is answered, a repetition is continued,
 * and for anything else the engine says that it needs a model.
 */
async function sampler(text: string, settings: SamplingSettings, options: DraftOptions) {
  const phrasings =
    answerPrompt(text, options.now) ??
    (await continuationsOf(text, options.pause)) ??
    fallback.phrasings.map((phrasing) => spaced(text, phrasing))
  const candidates = weighCandidates(phrasings, settings)
  return (choice: number): readonly ChosenToken[] => {
    const chosen = drawCandidate(candidates, createRandom(options.seed, choice))
    return chosen === undefined ? [] : chooseTokens(chosen, candidates)
  }
}

function cutSample(tokens: readonly ChosenToken[], limits: Limits): Sample {
  if (limits.tokensMax === 0) return { tokens: [], finish: 'length' }
  const cut = cutTokens(
    tokens.map((chosen) => chosen.token),
    limits,
  )
  return { tokens: keptOf(tokens, cut), finish: cut.finish }
}
