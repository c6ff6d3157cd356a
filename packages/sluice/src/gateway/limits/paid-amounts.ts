import { isObject, type Operation, operations } from '@sluice/contract'
import type { Call } from '../call.ts'

/** Whether the upstream does not charge for the operation, such as polling a job or counting tokens. */
export function isFree({ operation, format }: Pick<Call, 'operation' | 'format'>): boolean {
  const described: Operation = operations[operation]
  return described.isFree === true || format.counted !== undefined
}

/** Of a recording at the lowest common speech bitrate, 32 kbit/s. */
const audioBytesPerSecond = 4_000
/** The maximum that providers count per second of audio (Gemini API, token counting). */
const audioTokensPerSecond = 32
/** Of a transcript of fast speech. */
const spokenTokensPerSecond = 8

/** Estimates the length of a recording and the size of its transcript. */
export function heardIn({ file }: Readonly<Record<string, unknown>>) {
  const bytes = isObject(file) ? file['bytes'] : undefined
  const length = bytes instanceof Uint8Array ? bytes.length : 0
  const seconds = Math.ceil(length / audioBytesPerSecond)
  return {
    seconds,
    audioInputTokens: seconds * audioTokensPerSecond,
    outputTokens: seconds * spokenTokensPerSecond,
  }
}

/** Documents per search unit (Cohere API, rerank). */
const documentsPerSearch = 100

/** The number of search units of a rerank request. */
export function searchesIn({ documents }: Readonly<Record<string, unknown>>): number {
  const count = Array.isArray(documents) ? documents.length : 1
  return Math.max(1, Math.ceil(count / documentsPerSearch))
}

/** The prompts of a text completion: several texts or lists of token ids have as many answers each. */
export function promptsIn(prompt: unknown): number {
  return Array.isArray(prompt) && typeof prompt[0] !== 'number' ? Math.max(1, prompt.length) : 1
}
