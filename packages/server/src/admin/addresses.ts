import { adminOf } from '@sluice/gateway/accounts/rights.ts'
import type { Address, Exchange } from '../address.ts'
import { toJsonSchema } from '../openapi-schema.ts'
import { answer } from '../openapi-written.ts'
import { accountEndpoints } from './accounts.ts'
import { auditEndpoints } from './audit.ts'
import { budgetResetEndpoints } from './budget-resets.ts'
import { type AdminEndpoint, answerOfEndpoint } from './endpoint.ts'
import { bodyOf } from './gateway-endpoint.ts'
import { keyEndpoints } from './keys.ts'

/** The administration endpoints for accounts, keys and the audit log. */
export const adminEndpoints: readonly AdminEndpoint[] = [
  ...accountEndpoints,
  ...keyEndpoints,
  ...budgetResetEndpoints,
  ...auditEndpoints,
]

/** The same endpoints as addresses of the gateway. */
export const endpointAddresses: readonly Address[] = adminEndpoints.map((endpoint) => {
  const { method, path, roles, operationId, summary, body, example, parameters, reply } = endpoint
  return {
    method,
    path,
    access: 'administrator',
    roles,
    description: {
      operationId,
      summary,
      tags: ['Administration'],
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
    serve: (exchange) => serve(endpoint, exchange),
  }
})

async function serve(endpoint: AdminEndpoint, exchange: Exchange): Promise<void> {
  const { gateway, key, parameters, reply, request } = exchange
  const context = {
    store: gateway.store,
    admin: adminOf(key),
    hasFixedOwner: gateway.keys.hasFixedOwner(),
    at: gateway.now(),
  }
  const body = endpoint.body ? await bodyOf(exchange) : {}
  const { id = '' } = parameters
  const answered = await answerOfEndpoint(endpoint, context, { id, query: request.query, body })
  // The change takes effect here at once; other replicas see it within a second.
  if (endpoint.method !== 'GET') await gateway.keys.reload()
  void reply.header('cache-control', 'no-store').send(answered)
}
