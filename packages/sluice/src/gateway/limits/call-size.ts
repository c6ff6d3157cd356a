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

/** The tokens that a call may take, before anybody has counted them: its texts, and what it may be answered. */
export function tokensOf(call: Call, learned: LearnedSizes): number {
  const operation: Operation = operations[call.operation]
  if (operation.isFree === true || call.format.counted !== undefined) return 0
  const { value } = call.request
  const input = call.request.hasBytes ? Math.ceil(textLength(value) / charactersPerToken) : 0
  return writes.has(call.operation)
    ? input + outputOf(value, learned.of(call.request.model))
    : input
}

function outputOf(value: Readonly<Record<string, unknown>>, usual: number): number {
  const gemini = value['generationConfig']
  const config: Readonly<Record<string, unknown>> = isObject(gemini) ? gemini : {}
  const limits = [...outputLimits.map((name) => value[name]), config['maxOutputTokens']]
  const limit = limits.find((one) => isCount(one)) as number | undefined
  const choices = [value['n'], config['candidateCount']].find((one) => isCount(one)) as
    | number
    | undefined
  return Math.ceil((limit ?? usual) * (choices ?? 1))
}

function isCount(value: unknown): value is number {
  return typeof value === 'number' && value > 0
}
