import {
  type GatewayError,
  moneyOfNanoUsd,
  noUsage,
  splitMoney,
  type Usage,
} from '@sluice/contract'
import type { UsageBegun, UsageEnded } from '../ports/store.ts'
import type { Call } from '../call/call.ts'
import type { Target } from '../route/routing.ts'
import type { CallRun } from './call-run.ts'
import { type Charged, reservedForPiece } from './charge.ts'

/** Limits for texts chosen by others: model and field names by callers, ids by upstreams. */
const textMax = 200
const droppedMax = 50

/** A record that is being put together. Fields are set one by one: merging objects takes several times as long. */
type Unfinished<Facts> = { -readonly [Field in keyof Facts]: Facts[Field] }

/** What is known when an attempt begins. `number`: of the attempt within its call. `startedAt` in milliseconds since the epoch. */
export function begunFacts(
  { call, pieces = 1 }: Pick<CallRun, 'call' | 'pieces'>,
  { providerId, model: targetModel }: Target,
  { number, startedAt }: { readonly number: number; readonly startedAt: number },
): UsageBegun {
  const { model } = call.request
  const { elsewhere } = call.admission
  const reserved = reservedForPiece(call, pieces)
  const isOther =
    typeof model === 'string' && model !== targetModel && model !== `${providerId}/${targetModel}`
  const begun: Unfinished<UsageBegun> = {
    ...call.key.owners,
    callId: call.id,
    attempt: number,
    keyId: call.key.id,
    format: call.format.id,
    operation: call.operation,
    provider: providerId,
    model: targetModel,
    startedAt,
  }
  if (call.givenId !== undefined) begun.requestId = call.givenId
  if (call.tags.length > 0) begun.tags = call.tags
  if (call.clientAddress !== undefined) begun.clientAddress = call.clientAddress
  if (call.stream) begun.streamed = true
  if (isOther) begun.requestedModel = model.slice(0, textMax)
  if (reserved > 0) {
    const [microUsd, rest] = splitMoney(moneyOfNanoUsd(reserved))
    begun.reservedMicroUsd = microUsd
    if (rest !== 0) begun.reservedRestPicoUsd = rest
  }
  if (elsewhere) begun.overBudget = elsewhere.budget
  return begun
}

interface Returned {
  readonly upstreamStatus: number | undefined
  readonly upstreamRequestId: string | undefined
}

interface Ended extends Pick<UsageEnded, 'outcome' | 'reported' | 'durationMs'> {
  readonly usage: Usage | undefined
  readonly estimated: boolean
  readonly firstTokenMs: number | undefined
  /** As callers may see it; absent if the attempt was answered. */
  readonly error: GatewayError | undefined
  readonly reason: string | undefined
  readonly charged: Charged
}

/** What is known when an attempt has ended, beyond `begunFacts`. */
export function endedFacts(
  { trail: { dropped } }: Call,
  returned: Returned,
  { usage, outcome, reported, durationMs, estimated, firstTokenMs, error, reason, charged }: Ended,
): UsageEnded {
  const upstreamRequestId = error?.details.upstreamRequestId ?? returned.upstreamRequestId
  const upstreamStatus = error?.details.upstreamStatus ?? returned.upstreamStatus
  const { costMicroUsd, costRestPicoUsd, priceSource, priceDate } = charged
  const ended: Unfinished<UsageEnded> = {
    ...(usage ?? noUsage),
    outcome,
    reported,
    durationMs,
    status: error?.status ?? 200,
  }
  if (estimated) ended.estimated = true
  if (firstTokenMs !== undefined) ended.firstTokenMs = firstTokenMs
  if (error) ended.errorCode = error.publicCode ?? error.type
  if (reason !== undefined) ended.reason = reason.slice(0, textMax)
  if (upstreamStatus !== undefined) ended.upstreamStatus = upstreamStatus
  if (upstreamRequestId !== undefined) ended.upstreamRequestId = upstreamRequestId.slice(0, textMax)
  if (dropped.size > 0)
    ended.dropped = [...dropped].slice(0, droppedMax).map((path) => path.slice(0, textMax))
  if (costMicroUsd !== undefined) ended.costMicroUsd = costMicroUsd
  if (costRestPicoUsd !== undefined) ended.costRestPicoUsd = costRestPicoUsd
  if (priceSource !== undefined) ended.priceSource = priceSource
  if (priceDate !== undefined) ended.priceDate = priceDate
  return ended
}
