import type { ChatRequest, FinishReason } from '@sluice/contract'
import { encode } from '../tokens.ts'
import { choiceTokensMax } from './read-request.ts'
import { createRandom, readSampling, weighCandidates } from './sampling/candidates.ts'
import { type ChosenToken, drawSample } from './sampling/chosen-tokens.ts'
import type { PlannedCall } from './tools/plan.ts'
import type { EngineTool } from './tools/tool.ts'

/** What all choices of one request have in common. */
interface Thought {
  /** The calls to make instead of an answer; empty if there is an answer. */
  readonly calls: readonly PlannedCall[]
  /** Wordings of the answer, best first. */
  readonly phrasings: readonly string[]
  /** How the answer was found, in plain words. */
  readonly reasoning: string
}

/** One choice, ready to be sent as a whole or in pieces. */
export interface Draft {
  readonly index: number
  /** Tokens of the reasoning; null if the request asked for none. */
  readonly reasoning: readonly string[] | null
  /** Null if there are calls. */
  readonly content: readonly ChosenToken[] | null
  readonly calls: readonly DraftCall[]
  readonly finish: FinishReason
}

export interface DraftCall {
  /** Set when the draft is sent. */
  readonly id: string
  readonly kind: EngineTool['kind']
  readonly name: string
  /** Tokens of the arguments, or of a custom tool's text. */
  readonly input: readonly string[]
}

/** The choices of a request, each sampled with a seed of its own. */
export async function createDrafts(
  request: ChatRequest,
  thought: Thought,
  seed: number,
): Promise<Draft[]> {
  const candidates = weighCandidates(thought.phrasings, await readSampling(request))
  const thinking = reasoningTokens(request, thought)
  const count = request.n ?? 1
  const limit = Math.min(request.max_completion_tokens ?? Infinity, choiceTokensMax(count))
  const reasoning = thinking === null ? null : thinking.slice(0, limit)
  // The rest for the answer; negative if even the reasoning does not fit.
  const tokensMax = limit - (thinking?.length ?? 0)
  return Array.from({ length: count }, (_, index) => {
    const none = { index, reasoning, content: [], calls: [] }
    if (tokensMax < 0) return { ...none, finish: 'length' }
    if (thought.calls.length > 0)
      return { ...none, content: null, ...callsWithin(thought, tokensMax) }
    const options = { tokensMax, stop: request.stop, isWeighed: request.logprobs === true }
    const { tokens, finish } = drawSample(candidates, createRandom(seed, index), options)
    return { ...none, content: tokens, finish }
  })
}

const thinkingEfforts: ReadonlySet<string> = new Set(['low', 'medium', 'high', 'xhigh', 'max'])

function reasoningTokens(request: ChatRequest, { reasoning }: Thought): readonly string[] | null {
  const effort = request.reasoning_effort
  const budget = request.thinking_budget
  const thinks = effort == null ? budget != null && budget !== 0 : thinkingEfforts.has(effort)
  if (!thinks) return null
  const tokens = encode(reasoning)
  return budget != null && budget > 0 ? tokens.slice(0, budget) : tokens
}

/** A call's name costs one token; arguments are cut like any other text. */
const nameTokens = 1

function callsWithin(thought: Thought, tokensMax: number): Pick<Draft, 'calls' | 'finish'> {
  const calls: DraftCall[] = []
  let left = tokensMax
  for (const { tool, input } of thought.calls) {
    if (left < nameTokens) return { calls, finish: 'length' }
    const tokens = encode(input)
    left -= nameTokens
    const { kind, name } = tool
    calls.push({ id: '', kind, name, input: tokens.slice(0, left) })
    left -= tokens.length
  }
  return { calls, finish: left < 0 ? 'length' : 'tool_calls' }
}

/** Tokens of a choice, including its reasoning. */
export function draftTokens({ reasoning, content, calls }: Draft): number {
  const called = calls.reduce((sum, call) => sum + nameTokens + call.input.length, 0)
  return (reasoning?.length ?? 0) + (content?.length ?? 0) + called
}
