import type { ChatRequest, Usage } from '@sluice/contract'
import type { OperationContext } from '../operation.ts'
import { type Answer, type Ask, createAsk } from './ask/ask.ts'
import { jsonAnswer, jsonWishOf } from './json-answer.ts'
import { createOpenPart } from './media/open-part.ts'
import { createPause } from './pause.ts'
import { type ReadRequest, readRequest } from './read-request.ts'
import { answer as answerAsk } from './skills/index.ts'
import { styled, styleOf } from './style.ts'
import { nextCalls } from './tools/next-calls.ts'
import type { PlannedCall } from './tools/plan.ts'
import { type ToolUse, toolUseOf } from './tools/tool.ts'

/** Everything that is the same for all the choices of one request. */
export interface Thought {
  /** The calls to be made instead of an answer; empty where there is one. */
  readonly calls: readonly PlannedCall[]
  readonly use: ToolUse
  /** Ways to say the answer, best first. */
  readonly phrasings: readonly string[]
  /** What was done to find the answer, in plain words. */
  readonly reasoning: string
  readonly input: Usage
}

/** Reads a conversation and works out what to say or what to call. */
export async function think(request: ChatRequest, context: OperationContext): Promise<Thought> {
  const read = await readRequest(request, createOpenPart(context))
  const pause = createPause(context.signal)
  const ask = createAsk(read.conversation, context.now(), pause)
  const use = toolUseOf(request)
  const answer = await answerAsk(ask)
  const calls = nextCalls(use, ask, answer)
  const phrasings = calls.length > 0 ? [] : phrasingsOf(request, ask, answer)
  return { calls, use, phrasings, reasoning: reasoningOf(answer, calls), input: inputUsage(read) }
}

function phrasingsOf(request: ChatRequest, ask: Ask, answer: Answer): readonly string[] {
  const wish = jsonWishOf(request)
  if (wish.kind !== 'none') return [jsonAnswer(wish, ask, answer)]
  const style = styleOf(ask)
  if (style.json && answer.verbatim !== true) return [jsonAnswer({ kind: 'object' }, ask, answer)]
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
