import type { FastifyRequest } from 'fastify'
import { assertAddress, assertOperation } from '@sluice/gateway/accounts/allowed.ts'
import { callerOf } from '@sluice/gateway/accounts/callers.ts'
import type { Cancellation } from '@sluice/gateway/call/cancellation.ts'
import type { Gateway } from './gateway.ts'
import type { Admission } from '@sluice/gateway/admit/admission.ts'
import type { Caller } from '@sluice/gateway/ports/api-key.ts'
import type { Address, ServerOptions } from './address.ts'
import { admitEntering } from './admit.ts'
import { authenticate, clientAddress, requireAdministrator } from './authenticate.ts'

const nobody = callerOf({
  id: '',
  name: '',
  hash: '',
  role: 'caller',
  prefix: '',
  createdAt: 0,
  models: [],
})

interface EnteringRequest {
  readonly gateway: Gateway
  readonly options: ServerOptions
  readonly request: FastifyRequest
  readonly admission: Admission
  readonly cancellation: Cancellation
}

/** Authenticates a request and admits it if its key, levels and limits allow it. */
export function enter(address: Address, entering: EnteringRequest): Caller | Promise<Caller> {
  if (address.access === 'open') return nobody
  const { gateway, request, options } = entering
  const takesSession = address.access !== 'caller' || address.isForConsole === true
  const found = authenticate(gateway, request, options, takesSession)
  return found instanceof Promise
    ? found.then((key) => letIn(key, address, entering))
    : letIn(found, address, entering)
}

function letIn(key: Caller, address: Address, entering: EnteringRequest): Caller | Promise<Caller> {
  const { gateway, options, request, admission } = entering
  request.apiKey = key
  assertAddress(key, clientAddress(request, options.trustedProxies))
  if (address.operation !== undefined) assertOperation(key, address.operation)
  if (typeof address.access !== 'string') requireAdministrator(key, address.access)
  const waiting = admitEntering(address, {
    request,
    admission,
    key,
    limits: gateway.current.limits,
  })
  return waiting ? waiting.then(() => takeSlot(key, entering)) : takeSlot(key, entering)
}

/** Takes one of the slots shared by all keys; waits in turn with other keys if none is free. */
function takeSlot(
  key: Caller,
  { gateway, request, cancellation }: EnteringRequest,
): Caller | Promise<Caller> {
  const bounds = gateway.current.slotLimits
  if (!bounds) return key
  const ticket = gateway.slots.enter(key.id, bounds)
  request.ticket = ticket
  if (!ticket.entered) return key
  const leaving = { cancelled: () => ticket.leave() }
  cancellation.add(leaving)
  return ticket.entered.then(
    () => {
      cancellation.remove(leaving)
      return key
    },
    (error: unknown) => {
      cancellation.remove(leaving)
      throw cancellation.isCancelled ? cancellation.error : error
    },
  )
}
