import { countOf, isObject, noUsage, type OperationName, type Usage } from '@sluice/contract'
import type { Call } from '../call.ts'
import { searchesIn } from '../limits/paid-amounts.ts'
import type { Delivery } from './delivery.ts'

/** In English; each event with content is one token at least. */
const bytesPerToken = 4
/** So much of a prompt is counted; the rest is taken to be like it. */
const sampleMax = 16_384

interface Knowledge {
  readonly said: Usage | undefined
  readonly countTokens: (text: string) => number
  /** Of how many attempts together the request was asked for. */
  readonly pieces: number
}

/** What of the request is the prompt: what is uploaded is none. */
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
 * What an attempt has used that was cut off, so that its upstream never said it: what was asked, and what has come of the
 * answer. An estimate; undefined where what was said comes near it, or where it is paid for by what `askedUsage` knows.
 */
export function estimatedUsage(
  { operation, request }: Pick<Call, 'operation' | 'request'>,
  { events, textBytes }: Pick<Delivery, 'events' | 'textBytes'> = nothingCame,
  { said, countTokens, pieces }: Knowledge,
): Usage | undefined {
  // How long a recording is nobody has said.
  if (events === 0 && (said || listens.has(operation))) return undefined
  if (operation === 'createImage' || operation === 'editImage')
    // Pictures are drawn together, and the first that shows was paid for with the others.
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
      // Embeddings that are asked for in pieces have each a part of the prompt, and answers one by one have each the whole.
      Math.round(
        promptTokens(askedIn(request, prompt), countTokens) / (operation === 'embed' ? pieces : 1),
      ),
    outputTokens,
  }
}

function askedIn({ value }: Call['request'], prompt: 'all' | readonly string[]): unknown {
  return prompt === 'all' ? value : prompt.map((name) => value[name])
}

function promptTokens(request: unknown, countTokens: (text: string) => number): number {
  const prompt: Prompt = { length: 0, sample: '', tokens: 0 }
  addTexts(request, prompt)
  if (prompt.sample === '') return prompt.tokens
  return prompt.tokens + (countTokens(prompt.sample) / prompt.sample.length) * prompt.length
}

interface Prompt {
  length: number
  sample: string
  /** Those that the caller has made of texts itself. */
  tokens: number
}

/** All texts; media in data are paid for otherwise. */
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

const mediaLengthMin = 1_000

/** Whether a text is media in data: a data URL, or base64 that is too long for a word. */
export function isMedia(text: string): boolean {
  if (text.startsWith('data:')) return true
  return text.length >= mediaLengthMin && /^[\w+/=-]+$/.test(text.slice(0, mediaLengthMin))
}
