import { GatewayError } from '@sluice/contract'
import type { FastifyRequest } from 'fastify'
import { assertAddress, assertOperation } from '../accounts/allowed.ts'
import { callerOf } from '../accounts/callers.ts'
import type { Gateway } from '../gateway/gateway.ts'
import type { Admission } from '../gateway/limits/admission.ts'
import type { Caller } from '../ports/api-key.ts'
import type { Address, ServerOptions } from './address.ts'
import { admitEntering } from './admit.ts'
import { authenticate, requireAdministrator } from './authenticate.ts'
import { clientAddress } from './client-address.ts'

const nobody = callerOf({
  id: '',
  name: '',
  hash: '',
  role: 'caller',
  prefix: '',
  createdAt: 0,
  models: [],
})

interface Entering {
  readonly gateway: Gateway
  readonly options: ServerOptions
  readonly request: FastifyRequest
  readonly admission: Admission
  /** How many requests are under way, this one included. */
  readonly underWay: () => number
}

/** Finds whose request it is, and lets it in where its key, its levels and its limits allow it. */
export function enter(address: Address, entering: Entering): Caller | Promise<Caller> {
  if (address.access === 'open') return nobody
  const found = authenticate(entering.gateway, entering.request, entering.options)
  return found instanceof Promise
    ? found.then((key) => letIn(key, address, entering))
    : letIn(found, address, entering)
}

function letIn(
  key: Caller,
  address: Address,
  { options, request, admission, underWay }: Entering,
): Caller | Promise<Caller> {
  request.apiKey = key
  assertAddress(key, clientAddress(request, options.trustedProxies))
  if (address.operation !== undefined) assertOperation(key, address.operation)
  if (address.access === 'administrator') requireAdministrator(key, address.roles)
  const withinConcurrency = (): Caller => {
    const most = options.concurrentRequests()
    if (most !== undefined && underWay() > most)
      throw new GatewayError(
        'overloaded',
        'The gateway has reached its limit of concurrent requests',
        { retryAfterMs: 1_000 },
      )
    return key
  }
  const waiting = admitEntering(address, { request, admission, key, limits: options.keyLimits() })
  return waiting ? waiting.then(withinConcurrency) : withinConcurrency()
}
