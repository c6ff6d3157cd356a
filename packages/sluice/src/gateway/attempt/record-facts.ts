import type { GatewayError, UsageRecord } from '@sluice/contract'
import type { Call } from '../call.ts'
import type { Target } from '../route/routing.ts'
import type { Run } from '../run/run.ts'
import { reservedForPiece } from './charge.ts'

/** Limits for texts chosen by others: model and field names by callers, ids by upstreams. */
const textMax = 200
const droppedMax = 50

type RequestFacts = Pick<
  UsageRecord,
  'clientAddress' | 'format' | 'streamed' | 'requestedModel' | 'reservedMicroUsd' | 'overBudget'
>

/** The facts of the request that a usage record holds. */
export function requestFacts(
  { call, pieces = 1 }: Pick<Run, 'call' | 'pieces'>,
  { providerId, model: targetModel }: Target,
): RequestFacts {
  const { model } = call.request
  const { elsewhere } = call.admission
  const reservedMicroUsd = reservedForPiece(call, pieces)
  const isOther =
    typeof model === 'string' && model !== targetModel && model !== `${providerId}/${targetModel}`
  return {
    ...(call.clientAddress !== undefined && { clientAddress: call.clientAddress }),
    format: call.format.id,
    ...(call.stream && { streamed: true }),
    ...(isOther && { requestedModel: model.slice(0, textMax) }),
    ...(reservedMicroUsd > 0 && { reservedMicroUsd }),
    ...(elsewhere && { overBudget: elsewhere.budget }),
  }
}

interface Returned {
  readonly upstreamStatus: number | undefined
  readonly upstreamRequestId: string | undefined
}

interface Ended {
  /** As callers may see it; absent if the attempt was answered. */
  readonly error: GatewayError | undefined
  readonly reason: string | undefined
}

type EndFacts = Pick<
  UsageRecord,
  'status' | 'errorCode' | 'reason' | 'upstreamStatus' | 'upstreamRequestId' | 'dropped'
>

/** The facts about the end of the attempt that a usage record holds. */
export function endFacts(
  { trail: { dropped } }: Call,
  returned: Returned,
  { error, reason }: Ended,
): EndFacts {
  const upstreamRequestId = error?.details.upstreamRequestId ?? returned.upstreamRequestId
  const upstreamStatus = error?.details.upstreamStatus ?? returned.upstreamStatus
  return {
    status: error?.status ?? 200,
    ...(error && { errorCode: error.publicCode ?? error.type }),
    ...(reason !== undefined && { reason: reason.slice(0, textMax) }),
    ...(upstreamStatus !== undefined && { upstreamStatus }),
    ...(upstreamRequestId !== undefined && {
      upstreamRequestId: upstreamRequestId.slice(0, textMax),
    }),
    ...(dropped.size > 0 && {
      dropped: [...dropped].slice(0, droppedMax).map((path) => path.slice(0, textMax)),
    }),
  }
}
