import { type EventBlock, isObject, type Usage } from '@sluice/contract'
import type { Call } from '../call.ts'

/** What of an answer has come, counted as it came. */
export interface Delivered {
  /** Events with content. */
  readonly events: number
  /** Their bytes as they came. */
  readonly bytes: number
  /** The last of them: all of one stream are framed alike. */
  readonly last: EventBlock | undefined
}

/** In English; each event with content is one token at least. */
const bytesPerToken = 4
/** So much of a prompt is counted; the rest is taken to be like it. */
const sampleMax = 16_384

/** Texts of the answer in an event, whatever its format calls them. */
const answerText =
  /"(?:content|text|delta|thinking|partial_json|arguments|reasoning_content|reasoning|refusal)": ?"((?:[^"\\]|\\.)*)"/g

/**
 * What an answer has used that nobody has read to its end, so that its upstream never said it. An estimate; undefined
 * where nothing came, or what was said comes near it.
 */
export function estimatedUsage(
  { request }: Pick<Call, 'request'>,
  { events, bytes, last }: Delivered,
  { said, countTokens }: { said: Usage | undefined; countTokens: (text: string) => number },
): Usage | undefined {
  if (last === undefined) return undefined
  const data = last.kind === 'event' ? last.data : ''
  const frame = last.raw.length - textBytes(data)
  const outputTokens = Math.max(events, Math.round((bytes - events * frame) / bytesPerToken))
  if (said && said.outputTokens >= outputTokens / 2) return undefined
  const inputTokens = said?.inputTokens || promptTokens(request.value, countTokens)
  return { ...said, inputTokens, outputTokens }
}

/** A longer event is text all but for its frame. */
const framedMax = 65_536

function textBytes(data: string): number {
  if (data.length > framedMax) return data.length
  let bytes = 0
  for (const [, text = ''] of data.matchAll(answerText)) bytes += Buffer.byteLength(text)
  return bytes
}

function promptTokens(
  request: Readonly<Record<string, unknown>>,
  countTokens: (text: string) => number,
): number {
  const prompt: Prompt = { length: 0, sample: '' }
  addTexts(request, prompt)
  if (prompt.sample === '') return 0
  return Math.round((countTokens(prompt.sample) / prompt.sample.length) * prompt.length)
}

interface Prompt {
  length: number
  sample: string
}

/** The characters of all texts in a request; media in data are paid for otherwise. */
export function textLength(value: unknown): number {
  if (typeof value === 'string') return isMedia(value) ? 0 : value.length
  let length = 0
  if (Array.isArray(value)) for (const item of value) length += textLength(item)
  else if (isObject(value)) for (const name in value) length += textLength(value[name])
  return length
}

/** All texts; media in data are paid for otherwise. */
function addTexts(value: unknown, prompt: Prompt): void {
  if (typeof value === 'string') {
    if (isMedia(value)) return
    prompt.length += value.length
    prompt.sample += value.slice(0, Math.max(0, sampleMax - prompt.sample.length))
  } else if (Array.isArray(value)) for (const item of value) addTexts(item, prompt)
  else if (isObject(value)) for (const name in value) addTexts(value[name], prompt)
}

const mediaLengthMin = 1_000

function isMedia(text: string): boolean {
  if (text.startsWith('data:')) return true
  return text.length >= mediaLengthMin && /^[\w+/=-]+$/.test(text.slice(0, mediaLengthMin))
}
