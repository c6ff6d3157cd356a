import { type CompleteRequest, invalidRequest, parseJson } from '@sluice/contract'
import { createAsk } from '../chat/ask/ask.ts'
import { styled, styleOf } from '../chat/compose.ts'
import { createPause, type Pause } from '../chat/pause.ts'
import { assertFits, choiceTokensMax } from '../chat/read-request.ts'
import { createRandom, readSampling, weighCandidates } from '../chat/sampling/candidates.ts'
import { type ChosenToken, drawSample, type Sample } from '../chat/sampling/chosen-tokens.ts'
import { answer, fallback } from '../chat/skills/index.ts'
import { countTokensInTurns, encode, readTexts, type SentText } from '../tokens.ts'

/** Maximum choices of one request, for all prompts and samples together. */
const choicesMax = 8192

/** A request with everything that is needed to respond to it. */
interface CompletionInput {
  readonly request: CompleteRequest
  /** In milliseconds since the epoch. */
  readonly now: number
  readonly seed: number
}

interface ComposedCompletion {
  readonly drafts: readonly CompletionDraft[]
  /** Tokens of all samples, including those that best_of dropped. */
  readonly generated: number
  readonly inputTokens: number
}

/** Reads the prompts and computes how each one continues. */
export async function composeCompletion(
  input: CompletionInput,
  pause: Pause,
): Promise<ComposedCompletion> {
  const { request } = input
  const prompts = await readTexts(request.prompt, 'prompt')
  const inputTokens = await countPrompts(prompts, request, pause)
  const samples = Math.max(request.n ?? 1, request.best_of ?? 1)
  if (prompts.length * samples > choicesMax)
    throw invalidRequest(`A request may have ${choicesMax} choices in total`, 'n')
  const texts = prompts.map(({ text }) => text)
  return { ...(await draftCompletions(input, texts, pause)), inputTokens }
}

async function countPrompts(
  prompts: readonly SentText[],
  { suffix }: CompleteRequest,
  pause: Pause,
): Promise<number> {
  const behind = await countTokensInTurns(suffix ?? '', pause)
  let all = 0
  for (const { text } of prompts) {
    const tokens = await countTokensInTurns(text, pause)
    all += tokens
    assertFits(tokens + behind, 'prompt')
  }
  return all
}

/** The same with the request as JSON. */
interface SentCompletion extends Omit<CompletionInput, 'request'> {
  readonly request: string
}

export async function composeSentCompletion({
  request,
  ...rest
}: SentCompletion): Promise<ComposedCompletion> {
  // It was a request before it was sent.
  const input = { ...rest, request: parseJson(request) as CompleteRequest }
  return composeCompletion(input, createPause())
}

/** One choice of a completion. */
export interface CompletionDraft extends Sample {
  readonly index: number
  /** The prompt's own tokens, if the response begins with them. */
  readonly echoed: readonly ChosenToken[]
}

const tokensUsual = 16
/** The skills read only the end of a prompt, up to this length. */
const promptCharactersMax = 400_000

/** n choices for each prompt, in the order of the prompts. */
async function draftCompletions(
  { request, seed, now }: CompletionInput,
  prompts: readonly string[],
  pause: Pause,
): Promise<Omit<ComposedCompletion, 'inputTokens'>> {
  const n = request.n ?? 1
  const samples = Math.max(n, request.best_of ?? 1)
  const settings = await readSampling(request)
  const wanted = {
    tokensMax: Math.min(
      request.max_tokens ?? tokensUsual,
      choiceTokensMax(prompts.length * samples),
    ),
    stop: request.stop,
    isWeighed: request.logprobs != null || samples > n,
  }
  const drafts: CompletionDraft[] = []
  let generated = 0
  for (const [place, text] of prompts.entries()) {
    const echoed = request.echo === true ? echoOf(text, request) : []
    const candidates =
      wanted.tokensMax === 0 ? [] : weighCandidates(phrasingsOf(text, now), settings)
    const drawn: Sample[] = []
    for (let index = 0; index < samples; index++) {
      await pause()
      const random = createRandom(seed, place * samples + index)
      drawn.push(wanted.tokensMax === 0 ? nothing : drawSample(candidates, random, wanted))
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
    const logprob = Math.log((count + 1e-5) / (index + 1))
    return { token, logprob, alternatives: [{ token, logprob }] }
  })
}

const nothing: Sample = { tokens: [], finish: 'length' }

function meanLogprob({ tokens }: Sample): number {
  return tokens.reduce((sum, chosen) => sum + chosen.logprob, 0) / Math.max(1, tokens.length)
}

/** What the end of a prompt is that leaves an answer open: "2 + 2 =", "Q: What is it?\nA:". */
const open =
  /(?:=|(?:^|\n|[.?!] )\s{0,8}(?:a|answer|assistant|response|reply|output|result|summary|sentiment|label|category)\s?:)[ \t]*$/i

/** The answers of the chat, in the form in which they follow the prompt. */
function phrasingsOf(prompt: string, now: number): readonly string[] {
  const opening = open.exec(prompt.slice(-2000))?.[0]
  const text = prompt.slice(-promptCharactersMax, prompt.length - (opening?.length ?? 0))
  const turn = { role: 'user', index: 0, text, media: [], calls: [] } as const
  const ask = createAsk({ turns: [turn] }, now)
  const found = answer(ask)
  const repeated = found === fallback ? continuationOf(text) : undefined
  if (repeated !== undefined) return [repeated]
  const ways = styled(found, styleOf(ask))
  if (opening === undefined && found !== fallback) return ways
  const left = opening === undefined || found.value === undefined ? ways : [found.value]
  return left.map((way) => (/(?:^|\s)$/.test(prompt) ? way : ` ${way}`))
}

/**
 * What followed the last words of a text where they stood before, so that lists and repeated sentences go on. One word alone
 * occurs in any text, and more than twelve show no more than twelve.
 */
function continuationOf(text: string): string | undefined {
  const tail = text.slice(-400)
  for (const { index } of [...tail.matchAll(/\S+/g)].slice(-12, -1)) {
    const end = tail.slice(index)
    const before = text.slice(0, -end.length).lastIndexOf(end)
    if (before >= 0) return text.slice(before + end.length)
  }
  return undefined
}
