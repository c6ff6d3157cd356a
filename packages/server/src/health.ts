import { GatewayError } from '@sluice/contract'
import { Type } from 'typebox'
import { stopping } from '@sluice/gateway/call/cancellation.ts'
import type { Gateway } from './gateway.ts'
import type { Store } from '@sluice/gateway/ports/store.ts'
import { endpoint } from './endpoint.ts'
import { described, list, object, text } from './shapes.ts'

const health = object({ status: text })
const readiness = object({
  status: text,
  lockedProviders: Type.Optional(
    described(
      list(text),
      'Providers that are off because no key in SLUICE_ENCRYPTION_KEY decrypts their settings.',
    ),
  ),
})

/** The endpoint is public, so the disk is written to at most this often, in milliseconds. */
const freshMs = 1_000
const checks = new WeakMap<Store, { readonly until: number; readonly done: Promise<void> }>()

/** Rejects while records cannot be stored. The disk is asked at most once per second. */
export function checkWritable({ store, now }: Pick<Gateway, 'store' | 'now'>): Promise<void> {
  const last = checks.get(store)
  if (last && last.until > now()) return last.done
  const done = store.checkWritable()
  checks.set(store, { until: now() + freshMs, done })
  return done
}

/** The process responds. */
export const checkHealth = endpoint({
  method: 'GET',
  path: '/healthz',
  access: 'open',
  operationId: 'checkHealth',
  summary: 'Liveness: the process responds',
  tag: 'Operation',
  reply: health,
  answer: async () => ({ status: 'ok' }),
})

/** It can also store its data. */
export const checkReadiness = endpoint({
  method: 'GET',
  path: '/readyz',
  access: 'open',
  operationId: 'checkReadiness',
  summary: 'Readiness: the gateway accepts requests',
  tag: 'Operation',
  reply: readiness,
  responses: {
    '503': {
      description: 'The gateway is not ready: data cannot be stored, or it is about to stop.',
      content: { 'application/json': { schema: health } },
    },
  },
  async answer(_, { gateway, request }) {
    if (request.server.isDraining) throw stopping
    await assertReady(gateway)
    const { locked } = gateway.settings.config().stored
    return { status: 'ready', ...(locked.length > 0 && { lockedProviders: [...locked] }) }
  },
})

/** Throws `overloaded` if the gateway cannot store its data. */
export async function assertReady(gateway: Gateway): Promise<void> {
  try {
    await checkWritable(gateway)
  } catch (cause) {
    throw new GatewayError('overloaded', 'The gateway cannot store its data', { cause })
  }
}
