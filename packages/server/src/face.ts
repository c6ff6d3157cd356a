import { type GatewayError, objectOf } from '@sluice/contract'
import type { ClientFormat, FormatName } from '@sluice/protocols/client-format.ts'
import { formats } from '@sluice/protocols/formats.ts'
import type { FastifyRequest } from 'fastify'

/** How an endpoint answers in what differs between APIs: its error bodies and the names of some headers. */
export type Face = Pick<ClientFormat, 'error' | 'headers'>

/** The contract's error body with four keys. */
export const plainFace: Face = { error: (error: GatewayError) => error.toJSON() }

const faceOfFormat = (id: FormatName): Face => formats.find((each) => each.id === id) ?? plainFace

const anthropicFace = faceOfFormat('messages')
const googleFace = faceOfFormat('generateContent')

type ClientRequest = Pick<FastifyRequest, 'headers' | 'query' | 'url'>

/** Anthropic's clients send the version of its API with every request, whatever the credential. */
export function isAnthropicsClient({ headers }: Pick<ClientRequest, 'headers'>): boolean {
  return headers['anthropic-version'] !== undefined
}

/** Google's clients send their name or a key in Google's way, possibly with a bearer token beside it. */
export function isGooglesClient(request: ClientRequest): boolean {
  return isNamedGoogle(request) || hasQueryKey(request)
}

function isNamedGoogle({ headers }: ClientRequest): boolean {
  return (headers['x-goog-api-key'] ?? headers['x-goog-api-client']) !== undefined
}

/** A request whose URL cannot be decoded has no query. */
function hasQueryKey({ query }: ClientRequest): boolean {
  return objectOf(query)['key'] !== undefined
}

/** The face for whoever sends this request, where several APIs have the address. A query may hold a key of any kind elsewhere. */
function faceOfCaller(request: ClientRequest): Face {
  if (isAnthropicsClient(request)) return anthropicFace
  const isGoogles =
    isNamedGoogle(request) || (hasQueryKey(request) && /^\/v1(?:alpha|beta)\//.test(request.url))
  return isGoogles ? googleFace : plainFace
}

/** Below these roots only one API has addresses, so that unknown paths there are answered in its face too. */
const roots: readonly (readonly [string, Face])[] = [
  ['/v1/messages', anthropicFace],
  ['/v1beta/openai', plainFace],
  ['/v1alpha/openai', plainFace],
  ['/openai', plainFace],
  ['/admin', plainFace],
]

/** The face of a path that no endpoint serves. */
function faceOfPath(request: ClientRequest): Face {
  const root = roots.find(([path]) => request.url.startsWith(path))
  return root?.[1] ?? faceOfCaller(request)
}

/**
 * Settles in which face a request is answered: that of its endpoint, which may leave it to the caller, or of a path that no endpoint
 * serves. Every response from then on has the headers of that face.
 */
export function takeFace(request: FastifyRequest, at: Face | 'caller' | undefined): Face {
  if (request.face) return request.face
  const face = at === 'caller' ? faceOfCaller(request) : (at ?? faceOfPath(request))
  request.face = face
  const { headers } = face
  if (headers?.requestId !== undefined)
    request.answerHeaders.push(headers.requestId, shownId(request))
  if (headers?.constant) request.answerHeaders.push(...headers.constant)
  return face
}

/** The id that the caller knows the request by. */
export function shownId({ id, givenId }: Pick<FastifyRequest, 'id' | 'givenId'>): string {
  return givenId ?? id
}
