import { isObject, listOf, objectOf } from '@sluice/contract'
import type { Received, UpstreamFailure } from '@sluice/protocols/protocol.ts'

/**
 * How sure it is that the upstream lacks the requested endpoint. `proved`: no application has written the response, or it says so in
 * a whole sentence. `possible`: nothing in the response is about the request's content.
 */
export type MissingAddress = 'proved' | 'possible'

/**
 * JSON error messages of servers that do not have the requested endpoint. Only whole sentences are matched, because
 * other messages may quote the caller, such as an id that was not found.
 */
const sentences: readonly RegExp[] = [
  // FastAPI, Spring, ASP.NET and llama.cpp's server, without any detail.
  /^(?:file )?not found\.?$/i,
  // OpenAI and Groq.
  /^invalid url \((?:get|post) [\w./-]+\)$/i,
  /^unknown request url: (?:get|post) [\w./-]+\.(?: please check the url for typos.*)?$/i,
  // Kong.
  /^no route matched with those values$/i,
  // LM Studio, with status 200.
  /^unexpected endpoint or method\. \((?:get|post) [\w./-]+\)$/i,
  // Cloudflare, with status 400, and Amazon's API Gateway, with status 403.
  /^no route for that uri$/i,
  /^missing authentication token$/i,
]

/** Codes of errors about something that the request names. */
const objects =
  /model|deployment|engine|response|file|conversation|prompt|thread|container|vector|assistant/i

/**
 * What a response says about the endpoint; undefined if it is about something else. A 404 with a parameter, or with a code that
 * names an object, is about that object. Whether its message names something in the request is for the caller to see
 * (`namesPartOf`). A 200 is one whose body is an error or a page.
 */
export function missingAddress(
  received: Received,
  { message, code, param }: UpstreamFailure,
): MissingAddress | undefined {
  const { status, contentType } = received
  if (status === 405 || status === 501) return 'proved'
  // A server that answers every address with the page of its console.
  if (status === 200 && contentType.includes('html')) return 'possible'
  const words = errorWords(received)
  if (status === 404 && words === undefined) return 'proved'
  if (isSentence(words) || isSentence(message))
    return status < 500 && status !== 401 && status !== 429 ? 'proved' : undefined
  if (param !== undefined || objects.test(code ?? '')) return undefined
  if (status === 404) return 'possible'
  return status === 200 && code === undefined ? 'possible' : undefined
}

function isSentence(words: string | undefined): boolean {
  return words !== undefined && sentences.some((sentence) => sentence.test(words))
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
  const { error, message, detail, title } = first
  const said = error ?? message ?? detail ?? title ?? listOf(first['errors'])[0]
  if (said === undefined || said === null) return Object.keys(first).length === 0 ? undefined : ''
  if (typeof said === 'string') return said
  const { message: inner } = objectOf(said)
  return typeof inner === 'string' ? inner : ''
}

/** What a message is compared with. */
interface NamedParts {
  /** The model's name at the upstream, and what the caller calls it. */
  readonly models: readonly string[]
  /** Whether the request has a string with exactly this content. */
  readonly quotes: (text: string) => boolean
}

/** Shorter words may be anything. */
const idLengthMin = 6

/** Something in quotation marks, which is missing unless it is an address. */
const quoted = /["'`‘“][^"'`’”/]+["'`’”]/

/** Whether an error message names the model, an id that is in the request, or something else in quotation marks. */
export function namesPartOf({ models, quotes }: NamedParts, message: string): boolean {
  if (quoted.test(message)) return true
  const words = message.split(/[\s"'`‘’“”()[\]{}<>,;]+/).map((word) => word.replace(/[.:!?]+$/, ''))
  const isPath = (word: string) => word.startsWith('/') || word.includes('://')
  const names = words
    .filter((word) => word !== '' && !isPath(word))
    .flatMap((word) => [word, ...word.split(/[/=:]/)])
  return names.some(
    (word) =>
      models.includes(word) || (word.length >= idLengthMin && /[\d_]/.test(word) && quotes(word)),
  )
}

/** Fields that refer to something stored in the upstream's account, in any format. */
const references = /(?:^|_)ids?$|^(?:conversation|prompt|container|thread|cached_?content)$/i
/** What a client says of itself, and the ids of calls, which refer to nothing. */
const harmless = /^(?:(?:client_)?metadata|call_id|tool_call_id|tool_use_id)$/

/** Whether a request refers to anything that the upstream may not have, so that a 404 can be the caller's mistake. */
export function refersToStored(value: unknown): boolean {
  if (Array.isArray(value)) return value.some(refersToStored)
  if (!isObject(value)) return false
  return Object.entries(value).some(([name, field]) => {
    if (field === null || field === undefined || harmless.test(name)) return false
    // A schema describes fields with any name.
    if (name === 'parameters' || name === 'input_schema' || name === 'schema') return false
    return (references.test(name) && field !== '') || refersToStored(field)
  })
}
