import { namedInResponsesRequest, responseNotFound } from '@sluice/protocols'
import { checkNamed } from '../attempt/named-ids.ts'
import type { CallRun } from '../attempt/call-run.ts'
import { nativeOf } from '../attempt/prepare.ts'
import type { UpstreamTarget } from '../route/routing.ts'

/** Refuses a request that references an object of another key or, unless the provider shares ids, of no known key. */
export async function checkNamedIds(run: CallRun): Promise<void> {
  const target = nativeTarget(run)
  if (!target) return
  await checkNamed(run, target, namedInResponsesRequest(run.call.request.value))
}

/** Checks that the upstream may continue a response that is not stored here. */
export async function checkPreviousId(
  run: CallRun,
  target: UpstreamTarget,
  id: string,
): Promise<void> {
  // A known id without a stored response was deleted, whoever owned it.
  const [row] = await run.gateway.store.findUpstreamIds([id])
  if (row || !target.upstream.sharesIds) throw responseNotFound(id)
}

/** The first target that would receive the request unchanged. */
function nativeTarget({ gateway, call, route }: CallRun): UpstreamTarget | undefined {
  const targets = route.levels.flat().filter((target) => target.kind === 'upstream')
  return targets.find((target) => nativeOf(gateway, call, target) !== undefined)
}
