import { GatewayError } from '@sluice/contract'
import type { Address } from './address.ts'
import { answer, object, text } from './openapi-written.ts'

const health = object({ status: text })

/** `healthz`: the process answers. `readyz`: it can also reach what it keeps. Neither needs a key. */
export const healthAddresses: readonly Address[] = [
  {
    method: 'GET',
    path: '/healthz',
    access: 'open',
    description: {
      operationId: 'checkHealth',
      summary: 'Whether the process answers',
      tags: ['Operation'],
      reply: answer(health),
    },
    async serve({ reply }) {
      reply.send({ status: 'ok' })
    },
  },
  {
    method: 'GET',
    path: '/readyz',
    access: 'open',
    description: {
      operationId: 'checkReadiness',
      summary: 'Whether the gateway takes requests',
      tags: ['Operation'],
      reply: {
        ...answer(health),
        '503': {
          description: 'It is starting or stopping.',
          content: { 'application/json': { schema: health } },
        },
      },
    },
    async serve({ gateway, reply }) {
      try {
        await gateway.store.listKeys()
      } catch (cause) {
        throw new GatewayError('overloaded', 'The store cannot be reached', { cause })
      }
      reply.send({ status: 'ready' })
    },
  },
]
