import { GatewayError } from '@sluice/contract'
import type { Gateway } from '../gateway/gateway.ts'
import type { Address } from './address.ts'

/** `healthz`: the process answers. `readyz`: it can also reach what it keeps. Neither needs a key. */
export function healthAddresses(gateway: Gateway): readonly Address[] {
  return [
    {
      method: 'GET',
      path: '/healthz',
      access: 'open',
      async serve({ reply }) {
        reply.send({ status: 'ok' })
      },
    },
    {
      method: 'GET',
      path: '/readyz',
      access: 'open',
      async serve({ reply }) {
        try {
          await gateway.store.listKeys()
        } catch (cause) {
          throw new GatewayError('overloaded', 'The store cannot be reached', { cause })
        }
        reply.send({ status: 'ready' })
      },
    },
  ]
}
