import { isObject } from '@sluice/contract'
import type { Received } from '@sluice/protocols'

/**
 * What servers say of an address that they do not have, where they say it in the form of an error. Whole sentences alone:
 * the words of a caller, such as an id that is not found, may be quoted in any other.
 */
const sentences: readonly RegExp[] = [
  // FastAPI, Spring and llama.cpp's server, which name nothing that was asked for.
  /^(?:file )?not found\.?$/i,
  // OpenAI, and Groq.
  /^invalid url \((?:get|post) [\w./-]+\)$/i,
  /^unknown request url: (?:get|post) [\w./-]+\.(?: please check the url for typos.*)?$/i,
  // Kong.
  /^no route matched with those values$/i,
]

/**
 * Whether an answer says that the upstream has no such address: 405, 501, or a 404 that no application has written. An
 * error object with a 404 is about what the request names, which is for its caller alone.
 */
export function lacksAddress(received: Received): boolean {
  const { status } = received
  if (status === 405 || status === 501) return true
  if (status !== 404) return false
  const words = errorWords(received)
  return words === undefined || sentences.some((sentence) => sentence.test(words))
}

/** The sentence of an error in JSON; undefined where the body is not one. */
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
