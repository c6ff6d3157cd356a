import type { CompleteRequest } from '@sluice/contract'
import { choiceTokensMax } from '../chat/read-request.ts'
import type { Pause } from '../chat/pause.ts'
import { drawCandidate, weighCandidates } from '../chat/sampling/candidates.ts'
import { cutTokens, stopsOf } from '../chat/sampling/cut.ts'
import { type ChosenToken, chooseTokens } from '../chat/sampling/logprobs.ts'
import { createRandom, type Random } from '../chat/sampling/random.ts'
import { readSampling, type SamplingSettings } from '../chat/sampling/settings.ts'
import { fallback } from '../chat/skills/fallback.ts'
import { encode } from '../tokens.ts'
import { answerPrompt, spaced } from './instructed.ts'
import { continuationOf } from './continuation.ts'
import type { PromptText } from './prompts.ts'

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

interface Plan {
  readonly request: CompleteRequest
  readonly settings: SamplingSettings
  readonly tokensMax: number
  readonly stops: readonly string[]
  readonly options: DraftOptions
}

/** n choices for each prompt, in the order of the prompts. */
export async function draftCompletions(
  request: CompleteRequest,
  prompts: readonly PromptText[],
  options: DraftOptions,
): Promise<CompletionDrafts> {
  const n = request.n ?? 1
  const samples = Math.max(n, request.best_of ?? 1)
  const limit = choiceTokensMax(prompts.length * samples)
  const plan: Plan = {
    request,
    settings: await readSampling(request),
    tokensMax: Math.min(request.max_tokens ?? tokensUsual, limit),
    stops: stopsOf(request.stop),
    options,
  }
  const drafts: CompletionDraft[] = []
  let generated = 0
  for (const [place, { text }] of prompts.entries()) {
    const echoed = request.echo === true ? echoedTokens(text) : []
    const drawn = await drawSamples(text, place, samples, plan)
    for (const { tokens } of drawn) generated += tokens.length
    const best =
      samples > n ? drawn.toSorted((left, right) => meanLogprob(right) - meanLogprob(left)) : drawn
    for (const [sample, chosen] of best.slice(0, n).entries())
      drafts.push({ index: place * n + sample, echoed, ...chosen })
  }
  return { drafts, generated }
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

async function drawSamples(
  text: string,
  place: number,
  samples: number,
  plan: Plan,
): Promise<Sample[]> {
  const drawn: Sample[] = []
  if (plan.tokensMax === 0)
    return Array.from({ length: samples }, () => ({ tokens: [], finish: 'length' }))
  const sample = await sampler(text, plan)
  for (let index = 0; index < samples; index++) {
    await plan.options.pause()
    drawn.push(sample(createRandom(plan.options.seed, place * samples + index)))
  }
  return drawn
}

type Sampler = (random: Random) => Sample

async function sampler(text: string, plan: Plan): Promise<Sampler> {
  const { settings, options } = plan
  const candidates = weighCandidates(await phrasingsFor(text, options), settings)
  return (random) => {
    const chosen = drawCandidate(candidates, random)
    return chosen === undefined
      ? { tokens: [], finish: 'stop' }
      : cutSample(chooseTokens(chosen, candidates), plan)
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

function cutSample(tokens: readonly ChosenToken[], { tokensMax, stops }: Plan): Sample {
  const cut = cutTokens(
    tokens.map((chosen) => chosen.token),
    { tokensMax, stops },
  )
  const kept = tokens.slice(0, cut.tokens)
  const part = tokens[cut.tokens]
  if (cut.rest !== '' && part !== undefined) kept.push({ ...part, token: cut.rest })
  return { tokens: kept, finish: cut.finish }
}
