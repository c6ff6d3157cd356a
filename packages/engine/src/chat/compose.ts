import { type ChatRequest, parseJson, type Usage } from '@sluice/contract'
import { type Answer, type Ask, createAsk } from './ask/ask.ts'
import type { Medium } from './ask/conversation.ts'
import { createDrafts, type Draft } from './draft.ts'
import { jsonAnswer, jsonWishOf } from './json-answer.ts'
import { type ReadRequest, readRequest } from './read-request.ts'
import { answer as answerAsk } from './skills/index.ts'
import { styled, styleOf } from './style.ts'
import { nextCalls } from './tools/next-calls.ts'
import type { PlannedCall } from './tools/plan.ts'
import { toolUseOf } from './tools/tool.ts'

/** A request, with all that is needed of the world to answer it. */
export interface ComposeInput {
  /** Its content parts are texts. */
  readonly request: ChatRequest
  /** What was opened of the other parts, message by message. */
  readonly media: readonly (readonly Medium[])[]
  /** Milliseconds since the epoch. */
  readonly now: number
  readonly seed: number
}

export interface Composed {
  readonly drafts: readonly Draft[]
  readonly input: Usage
}

/** Reads a conversation and works out what to say or what to call. Computes, and does nothing else. */
export async function composeChat({ request, media, now, seed }: ComposeInput): Promise<Composed> {
  const read = readRequest(request, media)
  const ask = createAsk(read.conversation, now)
  const answer = answerAsk(ask)
  const calls = nextCalls(toolUseOf(request), ask, answer)
  const phrasings = calls.length > 0 ? [] : phrasingsOf(request, ask, answer)
  const thought = { calls, phrasings, reasoning: reasoningOf(answer, calls) }
  return { drafts: await createDrafts(request, thought, seed), input: inputUsage(read) }
}

/** The same with the request as JSON. */
export interface SentInput extends Omit<ComposeInput, 'request'> {
  readonly request: string
}

export async function composeSentChat({ request, ...rest }: SentInput): Promise<Composed> {
  // It was a request before it was sent.
  return composeChat({ ...rest, request: parseJson(request) as ChatRequest })
}

function phrasingsOf(request: ChatRequest, ask: Ask, answer: Answer): readonly string[] {
  const wish = jsonWishOf(request)
  if (wish.kind !== 'none') return [jsonAnswer(wish, ask, answer)]
  const style = styleOf(ask)
  const json =
    style.json && answer.verbatim !== true ? jsonAnswer({ kind: 'object' }, ask, answer) : '{}'
  // Nobody but the text asks for JSON: where there are no values, words say so.
  if (json !== '{}') return [json]
  const ways = styled(answer, style)
  if (request.verbosity === 'low' && ways.length > 1)
    return ways.toSorted((left, right) => left.length - right.length)
  return ways
}

function inputUsage({ textTokens, imageTokens, audioTokens }: ReadRequest): Usage {
  return {
    inputTokens: textTokens + imageTokens + audioTokens,
    outputTokens: 0,
    imageInputTokens: imageTokens,
    audioInputTokens: audioTokens,
  }
}

const evidenceMax = 5
const evidenceCharactersMax = 300

function reasoningOf(answer: Answer, calls: readonly PlannedCall[]): string {
  const steps: string[] = []
  if (calls.length > 0)
    steps.push(
      `The request calls for ${calls.map((call) => call.tool.name).join(', ')}; the arguments are filled from its words.`,
    )
  else if (answer.skill === 'none')
    steps.push('No skill of the built-in engine applies to this request.')
  else steps.push(`The skill that applies is ${answer.skill}.`)
  const evidence = answer.evidence
    .slice(0, evidenceMax)
    .map((text) => text.slice(0, evidenceCharactersMax).trim())
  if (calls.length === 0 && evidence.length > 0) steps.push(`It rests on: ${evidence.join(' | ')}`)
  return steps.join('\n').toWellFormed()
}
