import type { NamedId } from '@sluice/protocols/protocol.ts'
import type { Bound } from '../attempt/account.ts'
import type { CallRun } from '../attempt/call-run.ts'
import { checkNamed } from '../attempt/named-ids.ts'
import { nativeOf } from '../attempt/prepare.ts'
import type { Target, UpstreamTarget } from '../route/routing.ts'

/** What a call needs of an upstream because of what it names, such as a container; undefined at once if nothing is named. */
export function boundOf(
  run: CallRun,
  order: readonly Target[],
): Promise<Bound | undefined> | undefined {
  for (const target of order) {
    const named = target.kind === 'upstream' ? namedAt(run, target) : []
    if (target.kind === 'upstream' && named.length > 0)
      return checkNamed(
        run,
        target,
        named.map((one) => ({ ...one, isReference: true })),
      )
  }
  return undefined
}

function namedAt({ gateway, call }: CallRun, target: UpstreamTarget): readonly NamedId[] {
  if (call.operation !== 'chat' || !target.upstream.provider.protocol.named) return []
  const native = nativeOf(gateway, call, target)
  return native ? call.request.inspectedBy(native).named : []
}

/** Only the targets of the provider that keeps what the call names, or these first, if there are any. */
export function boundOrder(
  { provider, mayMove }: Bound,
  order: readonly Target[],
): readonly Target[] {
  const own = order.filter(({ providerId }) => providerId === provider)
  if (own.length === 0) return order
  return mayMove === true ? [...new Set([...own, ...order])] : own
}
