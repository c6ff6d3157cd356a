import { countOf, isObject, noUsage, type OperationName, type Usage } from '@sluice/contract'
import type { Call } from '../call.ts'
import type { Delivery } from './delivery.ts'

/** In English; each event with content is one token at least. */
const bytesPerToken = 4
/** So much of a prompt is counted; the rest is taken to be like it. */
const sampleMax = 16_384

interface Knowledge {
  readonly said: Usage | undefined
  readonly countTokens: (text: string) => number
}

/** What of the request is the prompt: what is uploaded is none. */
const promptFields: Readonly<Partial<Record<OperationName, 'all' | readonly string[]>>> = {
  chat: 'all',
  complete: 'all',
  transcribe: ['prompt'],
  translate: ['prompt'],
}

/**
 * What an answer has used that nobody has read to its end, so that its upstream never said it. An estimate; undefined
 * where nothing came, where what was said comes near it, or where nobody pays by what has come.
 */
export function estimatedUsage(
  { operation, request }: Pick<Call, 'operation' | 'request'>,
  { events, textBytes }: Pick<Delivery, 'events' | 'textBytes'>,
  { said, countTokens }: Knowledge,
): Usage | undefined {
  if (events === 0) return undefined
  if (operation === 'createImage' || operation === 'editImage')
    // Pictures are drawn together, and the first that shows was paid for with the others.
    return said ? undefined : { ...noUsage, images: countOf(request.value['n']) ?? 1 }
  const prompt = promptFields[operation]
  if (prompt === undefined) return undefined
  const outputTokens = Math.max(events, Math.round(textBytes / bytesPerToken))
  if (said && said.outputTokens >= outputTokens / 2) return undefined
  return {
    ...said,
    inputTokens: said?.inputTokens || promptTokens(askedIn(request, prompt), countTokens),
    outputTokens,
  }
}

function askedIn({ value }: Call['request'], prompt: 'all' | readonly string[]): unknown {
  return prompt === 'all' ? value : prompt.map((name) => value[name])
}

function promptTokens(request: unknown, countTokens: (text: string) => number): number {
  const prompt: Prompt = { length: 0, sample: '' }
  addTexts(request, prompt)
  if (prompt.sample === '') return 0
  return Math.round((countTokens(prompt.sample) / prompt.sample.length) * prompt.length)
}

interface Prompt {
  length: number
  sample: string
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

/** Whether a text is media in data: a data URL, or base64 that is too long for a word. */
export function isMedia(text: string): boolean {
  if (text.startsWith('data:')) return true
  return text.length >= mediaLengthMin && /^[\w+/=-]+$/.test(text.slice(0, mediaLengthMin))
}
