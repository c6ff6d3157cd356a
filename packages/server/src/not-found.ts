import { GatewayError } from '@sluice/contract'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Address } from './address.ts'
import { answerPreflight } from './cors.ts'
import { deliverError } from './deliver.ts'
import { plainFace, shownId, takeFace } from './face.ts'
import { knownElsewhere } from './known-addresses.ts'
import { notImplemented } from './not-implemented.ts'
import { pathOf } from './serve.ts'

/** Answers requests that no endpoint serves: with what is there, if another API has it, or with the methods the path has, if any. */
export function notFound(
  request: FastifyRequest,
  reply: FastifyReply,
  servedAt: (path: string) => readonly Address[],
): FastifyReply {
  const path = pathOf(request.url)
  const served = servedAt(path)
  const found = served
    // POST never targets a path that ends in an id, so nothing is there.
    .filter((address) => request.method !== 'POST' || !address.path.endsWith('}'))
    .flatMap(({ method }) => (method === 'GET' ? ['GET', 'HEAD'] : [method]))
  const known = found.length > 0
  const methods = [...new Set(found), 'OPTIONS']
  if (known && request.method === 'OPTIONS') {
    answerPreflight(request, reply, methods)
    return reply
  }
  // Clients that try WebSocket first (Codex) fall back to HTTP at once after 426, and only slowly after other statuses.
  if (known && request.headers.upgrade?.toLowerCase() === 'websocket') {
    const refused = new GatewayError(
      'upgrade_required',
      'WebSockets are not supported here: use POST',
    )
    void reply.header('upgrade', 'HTTP/1.1')
    deliverError(reply, refused, refused.toJSON())
    return reply
  }
  const error = errorAt(request.method, path, known)
  if (error.code === 'method_not_allowed') void reply.header('allow', methods.join(', '))
  // Several methods of one path have one face. That of the route may be another: routes with a wildcard hold several paths.
  const [first] = served
  const face = takeFace(request, first && (first.face ?? plainFace))
  deliverError(reply, error, face.error(error, shownId(request)))
  return reply
}

function errorAt(method: string, path: string, isServed: boolean): GatewayError {
  const what = knownElsewhere(method, path)
  if (what !== undefined) return notImplemented(`${method} ${path.slice(0, 200)}`, what)
  return isServed
    ? new GatewayError('method_not_allowed', `${method} is not allowed at this path`)
    : new GatewayError('unknown_url', `Unknown path: ${method} ${path.slice(0, 200)}`)
}
