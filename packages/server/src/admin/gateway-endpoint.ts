import type { TSchema } from 'typebox'
import { validate } from '@sluice/contract'
import type { AdminRole } from '@sluice/gateway/ports/api-key.ts'
import type { Address, Exchange } from '../address.ts'
import { parseJsonObject, readBody } from '../body.ts'
import { limitsOf } from '../inference.ts'
import { type JsonSchema, toJsonSchema } from '../openapi-schema.ts'
import { answer } from '../openapi-written.ts'

/** An administration endpoint that needs a running gateway. */
export interface GatewayEndpoint extends Pick<Address, 'method' | 'path'> {
  readonly roles: readonly AdminRole[]
  readonly operationId: string
  readonly summary: string
  readonly tag: string
  /** Schema of the body; absent if it has none. */
  readonly body?: TSchema
  /** An example body that the schema accepts. */
  readonly example?: object
  /** Query parameters. */
  readonly parameters?: readonly JsonSchema[]
  readonly reply: JsonSchema
  /** Returns the response; the body has already been validated. */
  readonly serve: (exchange: Exchange, body: Readonly<Record<string, unknown>>) => Promise<object>
}

/** Converts the endpoint to an address of the gateway. */
export function gatewayAddress(endpoint: GatewayEndpoint): Address {
  const { method, path, roles, operationId, summary, tag, body, example, parameters, reply } =
    endpoint
  return {
    method,
    path,
    access: 'administrator',
    roles,
    description: {
      operationId,
      summary,
      tags: [tag],
      ...(parameters && { parameters }),
      ...(body && {
        requestBody: {
          required: true,
          content: {
            'application/json': {
              schema: toJsonSchema(body, 'json'),
              ...(example && { example }),
            },
          },
        },
      }),
      ...(method !== 'GET' && { changes: true }),
      reply: answer(reply),
    },
    async serve(exchange) {
      const given = body ? await bodyOf(exchange) : {}
      if (body) validate(body, given)
      const answered = await endpoint.serve(exchange, given)
      void exchange.reply.header('cache-control', 'no-store').send(answered)
    },
  }
}

/** The JSON body of a request; an empty body is an empty object. */
export async function bodyOf(exchange: Exchange): Promise<Readonly<Record<string, unknown>>> {
  const { options, request } = exchange
  const raw = await readBody(request.raw, limitsOf(exchange))
  if (raw.length === 0) return {}
  return parseJsonObject(raw, request.headers['content-type'], options.bodyUnitsMax)
}
