import { isObject } from '@sluice/contract'
import type { Received } from '@sluice/protocols/protocol.ts'

/**
 * JSON error messages of servers that do not have the requested endpoint. Only whole sentences are matched, because
 * other messages may quote the caller, such as an id that was not found.
 */
const sentences: readonly RegExp[] = [
  // FastAPI, Spring and llama.cpp's server, without any detail.
  /^(?:file )?not found\.?$/i,
  // OpenAI and Groq.
  /^invalid url \((?:get|post) [\w./-]+\)$/i,
  /^unknown request url: (?:get|post) [\w./-]+\.(?: please check the url for typos.*)?$/i,
  // Kong.
  /^no route matched with those values$/i,
]

/**
 * Whether a response says that the upstream lacks the endpoint: 405, 501, or a 404 that no application has written. A
 * 404 with an error object is about an object in the request and goes to the caller.
 */
export function lacksAddress(received: Received): boolean {
  const { status } = received
  if (status === 405 || status === 501) return true
  if (status !== 404) return false
  const words = errorWords(received)
  return words === undefined || sentences.some((sentence) => sentence.test(words))
}

/** The message of a JSON error; undefined if the body is not one. */
function errorWords(received: Received): string | undefined {
  let body: unknown
  try {
    body = received.json()
  } catch {
    return undefined
  }
  const first: unknown = Array.isArray(body) ? body[0] : body
  if (!isObject(first)) return undefined
  const { error, message, detail } = first
  const said = error ?? message ?? detail
  if (said === undefined || said === null) return Object.keys(first).length === 0 ? undefined : ''
  if (typeof said === 'string') return said
  return isObject(said) && typeof said['message'] === 'string' ? said['message'] : ''
}
