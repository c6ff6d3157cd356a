import {
  type GatewayError,
  type Money,
  moneyOfNanoUsd,
  noUsage,
  splitMoney,
  type Usage,
  type UsageRecord,
} from '@sluice/contract'
import type { UsageBegun, UsageEnded } from '../ports/store.ts'
import type { Cost } from '../prices/cost.ts'
import { isFree } from '../admit/call-size.ts'
import type { Call } from '../call/call.ts'
import { type Listed, OpenList } from '../call/open-list.ts'
import type { Target } from '../route/routing.ts'
import type { CallRun } from './call-run.ts'

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
  const reserved = Math.ceil((call.admission.reservedNanoUsd ?? 0) / pieces)
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
  { trail: { dropped, skipped } }: Call,
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
  if (skipped !== undefined && skipped.size > 0)
    ended.skipped = [...skipped].map(([target, reason]) => `${target.slice(0, textMax)}: ${reason}`)
  if (costMicroUsd !== undefined) ended.costMicroUsd = costMicroUsd
  if (costRestPicoUsd !== undefined) ended.costRestPicoUsd = costRestPicoUsd
  if (priceSource !== undefined) ended.priceSource = priceSource
  if (priceDate !== undefined) ended.priceDate = priceDate
  return ended
}

type Charged = Pick<UsageRecord, 'costMicroUsd' | 'costRestPicoUsd' | 'priceSource' | 'priceDate'>

interface Charging {
  readonly usage: Usage | undefined
  readonly estimated: boolean
  /**
   * Whether the upstream is assumed to have done the work: it answered, or it had the request when the gateway
   * stopped waiting.
   */
  readonly isCharged: boolean
  readonly startedAt: number
}

interface Charge {
  /** Undefined if it is unknown. */
  readonly cost: Money | undefined
  /** As it is recorded. */
  readonly charged: Charged
}

/** Computes the cost of an attempt and adds it to the totals of its call. */
export function charge(
  { call, pieces = 1 }: Pick<CallRun, 'call' | 'pieces'>,
  target: Target,
  ended: Charging,
): Charge {
  const { trail, operation } = call
  if (!ended.isCharged || isFree(call))
    return { cost: 0n, charged: { costMicroUsd: 0, priceSource: 'not charged' } }
  const { providerId: provider, model } = target
  const { usage, estimated, startedAt } = ended
  const found = target.price.cost(usage && { ...usage, estimated }, operation, startedAt)
  if (!found) trail.unknownCosts += 1
  else trail.cost += found.money
  const reserved = Math.ceil((call.admission.reservedNanoUsd ?? 0) / pieces)
  // An unknown cost counts as the reserved amount, never as zero.
  if (reserved > 0)
    trail.spent.push({ provider, model, money: found?.money ?? moneyOfNanoUsd(reserved) })
  return { cost: found?.money, charged: found ? recorded(found) : {} }
}

/** The cost so far, recorded in case the process dies. */
export function costSoFar(
  { operation }: Call,
  target: Target,
  usage: Usage,
  startedAt: number,
): Charged {
  const found = target.price.cost({ ...usage, estimated: true }, operation, startedAt)
  // The rest also where it is 0, because an earlier one stays on record until another is noted.
  return found ? { costRestPicoUsd: 0, ...recorded(found) } : {}
}

function recorded({ money, priceSource, priceDate }: Cost): Charged {
  const [costMicroUsd, rest] = splitMoney(money)
  return {
    costMicroUsd,
    ...(rest !== 0 && { costRestPicoUsd: rest }),
    priceSource,
    ...(priceDate !== '' && { priceDate }),
  }
}

/** An attempt whose usage grows while it is in progress. */
export interface Growing extends Listed {
  /** Writes down the usage so far. */
  note(): void
}

/** Maximum age of a note when the process dies, in milliseconds. */
const noteEveryMs = 500

/** All attempts share one timer. */
const growing = new OpenList<Growing>()
let timer: NodeJS.Timeout | undefined

/** Calls `note` every 500 ms until `stopNoting`. */
export function startNoting(one: Growing): void {
  growing.add(one)
  timer ??= setInterval(noteAll, noteEveryMs).unref()
}

/** Does nothing if `startNoting` was never called for it. */
export function stopNoting(one: Growing): void {
  growing.remove(one)
}

function noteAll(): void {
  for (const one of growing.all()) one.note()
  if (growing.size > 0) return
  clearInterval(timer)
  timer = undefined
}
