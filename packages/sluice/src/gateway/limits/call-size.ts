import { isObject } from '@sluice/contract'
import type { Call } from '../call.ts'
import { type Estimates, inputTokensOf } from './input-size.ts'
import { heardIn, isFree } from './paid-amounts.ts'

/** Models whose sizes are kept; the one learned first goes first. */
const modelsMax = 10_000
/** How fast a size comes down to that of shorter answers. */
const shareOfLast = 1 / 8

const writes: ReadonlySet<string> = new Set(['chat', 'complete'])
/** What the client formats call the most tokens of an answer. */
const outputLimits = ['max_completion_tokens', 'max_tokens', 'max_output_tokens'] as const

/** How long answers are, by the model's name as callers write it: the longest of late, which shorter ones bring down. */
export class LearnedSizes {
  readonly #output = new Map<string, number>()

  /** Undefined where none has answered. */
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

/** How large a call may be, before anybody has counted. */
export interface CallSize {
  readonly inputTokens: number
  /** Of each answer. */
  readonly outputTokens: number
  /** Answers that are asked for at once. */
  readonly choices: number
}

const nothing: CallSize = { inputTokens: 0, outputTokens: 0, choices: 1 }

/** What is known of sizes before an upstream has counted. */
export interface Sizing {
  readonly learned: LearnedSizes
  readonly estimates: Estimates
  /** Tokens of what came before, where it is kept here. */
  readonly history?: number | undefined
}

const listens: ReadonlySet<string> = new Set(['transcribe', 'translate'])

/** What goes to the upstream and what it knows already, and what it may answer. */
export function sizeOf(call: Call, { learned, estimates, history }: Sizing): CallSize {
  if (isFree(call)) return nothing
  const { value, model } = call.request
  if (listens.has(call.operation)) {
    const { audioInputTokens, outputTokens } = heardIn(value)
    const said = inputTokensOf(value['prompt'], estimates)
    return { ...nothing, inputTokens: audioInputTokens + said, outputTokens }
  }
  const said = inputTokensOf(value, estimates)
  const { kept = [] } = call.format
  const isContinued = kept.some((name) => value[name] !== undefined && value[name] !== null)
  const inputTokens = said + (isContinued ? (history ?? estimates.historyTokens) : 0)
  if (!writes.has(call.operation)) return { ...nothing, inputTokens }
  return { inputTokens, ...outputOf(value, learned.of(model) ?? estimates.outputTokens) }
}

/** The id of the answer that a call continues; undefined where it continues none. */
export function continuedBy({ request, operation }: Call): string | undefined {
  if (!writes.has(operation)) return undefined
  const previous = request.value['previous_response_id']
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
  // Of several the largest: nobody knows here which of them the upstream goes by.
  const limits = [...outputLimits.map((name) => value[name]), config['maxOutputTokens']]
  const counts = [value['n'], value['best_of'], config['candidateCount']]
  return {
    outputTokens: Math.ceil(largest(limits) ?? usual),
    choices: largest(counts) ?? 1,
  }
}

function largest(values: readonly unknown[]): number | undefined {
  const counts = values.filter((value) => isCount(value))
  return counts.length === 0 ? undefined : Math.max(...counts)
}

function isCount(value: unknown): value is number {
  return typeof value === 'number' && value > 0
}
