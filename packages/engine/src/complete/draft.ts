import type { CompleteRequest } from '@sluice/contract'
import { choiceTokensMax } from '../chat/read-request.ts'
import type { Pause } from '../chat/pause.ts'
import { drawCandidate, weighCandidates } from '../chat/sampling/candidates.ts'
import { cutTokens, stopsOf } from '../chat/sampling/cut.ts'
import { type ChosenToken, chooseTokens } from '../chat/sampling/logprobs.ts'
import { createRandom, type Random } from '../chat/sampling/random.ts'
import { readSampling, type SamplingSettings } from '../chat/sampling/settings.ts'
import { encode } from '../tokens.ts'
import { answerPrompt } from './instructed.ts'
import { learnTokens } from './learn.ts'
import type { PromptText } from './prompts.ts'
import { sampleTokens } from './sample-tokens.ts'
import { scorePrompt } from './score-prompt.ts'

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
    const echoed = request.echo === true ? await echoedTokens(text, plan) : []
    const drawn = await drawSamples(text, place, samples, plan)
    for (const { tokens } of drawn) generated += tokens.length
    const best =
      samples > n ? drawn.toSorted((left, right) => meanLogprob(right) - meanLogprob(left)) : drawn
    for (const [sample, chosen] of best.slice(0, n).entries())
      drafts.push({ index: place * n + sample, echoed, ...chosen })
  }
  return { drafts, generated }
}

type Sample = Pick<CompletionDraft, 'tokens' | 'finish'>

function meanLogprob({ tokens }: Sample): number {
  return tokens.reduce((sum, chosen) => sum + chosen.logprob, 0) / Math.max(1, tokens.length)
}

async function echoedTokens(
  text: string,
  { request, options }: Plan,
): Promise<readonly ChosenToken[]> {
  const tokens = encode(text)
  if (request.logprobs == null)
    return tokens.map((token) => ({ token, logprob: 0, alternatives: [] }))
  return scorePrompt(tokens, options.pause)
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
    drawn.push(await sample(createRandom(plan.options.seed, place * samples + index)))
  }
  return drawn
}

type Sampler = (random: Random) => Sample | Promise<Sample>

async function sampler(text: string, plan: Plan): Promise<Sampler> {
  const { settings, options } = plan
  const phrasings = await answerPrompt(text, options)
  if (phrasings === undefined) return continuing(text, plan)
  const candidates = weighCandidates(phrasings, settings)
  return (random) => {
    const chosen = drawCandidate(candidates, random)
    return chosen === undefined
      ? { tokens: [], finish: 'stop' }
      : cutSample(chooseTokens(chosen, candidates), plan, 'stop')
  }
}

/** The prompt is a text, and what it shows of itself is how it goes on. */
async function continuing(text: string, plan: Plan): Promise<Sampler> {
  const { request, settings, tokensMax, stops, options } = plan
  const history = inText(text)
  const grams = await learnTokens([history, inText(request.suffix ?? '')], options.pause)
  const isEnded = (so: string): boolean => stops.some((stop) => so.includes(stop))
  return async (random) => {
    const sampled = await sampleTokens(grams, {
      history,
      tokensMax,
      settings,
      random,
      pause: options.pause,
      isEnded,
    })
    return cutSample(sampled.tokens, plan, sampled.finish)
  }
}

/** The tokens of a text as they would stand behind another word, so that its first word can be said again. */
function inText(text: string): string[] {
  return encode(/^[\p{L}\p{N}]/u.test(text) ? ` ${text}` : text)
}

function cutSample(
  tokens: readonly ChosenToken[],
  { tokensMax, stops }: Plan,
  finish: 'stop' | 'length',
): Sample {
  const cut = cutTokens(
    tokens.map((chosen) => chosen.token),
    { tokensMax, stops },
  )
  const kept = tokens.slice(0, cut.tokens)
  const part = tokens[cut.tokens]
  if (cut.rest !== '' && part !== undefined) kept.push({ ...part, token: cut.rest })
  const whole = kept.length === tokens.length && cut.rest === ''
  return { tokens: kept, finish: whole ? finish : cut.finish }
}
