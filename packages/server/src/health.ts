import { GatewayError } from '@sluice/contract'
import { stopping } from '@sluice/gateway/call/cancellation.ts'
import type { Gateway } from './gateway.ts'
import type { Store } from '@sluice/gateway/ports/store.ts'
import type { Address } from './address.ts'
import { answer, object, text } from './openapi-written.ts'

const health = object({ status: text })

/** The endpoint is public, so the disk is written to at most this often, in milliseconds. */
const freshMs = 1_000
const checks = new WeakMap<Store, { readonly until: number; readonly done: Promise<void> }>()

function checkWritable({ store, now }: Pick<Gateway, 'store' | 'now'>): Promise<void> {
  const last = checks.get(store)
  if (last && last.until > now()) return last.done
  const done = store.checkWritable()
  checks.set(store, { until: now() + freshMs, done })
  return done
}

/** `healthz`: the process responds. `readyz`: it can also store its data. Neither needs a key. */
export const healthAddresses: readonly Address[] = [
  {
    method: 'GET',
    path: '/healthz',
    access: 'open',
    description: {
      operationId: 'checkHealth',
      summary: 'Liveness: the process answers',
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
      summary: 'Readiness: the gateway accepts requests',
      tags: ['Operation'],
      reply: {
        ...answer(health),
        '503': {
          description: 'The gateway is not ready: data cannot be stored, or it is about to stop.',
          content: { 'application/json': { schema: health } },
        },
      },
    },
    async serve({ gateway, reply, request }) {
      if (request.server.isDraining) throw stopping
      await assertReady(gateway)
      reply.send({ status: 'ready' })
    },
  },
]

/** Throws `overloaded` if the gateway cannot store its data. */
export async function assertReady(gateway: Gateway): Promise<void> {
  try {
    await checkWritable(gateway)
  } catch (cause) {
    throw new GatewayError('overloaded', 'The gateway cannot store its data', { cause })
  }
}
