import { invalidRequest, operations } from '@sluice/contract'
import { type ClientFormat, formats } from '@sluice/protocols'
import type { Call } from '@sluice/gateway/call/call.ts'
import { explainCall } from '@sluice/gateway/answer/explain.ts'
import type { Address, Exchange } from './address.ts'
import { parseJsonObject, readBody } from './body.ts'
import { createCall } from './create-call.ts'
import { limitsOf } from './inference.ts'
import { answer, object, text } from './openapi-written.ts'
import { matchPath, pathPattern } from './urls.ts'

/** Endpoints for administrators. */
export const adminAddresses: readonly Address[] = [
  {
    method: 'POST',
    path: '/admin/v1/explain',
    access: 'administrator',
    description: {
      operationId: 'explain',
      summary: 'Explain how a request would be routed, without sending it',
      tags: ['Operation'],
      requestBody: {
        required: true,
        content: {
          'application/json': {
            schema: {
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
            },
            example: {
              path: '/v1/chat/completions',
              request: { model: 'builtin-chat', messages: [{ role: 'user', content: 'Hello' }] },
            },
          },
        },
      },
      reply: answer({
        ...object({ model: text, targets: { type: 'array', items: { type: 'object' } } }),
        description:
          'The targets in the order in which they would be tried, with the exact request to each.',
      }),
    },
    serve: explain,
  },
]

async function explain(exchange: Exchange): Promise<void> {
  const { gateway, options, reply, request } = exchange
  const raw = await readBody(request.raw, limitsOf(exchange))
  const asked = await parseJsonObject(raw, request.headers['content-type'], options.bodyUnitsMax)
  reply.send(await explainCall(gateway, sampleCall(exchange, asked)))
}

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
