import { countOf, isObject, noUsage, type OperationName, type Usage } from '@sluice/contract'
import { unbilledFields } from '@sluice/protocols/measure.ts'
import type { Call } from '../call/call.ts'
import { isMedia, mediaTokensOf } from '../admit/input-size.ts'
import { promptsIn, searchesIn } from '../admit/call-size.ts'
import type { Delivery } from './delivery.ts'

/** For English text; each event with content counts as at least one token. */
const bytesPerToken = 4
/** Only this many characters of a prompt are tokenized; the rest is extrapolated. */
const sampleMax = 16_384

interface Knowledge {
  readonly said: Usage | undefined
  readonly countTokens: (text: string) => number
  /** The number of attempts the request was split into. */
  readonly pieces: number
}

/** The request fields that make up the prompt. Uploads do not count. */
const promptFields: Readonly<Partial<Record<OperationName, 'all' | readonly string[]>>> = {
  chat: 'all',
  complete: 'all',
  embed: 'all',
  rerank: 'all',
  moderate: 'all',
  transcribe: ['prompt'],
  translate: ['prompt'],
}
const listens: ReadonlySet<OperationName> = new Set<OperationName>(['transcribe', 'translate'])
const nothingCame: Pick<Delivery, 'events' | 'textBytes'> = { events: 0, textBytes: 0 }

/**
 * Estimates the usage of an attempt that was cut off before the upstream reported it, from the request and the
 * content received. Undefined if the reported usage is close to the estimate, or if the request is billed by what
 * `askedUsage` returns.
 */
export function estimatedUsage(
  call: Pick<Call, 'operation' | 'request' | 'format'>,
  { events, textBytes }: Pick<Delivery, 'events' | 'textBytes'> = nothingCame,
  { said, countTokens, pieces }: Knowledge,
): Usage | undefined {
  const { operation, request } = call
  // The length of a recording is unknown.
  if (events === 0 && (said || listens.has(operation))) return undefined
  if (operation === 'createImage' || operation === 'editImage')
    // Images are generated together, so the first one received means that all were paid for.
    return said ? undefined : { ...noUsage, images: countOf(request.value['n']) ?? 1 }
  const prompt = promptFields[operation]
  if (prompt === undefined) return undefined
  const outputTokens = Math.max(events, Math.round(textBytes / bytesPerToken))
  if (said && said.outputTokens >= outputTokens / 2) return undefined
  return {
    ...said,
    ...(operation === 'rerank' && { searchUnits: searchesIn(request.value) }),
    inputTokens:
      said?.inputTokens ||
      Math.round(promptTokens(call, prompt, countTokens) / sharesOf(operation, request, pieces)),
    outputTokens,
  }
}

/**
 * Each piece of split embeddings holds part of the prompt, and each of several text completions one of the prompts; each of
 * several chat answers holds the whole prompt.
 */
function sharesOf(operation: OperationName, { value }: Call['request'], pieces: number): number {
  if (pieces === 1) return 1
  if (operation === 'complete') return promptsIn(value['prompt'])
  return operation === 'embed' ? pieces : 1
}

function askedIn({ value }: Call['request'], prompt: 'all' | readonly string[]): unknown {
  const names = prompt === 'all' ? Object.keys(value) : prompt
  const billed = names.filter((name) => !unbilledFields.has(name))
  return Object.fromEntries(billed.map((name) => [name, value[name]]))
}

function promptTokens(
  { request, format }: Pick<Call, 'request' | 'format'>,
  fields: 'all' | readonly string[],
  countTokens: (text: string) => number,
): number {
  const tokens = mediaTokensOf(format.measure(request.outline))
  const prompt: Prompt = { length: 0, sample: '', tokens }
  addTexts(askedIn(request, fields), prompt)
  if (prompt.sample === '') return prompt.tokens
  return prompt.tokens + (countTokens(prompt.sample) / prompt.sample.length) * prompt.length
}

/**
 * Notes the usual number of input tokens of a request whose stream the gateway writes, by the size of its texts and media. To
 * be called where the request is translated: while an upstream is waited for, only its bytes are kept.
 */
export function noteExpectedInput({ format, request, trail, writer }: Call): void {
  // OpenAI's formats tell no usage before the end.
  if (writer === undefined || format.isOwn === true || trail.expectedInput !== undefined) return
  const media = mediaTokensOf(format.measure(request.outline))
  const texts = textBytesIn(askedIn(request, 'all'))
  trail.expectedInput = media + Math.ceil(texts / bytesPerToken)
}

function textBytesIn(value: unknown): number {
  if (typeof value === 'string') return isMedia(value) ? 0 : Buffer.byteLength(value)
  let sum = 0
  if (Array.isArray(value)) for (const item of value) sum += textBytesIn(item)
  else if (isObject(value)) for (const name in value) sum += textBytesIn(value[name])
  return sum
}

interface Prompt {
  length: number
  sample: string
  /** Of media, and of token ids sent instead of text. */
  tokens: number
}

/** Collects all strings. Media are counted by `mediaTokensOf`. */
function addTexts(value: unknown, prompt: Prompt): void {
  if (typeof value === 'string') {
    if (isMedia(value)) return
    prompt.length += value.length
    prompt.sample += value.slice(0, Math.max(0, sampleMax - prompt.sample.length))
  } else if (Array.isArray(value))
    for (const item of value)
      if (typeof item === 'number') prompt.tokens += 1
      else addTexts(item, prompt)
  else if (isObject(value)) for (const name in value) addTexts(value[name], prompt)
}
