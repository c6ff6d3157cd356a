import { isObject, objectOf } from '@sluice/contract'
import type { Call } from '../call.ts'
import { type Estimates, inputTokensOf } from './input-size.ts'
import { heardIn, isFree, promptsIn } from './paid-amounts.ts'

/** Number of models whose sizes are kept; the one learned first is removed first. */
const modelsMax = 10_000
/** How fast a learned size decreases when responses are shorter. */
const shareOfLast = 1 / 8

const writes: ReadonlySet<string> = new Set(['chat', 'complete'])
/** The names of the output token limit in the client formats. */
const outputLimits = ['max_completion_tokens', 'max_tokens', 'max_output_tokens'] as const

/**
 * Learned output lengths by the model name callers use: the longest recent response, reduced gradually by shorter
 * ones.
 */
export class LearnedSizes {
  readonly #output = new Map<string, number>()

  /** Undefined if no response of the model was seen. */
  of(model: unknown): number | undefined {
    return typeof model === 'string' ? this.#output.get(model) : undefined
  }

  learn(model: unknown, outputTokens: number): void {
    if (typeof model !== 'string') return
    const known = this.#output.get(model)
    const [oldest] = this.#output.size < modelsMax || known !== undefined ? [] : this.#output.keys()
    if (oldest !== undefined) this.#output.delete(oldest)
    const isLonger = known === undefined || outputTokens >= known
    const next = isLonger ? outputTokens : known + (outputTokens - known) * shareOfLast
    this.#output.set(model, next)
  }
}

/** The estimated maximum size of a call. */
export interface CallSize {
  readonly inputTokens: number
  /** Of each choice. */
  readonly outputTokens: number
  /** Number of choices requested. */
  readonly choices: number
}

const nothing: CallSize = { inputTokens: 0, outputTokens: 0, choices: 1 }

/** What is known about sizes before the upstream reports usage. */
export interface Sizing {
  readonly learned: LearnedSizes
  readonly estimates: Estimates
  /** Tokens of the earlier conversation, if it is stored here. */
  readonly history?: number | undefined
}

const listens: ReadonlySet<string> = new Set(['transcribe', 'translate'])

/** Estimates the input, including the conversation stored upstream, and the maximum output. */
export function sizeOf(call: Call, { learned, estimates, history }: Sizing): CallSize {
  if (isFree(call)) return nothing
  const { outline: value, cut, model } = call.request
  if (listens.has(call.operation)) {
    const { audioInputTokens, outputTokens } = heardIn(value)
    const said = inputTokensOf(value['prompt'], estimates)
    return { ...nothing, inputTokens: audioInputTokens + said, outputTokens }
  }
  const said = inputTokensOf(value, estimates, cut)
  const { kept = [] } = call.format
  const isContinued = kept.some((path) => {
    const [name = '', inner] = path.split('.')
    const given = inner === undefined ? value[name] : objectOf(value[name])[inner]
    return given !== undefined && given !== null
  })
  const inputTokens = said + (isContinued ? (history ?? estimates.historyTokens) : 0)
  if (!writes.has(call.operation)) return { ...nothing, inputTokens }
  const output = outputOf(value, learned.of(model) ?? estimates.outputTokens)
  const prompts = call.operation === 'complete' ? promptsIn(value['prompt']) : 1
  return { inputTokens, ...output, choices: output.choices * prompts }
}

/** The id of the response that a call continues; undefined if it continues none. */
export function continuedBy({ request, operation }: Call): string | undefined {
  if (!writes.has(operation)) return undefined
  const previous = request.outline['previous_response_id']
  return typeof previous === 'string' ? previous : undefined
}

export function tokensOf({ inputTokens, outputTokens, choices }: CallSize): number {
  return inputTokens + outputTokens * choices
}

function outputOf(
  value: Readonly<Record<string, unknown>>,
  usual: number,
): Pick<CallSize, 'outputTokens' | 'choices'> {
  const gemini = value['generationConfig']
  const config: Readonly<Record<string, unknown>> = isObject(gemini) ? gemini : {}
  // The largest of several limits, because it is unknown here which one the upstream uses.
  let limit = countOf(config['maxOutputTokens'])
  for (const name of outputLimits) limit = Math.max(limit, countOf(value[name]))
  const choices = Math.max(
    countOf(value['n']),
    countOf(value['best_of']),
    countOf(config['candidateCount']),
  )
  return {
    outputTokens: Math.ceil(limit === 0 ? usual : limit),
    choices: choices === 0 ? 1 : choices,
  }
}

/** 0 for what is no count. */
function countOf(value: unknown): number {
  return typeof value === 'number' && value > 0 ? value : 0
}
