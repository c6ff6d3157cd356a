import { invalidRequest, operations, Type } from '@sluice/contract'
import type { ClientFormat } from '@sluice/protocols/client-format.ts'
import { formats } from '@sluice/protocols/formats.ts'
import type { Call } from '@sluice/gateway/call/call.ts'
import { explainCall } from '@sluice/gateway/answer/explain.ts'
import type { Exchange } from '../address.ts'
import { createCall } from '../create-call.ts'
import { endpoint, wholeReaders } from '../endpoint.ts'
import { described, list, object, text } from '../shapes.ts'
import { matchPath, pathPattern } from '../urls.ts'

/** What the handler checks, with the errors of the request that is explained. */
const body = Type.Unsafe<Readonly<Record<string, unknown>>>({
  type: 'object',
  required: ['request'],
  properties: {
    path: {
      ...text,
      default: '/v1/chat/completions',
      description: 'The path of the request.',
    },
    request: { type: 'object', description: 'The JSON body of the request.' },
  },
})

/** Tells how a request would be routed. */
export const explain = endpoint({
  method: 'POST',
  path: '/admin/v1/explain',
  access: wholeReaders,
  operationId: 'explain',
  summary: 'Explain how a request would be routed, without sending it',
  tag: 'Operation',
  changes: false,
  body,
  checksBody: true,
  example: {
    path: '/v1/chat/completions',
    request: { model: 'builtin-chat', messages: [{ role: 'user', content: 'Hello' }] },
  },
  reply: described(
    object({ model: text, targets: list(Type.Unsafe<object>({ type: 'object' })) }),
    'The targets in the order in which they would be tried, with the exact request to each.',
  ),
  answer: async ({ body: asked }, exchange) =>
    explainCall(exchange.gateway, sampleCall(exchange, asked)),
})

/**
 * Creates the call that `{path, request}` describes: the path of an inference endpoint, by default chat completions, and a
 * JSON body.
 *
 * @throws GatewayError `invalid_request` with the path of the invalid field.
 */
export function sampleCall(exchange: Exchange, asked: Readonly<Record<string, unknown>>): Call {
  const path = asked['path'] ?? '/v1/chat/completions'
  if (typeof path !== 'string') throw invalidRequest("'path' must be a string", 'path')
  const body = asked['request']
  if (typeof body !== 'object' || body === null || Array.isArray(body))
    throw invalidRequest("'request' must be an object", 'request')
  const [pathname = '', query = ''] = path.split('?')
  const { format, parameters } = addressed(pathname)
  return createCall(exchange, {
    format,
    fields: body as Readonly<Record<string, unknown>>,
    raw: Buffer.from(JSON.stringify(body)),
    parameters,
    query,
    headers: {},
  })
}

interface Addressed {
  readonly format: ClientFormat
  readonly parameters: Readonly<Record<string, string>>
}

function addressed(path: string): Addressed {
  for (const format of formats) {
    if (operations[format.operation].method !== 'POST') continue
    for (const own of format.paths) {
      const parameters = matchPath(pathPattern(own), path)
      if (parameters) return { format, parameters }
    }
  }
  throw invalidRequest(`${path.slice(0, 200)} is not the path of an inference operation`, 'path')
}
