import type { Measured } from '@sluice/protocols'
import type { Call } from '../call/call.ts'
import { type Estimates, estimatedInput, type InputSize, inputSizeOf } from './input-size.ts'
import { heardIn, isFree, usualAudio } from './paid-amounts.ts'

/** Number of models whose sizes are kept; the one learned first is removed first. */
const modelsMax = 10_000
/** How fast a learned size decreases when responses are shorter. */
const shareOfLast = 1 / 8

const writes: ReadonlySet<string> = new Set(['chat', 'complete'])

/** Whether a call is answered with text whose length is not known before. */
export function isWriting({ operation }: Pick<Call, 'operation'>): boolean {
  return writes.has(operation)
}

/**
 * Learned output lengths by the model name callers use: the longest recent response, reduced gradually by shorter
 * ones. Only token rates use them.
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

/** What a call says about its size. */
export interface CallSize {
  readonly measured: Measured
  readonly input: InputSize
  /** The usual numbers of tokens. */
  readonly estimate: {
    readonly inputTokens: number
    /** Of each choice. */
    readonly outputTokens: number
  }
}

/** What is known about sizes before the upstream reports usage. */
export interface Sizing {
  readonly learned: LearnedSizes
  readonly estimates: Estimates
  /** Tokens of the earlier conversation, if it is stored here. */
  readonly history?: number | undefined
}

const listens: ReadonlySet<string> = new Set(['transcribe', 'translate'])

/** Measures a call in its client's format. */
export function sizeOf(call: Call, { learned, estimates, history }: Sizing): CallSize {
  const measured = call.format.measure(call.request.outline)
  const input = inputSizeOf(call, measured, history)
  const said = isFree(call) ? 0 : estimatedInput(input, estimates)
  if (listens.has(call.operation)) {
    const { audioInputTokens, outputTokens } = heardIn(call.request.outline, usualAudio)
    return { measured, input, estimate: { inputTokens: said + audioInputTokens, outputTokens } }
  }
  const usual = learned.of(call.request.model) ?? estimates.outputTokens
  const outputTokens = isWriting(call) && !isFree(call) ? (askedOutput(call) ?? usual) : 0
  return { measured, input, estimate: { inputTokens: said, outputTokens: Math.ceil(outputTokens) } }
}

/** The most output tokens that a request allows for each choice; undefined if it does not limit them. */
export function askedOutput({
  format,
  request,
}: Pick<Call, 'format' | 'request'>): number | undefined {
  return format.outputLimit === 'none' ? undefined : format.outputLimit.of(request.outline)
}

/** The id of the response that a call continues; undefined if it continues none. */
export function continuedBy(call: Call): string | undefined {
  if (!isWriting(call)) return undefined
  const previous = call.request.outline[call.format.continues]
  return typeof previous === 'string' ? previous : undefined
}

/** The tokens that a call usually uses; `outputTokens` is the limit that the gateway has set, if any. */
export function usualTokens({ estimate, measured }: CallSize, outputTokens?: number): number {
  return estimate.inputTokens + (outputTokens ?? estimate.outputTokens) * measured.choices
}
