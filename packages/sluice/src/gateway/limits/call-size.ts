import { isObject, type Operation, operations } from '@sluice/contract'
import { textLength } from '../attempt/estimate.ts'
import type { Call } from '../call.ts'

/** In English. */
const charactersPerToken = 4
/** What an answer is taken for whose model has not answered yet, in tokens. */
const outputUnlearned = 256
/** Models whose sizes are kept; the one learned first goes first. */
const modelsMax = 10_000
/** How much of the average each answer is. */
const shareOfLast = 1 / 8

const writes: ReadonlySet<string> = new Set(['chat', 'complete'])
/** What the client formats call the most tokens of an answer. */
const outputLimits = ['max_completion_tokens', 'max_tokens', 'max_output_tokens'] as const

/** How long answers are, by the model's name as callers write it: an exponential average of their tokens. */
export class LearnedSizes {
  readonly #output = new Map<string, number>()

  of(model: unknown): number {
    return (typeof model === 'string' && this.#output.get(model)) || outputUnlearned
  }

  learn(model: unknown, outputTokens: number): void {
    if (typeof model !== 'string') return
    const known = this.#output.get(model)
    const [oldest] = this.#output.size < modelsMax || known !== undefined ? [] : this.#output.keys()
    if (oldest !== undefined) this.#output.delete(oldest)
    const next = known === undefined ? outputTokens : known + (outputTokens - known) * shareOfLast
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

/** Its texts, and what it may be answered. */
export function sizeOf(call: Call, learned: LearnedSizes): CallSize {
  if (isFree(call)) return nothing
  const { value } = call.request
  const inputTokens = call.request.hasBytes ? Math.ceil(textLength(value) / charactersPerToken) : 0
  if (!writes.has(call.operation)) return { ...nothing, inputTokens }
  return { inputTokens, ...outputOf(value, learned.of(call.request.model)) }
}

/** Whether an upstream does nothing that it charges for: looking how a task goes, or counting. */
export function isFree({ operation, format }: Pick<Call, 'operation' | 'format'>): boolean {
  const described: Operation = operations[operation]
  return described.isFree === true || format.counted !== undefined
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
  const limits = [...outputLimits.map((name) => value[name]), config['maxOutputTokens']]
  const choices = [value['n'], config['candidateCount']].find((one) => isCount(one)) ?? 1
  return { outputTokens: Math.ceil(limits.find((one) => isCount(one)) ?? usual), choices }
}

function isCount(value: unknown): value is number {
  return typeof value === 'number' && value > 0
}
