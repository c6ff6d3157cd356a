import { isObject, type Operation, operations } from '@sluice/contract'
import type { Call } from '../call.ts'

/** Whether an upstream does nothing that it charges for: looking how a task goes, or counting. */
export function isFree({ operation, format }: Pick<Call, 'operation' | 'format'>): boolean {
  const described: Operation = operations[operation]
  return described.isFree === true || format.counted !== undefined
}

/** Of a recording, in the least that speech is compressed to: 32 kbit/s. */
const audioBytesPerSecond = 4_000
/** What providers make of a second of sound, at most (Gemini API, token counting). */
const audioTokensPerSecond = 32
/** What a second of fast speech is as text. */
const spokenTokensPerSecond = 8

/** How much a recording is, and what is said in it. */
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

/** So many documents are one search (Cohere API, rerank). */
const documentsPerSearch = 100

/** How many searches a request to rank is. */
export function searchesIn({ documents }: Readonly<Record<string, unknown>>): number {
  const count = Array.isArray(documents) ? documents.length : 1
  return Math.max(1, Math.ceil(count / documentsPerSearch))
}
