import { type ChatRequest, parseJson, type Usage } from '@sluice/contract'
import { type Answer, type Ask, createAsk } from './ask/ask.ts'
import type { Medium } from './ask/conversation.ts'
import { createDrafts, type Draft } from './draft.ts'
import { jsonAnswer, jsonOf, jsonWishOf } from './json-answer.ts'
import { type ReadRequest, readRequest } from './read-request.ts'
import type { JsonSchema } from './schema/json-schema.ts'
import { answer as answerAsk } from './skills/index.ts'
import { styled, styleOf } from './style.ts'
import { nextCalls } from './tools/next-calls.ts'
import type { PlannedCall } from './tools/plan.ts'
import { toolUseOf } from './tools/tool.ts'

/** A request with everything that is needed to respond to it. */
export interface ComposeInput {
  /** Its content parts are only texts. */
  readonly request: ChatRequest
  /** The other parts after they were opened, per message. */
  readonly media: readonly (readonly Medium[])[]
  /** In milliseconds since the epoch. */
  readonly now: number
  readonly seed: number
}

export interface Composed {
  readonly drafts: readonly Draft[]
  readonly input: Usage
}

/** Reads a conversation and computes what to say or what to call, without side effects. */
export async function composeChat({ request, media, now, seed }: ComposeInput): Promise<Composed> {
  const read = readRequest(request, media)
  const ask = createAsk(read.conversation, now)
  const answer = answerAsk(ask)
  const calls = nextCalls(toolUseOf(request), ask, answer)
  const phrasings =
    calls.length > 0 ? [] : phrasingsOf(request, ask, { answer, prompted: read.schema })
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

function phrasingsOf(
  request: ChatRequest,
  ask: Ask,
  { answer, prompted }: { readonly answer: Answer; readonly prompted: JsonSchema | undefined },
): readonly string[] {
  const wish = jsonWishOf(request)
  const own =
    prompted === undefined || wish.kind === 'schema' ? undefined : jsonOf(prompted, ask, answer)
  if (own !== undefined) return [own]
  if (wish.kind !== 'none') return [jsonAnswer(wish, ask, answer)]
  const style = styleOf(ask)
  if (style.json && answer.verbatim !== true) {
    const json = jsonAnswer({ kind: 'object' }, ask, answer)
    // Only the text asks for JSON, so if there are no values, the answer is given in words.
    if (json !== '{}') return [json]
  }
  const ways = styled(answer, style)
  return request.verbosity === 'low'
    ? ways.toSorted((left, right) => left.length - right.length)
    : ways
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

function reasoningOf({ skill, evidence }: Answer, calls: readonly PlannedCall[]): string {
  const names = calls.map(({ tool }) => tool.name).join(', ')
  if (names !== '')
    return `The request calls for ${names}; the arguments are filled from its words.`
  const step =
    skill === 'none'
      ? 'No skill of the built-in engine applies to this request.'
      : `The skill that applies is ${skill}.`
  const basis = evidence
    .slice(0, evidenceMax)
    .map((text) => text.slice(0, evidenceCharactersMax).trim())
    .join(' | ')
  return (basis === '' ? step : `${step}\nIt rests on: ${basis}`).toWellFormed()
}
