import { type CompleteRequest, invalidRequest, parseJson } from '@sluice/contract'
import { createPause, type Pause } from '../chat/pause.ts'
import { assertFits } from '../chat/read-request.ts'
import { countTokensInTurns, readTexts, type SentText } from '../tokens.ts'
import { type CompletionDrafts, draftCompletions } from './draft.ts'

/** Maximum choices of one request, for all prompts and samples together. */
const choicesMax = 8192

/** A request with everything that is needed to respond to it. */
export interface CompletionInput {
  readonly request: CompleteRequest
  /** In milliseconds since the epoch. */
  readonly now: number
  readonly seed: number
}

export interface ComposedCompletion extends CompletionDrafts {
  readonly inputTokens: number
}

/** Reads the prompts and computes how each one continues. */
export async function composeCompletion(
  { request, ...options }: CompletionInput,
  pause: Pause,
): Promise<ComposedCompletion> {
  const prompts = await readTexts(request.prompt, 'prompt')
  const inputTokens = await countPrompts(prompts, request, pause)
  const samples = Math.max(request.n ?? 1, request.best_of ?? 1)
  if (prompts.length * samples > choicesMax)
    throw invalidRequest(`A request may have ${choicesMax} choices in total`, 'n')
  const texts = prompts.map(({ text }) => text)
  const drafted = await draftCompletions(request, texts, { ...options, pause })
  return { ...drafted, inputTokens }
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
export interface SentCompletion extends Omit<CompletionInput, 'request'> {
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
