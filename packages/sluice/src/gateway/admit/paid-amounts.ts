import { objectOf, type Operation, operations, soundSeconds } from '@sluice/contract'
import type { Call } from '../call/call.ts'

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
