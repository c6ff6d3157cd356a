import {
  isObject,
  noUsage,
  objectOf,
  type Operation,
  operations,
  soundSeconds,
  type Usage,
} from '@sluice/contract'
import type { Measured } from '@sluice/protocols/measure.ts'
import { type Call, isWriting } from '../call/call.ts'
import { type Estimates, estimatedInput, type InputSize, inputSizeOf } from './input-size.ts'

/** Number of models whose sizes are kept; the one learned first is removed first. */
const modelsMax = 10_000
/** How fast a learned size decreases when responses are shorter. */
const shareOfLast = 1 / 8

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

/** The stored response or conversation that a call continues. */
export type Earlier = { readonly response: string } | { readonly conversation: string }

/** What a call continues; undefined if it continues nothing. */
export function earlierOf(call: Call): Earlier | undefined {
  if (!isWriting(call)) return undefined
  const { [call.format.continues]: response, conversation } = call.request.outline
  if (typeof response === 'string') return { response }
  if (conversation === undefined || call.format.conversation === undefined) return undefined
  const id = call.format.conversation(call.request.outline)
  return id === undefined ? undefined : { conversation: id }
}

/** The tokens that a call usually uses; `outputTokens` is the limit that the gateway has set, if any. */
export function usualTokens({ estimate, measured }: CallSize, outputTokens?: number): number {
  return estimate.inputTokens + (outputTokens ?? estimate.outputTokens) * measured.choices
}

/** Whether the upstream does not charge for the operation, such as polling a job or counting tokens. */
export function isFree({ operation, format }: Pick<Call, 'operation' | 'format'>): boolean {
  const described: Operation = operations[operation]
  return described.isFree === true || format.counted !== undefined
}

/** Speech at 32 kbit/s, a low bitrate. */
export const usualAudio = { bytesPerSecond: 4_000 }
/** Speech at 6 kbit/s, the lowest bitrate of Opus (RFC 6716, section 2.1.1). */
export const densestAudio = { bytesPerSecond: 750 }
/** The maximum that providers count per second of audio (Gemini API, token counting). */
const audioTokensPerSecond = 32
/** Of a transcript of fast speech. */
const spokenTokensPerSecond = 8

/** The length of a recording, as its file says or of this density, and the size of its transcript. */
export function heardIn(
  request: Readonly<Record<string, unknown>>,
  { bytesPerSecond }: typeof usualAudio,
) {
  const { bytes } = objectOf(request['file'])
  const file = bytes instanceof Uint8Array ? bytes : new Uint8Array()
  const seconds = Math.ceil(soundSeconds(file) ?? file.length / bytesPerSecond)
  return {
    seconds,
    audioInputTokens: seconds * audioTokensPerSecond,
    outputTokens: seconds * spokenTokensPerSecond,
  }
}

/** Documents per search unit (Cohere API, rerank). */
const documentsPerSearch = 100
/** Tokens of a document with the query before it counts as several (Cohere API, rerank). */
const documentTokensMax = 500

/** The usual number of search units of a rerank request. */
export function searchesIn(request: Readonly<Record<string, unknown>>): number {
  return unitsOf(documentsIn(request).length)
}

/** The most search units of a rerank request, if each byte is a token. */
export function mostSearchesIn(request: Readonly<Record<string, unknown>>): number {
  const query = lengthOf(request['query'])
  const parts = documentsIn(request).map((one) =>
    Math.max(1, Math.ceil((lengthOf(one) + query) / documentTokensMax)),
  )
  return unitsOf(parts.reduce((sum, count) => sum + count, 0))
}

/** The most tokens of a rerank request: some providers count the query with each document (Voyage AI, pricing). */
export function mostRankedTokens(request: Readonly<Record<string, unknown>>): number {
  const documents = documentsIn(request)
  const texts = documents.reduce<number>((sum, one) => sum + lengthOf(one), 0)
  return texts + lengthOf(request['query']) * Math.max(1, documents.length)
}

function unitsOf(documents: number): number {
  return Math.max(1, Math.ceil(documents / documentsPerSearch))
}

function documentsIn({ documents }: Readonly<Record<string, unknown>>): readonly unknown[] {
  return Array.isArray(documents) ? documents : []
}

/** The bytes of a text, or of the JSON of something else; 0 for nothing. */
export function lengthOf(value: unknown): number {
  if (value === null || value === undefined) return 0
  return Buffer.byteLength(typeof value === 'string' ? value : (JSON.stringify(value) ?? ''))
}

/** The prompts of a text completion: several texts or lists of token ids have as many answers each. */
export function promptsIn(prompt: unknown): number {
  return Array.isArray(prompt) && typeof prompt[0] !== 'number' ? Math.max(1, prompt.length) : 1
}

/**
 * Adds usage that is billed by the request: upstreams do not report the characters of speech or the size of an image, nor many
 * the length of a recording.
 */
export function askedUsage(
  { operation, request }: Call,
  said: Usage | undefined,
): Usage | undefined {
  switch (operation) {
    case 'speak': {
      const { input } = request.value
      if (said !== undefined || typeof input !== 'string') return said
      return { ...noUsage, characters: [...input].length }
    }
    case 'transcribe':
    case 'translate': {
      const { file } = request.value
      const seconds = said === undefined ? soundLength(file) : undefined
      return seconds === undefined ? said : { ...noUsage, seconds }
    }
    case 'createVideo': {
      const { seconds, size } = request.value
      const length = said?.seconds ?? Number(seconds ?? Number.NaN)
      if (!Number.isFinite(length)) return said
      const asked = typeof size === 'string' ? { size } : {}
      return { ...(said ?? noUsage), seconds: length, ...asked }
    }
    case 'createImage':
    case 'editImage': {
      if (said?.images === undefined) return said
      const { size, quality } = isObject(request.value) ? request.value : {}
      return {
        ...said,
        ...(typeof size === 'string' && { size }),
        ...(typeof quality === 'string' && { quality }),
      }
    }
    default:
      return said
  }
}

function soundLength(file: unknown): number | undefined {
  const bytes = isObject(file) ? file['bytes'] : undefined
  return bytes instanceof Uint8Array ? soundSeconds(bytes) : undefined
}
