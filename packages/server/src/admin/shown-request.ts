import { costOf, microUsdOf, Type, type UsageRecord } from '@sluice/contract'
import type { BegunCall, RefusedCall } from '@sluice/gateway/observe/live-calls.ts'
import type { FoundRequest } from '@sluice/gateway/ports/usage-book.ts'
import type { CostPart } from '@sluice/gateway/prices/cost.ts'
import {
  byName,
  count,
  described,
  flag,
  integer,
  integerOrNull,
  list,
  number,
  numberOrNull,
  object,
  type Of,
  orNull,
  text,
  textOrNull,
  texts,
  time,
} from '../shapes.ts'

const timeOrNull = Type.Unsafe<string | null>({ type: ['string', 'null'], format: 'date-time' })

const isoOf = (at: number) => new Date(at).toISOString()

/** The facts of a call that are known when it begins. */
const begunSchema = object({
  id: text,
  /** The caller's request id. */
  requestId: textOrNull,
  startedAt: time,
  key: text,
  user: textOrNull,
  team: textOrNull,
  organization: textOrNull,
  tags: texts,
  clientAddress: textOrNull,
  operation: text,
  format: textOrNull,
  stream: flag,
  /** As the caller wrote it. */
  model: text,
  /** The provider that answered, or was tried last. */
  provider: text,
  upstreamModel: text,
})

const shownProperties = {
  ...begunSchema.properties,
  durationMs: number,
  firstTokenMs: integerOrNull,
  attempts: count,
  outcome: text,
  status: integerOrNull,
  errorCode: textOrNull,
  reason: textOrNull,
  inputTokens: count,
  outputTokens: count,
  costMicroUsd: numberOrNull,
  unknownCosts: count,
  estimated: flag,
  unsettled: flag,
  dropped: texts,
}

/** Tokens and costs are totals of all attempts. The cost is null if no attempt has a known cost. */
export const shownRequestSchema = object(shownProperties)

/** A call that has just begun. */
export function shownBegun(begun: BegunCall): Of<typeof begunSchema> {
  const { owners, givenId, startedAt, keyId, clientAddress, ...rest } = begun
  return {
    ...rest,
    requestId: givenId ?? null,
    startedAt: isoOf(startedAt),
    key: keyId,
    user: owners.userId ?? null,
    team: owners.teamId ?? null,
    organization: owners.organizationId ?? null,
    clientAddress: clientAddress ?? null,
  }
}

/** A refused call. No upstream was asked, and it is not in the ledger. */
export function shownRefused(refused: RefusedCall) {
  const { id, givenId, at, durationMs, keyId, owners, operation, format, model } = refused
  return {
    id,
    requestId: givenId ?? null,
    startedAt: isoOf(at - Math.round(durationMs)),
    durationMs,
    key: keyId,
    user: owners.userId ?? null,
    team: owners.teamId ?? null,
    organization: owners.organizationId ?? null,
    operation,
    format,
    model: model ?? null,
    outcome: 'refused',
    status: refused.status,
    errorCode: refused.code,
    message: refused.message,
  }
}

/** The attempt that completed, or the last one. */
function decisive(attempts: readonly UsageRecord[]): UsageRecord | undefined {
  return attempts.find(({ outcome }) => outcome === 'completed') ?? attempts.at(-1)
}

/** Undefined if the records of the call have just been removed. */
export function shownRequest({
  attempts,
}: FoundRequest): Of<typeof shownRequestSchema> | undefined {
  const last = decisive(attempts)
  if (!last) return undefined
  const startedAt = Math.min(...attempts.map((one) => one.startedAt))
  const endedAt = Math.max(...attempts.map((one) => one.startedAt + one.durationMs))
  const sum = (of: (record: UsageRecord) => number) =>
    attempts.reduce((total, record) => total + of(record), 0)
  const unknownCosts = sum(({ costMicroUsd }) => (costMicroUsd === undefined ? 1 : 0))
  const cost = attempts.reduce((total, record) => total + (costOf(record) ?? 0n), 0n)
  return {
    id: last.callId,
    requestId: last.requestId ?? null,
    startedAt: isoOf(startedAt),
    key: last.keyId,
    user: last.userId ?? null,
    team: last.teamId ?? null,
    organization: last.organizationId ?? null,
    tags: last.tags ?? [],
    clientAddress: last.clientAddress ?? null,
    operation: last.operation,
    format: last.format ?? null,
    stream: last.streamed === true,
    model: last.requestedModel ?? `${last.provider}/${last.model}`,
    provider: last.provider,
    upstreamModel: last.model,
    durationMs: endedAt - startedAt,
    firstTokenMs:
      last.firstTokenMs === undefined ? null : last.startedAt + last.firstTokenMs - startedAt,
    attempts: attempts.length,
    outcome: last.outcome,
    status: last.status ?? null,
    errorCode: last.errorCode ?? null,
    reason: last.reason ?? null,
    inputTokens: sum(({ inputTokens }) => inputTokens),
    outputTokens: sum(({ outputTokens }) => outputTokens),
    costMicroUsd: unknownCosts === attempts.length ? null : microUsdOf(cost),
    unknownCosts,
    estimated: attempts.some(({ estimated }) => estimated === true),
    unsettled: attempts.some(({ unsettled }) => unsettled === true),
    dropped: [...new Set(attempts.flatMap(({ dropped = [] }) => dropped))],
  }
}

/** The usage quantities, of which only nonzero ones are shown. */
const quantities = [
  'inputTokens',
  'cachedInputTokens',
  'cacheWriteTokens',
  'longCacheWriteTokens',
  'audioInputTokens',
  'cachedAudioInputTokens',
  'imageInputTokens',
  'outputTokens',
  'reasoningTokens',
  'audioOutputTokens',
  'imageOutputTokens',
  'billedInputTokens',
  'billedOutputTokens',
  'images',
  'seconds',
  'characters',
  'searchUnits',
] as const satisfies readonly (keyof UsageRecord)[]

const attemptSchema = object({
  attempt: count,
  provider: text,
  model: text,
  startedAt: time,
  firstTokenAt: timeOrNull,
  endedAt: time,
  durationMs: number,
  outcome: text,
  status: integerOrNull,
  upstreamStatus: integerOrNull,
  errorCode: textOrNull,
  reason: textOrNull,
  upstreamRequestId: textOrNull,
  reported: flag,
  estimated: flag,
  unsettled: flag,
  usage: byName(number),
  serverToolCalls: byName(integer),
  size: textOrNull,
  quality: textOrNull,
  serviceTier: textOrNull,
  chargedUsd: described(
    numberOrNull,
    'What the provider itself says that the call costs, in US dollars; null if nothing.',
  ),
  costMicroUsd: numberOrNull,
  costParts: described(
    orNull(list(object({ kind: text, quantity: number, microUsd: number }))),
    'What the cost consists of, by the name of the rate (`input`, `cacheRead`, `reasoning` …) or of the tool; null where nobody knows, and where the price is another one by now.',
  ),
  priceSource: textOrNull,
  priceDate: textOrNull,
  dropped: texts,
})

/** A call with all its attempts. */
export const requestDetailSchema = object({
  ...shownProperties,
  timeline: list(attemptSchema),
})

export function shownAttempt(record: UsageRecord, costParts: readonly CostPart[] | null) {
  const { startedAt, firstTokenMs, durationMs } = record
  const cost = costOf(record)
  const used = quantities.flatMap((name) => {
    const quantity = record[name]
    return quantity === undefined || quantity === 0 ? [] : [[name, quantity] as const]
  })
  return {
    attempt: record.attempt,
    provider: record.provider,
    model: record.model,
    startedAt: isoOf(startedAt),
    firstTokenAt: firstTokenMs === undefined ? null : isoOf(startedAt + firstTokenMs),
    endedAt: isoOf(startedAt + durationMs),
    durationMs,
    outcome: record.outcome,
    status: record.status ?? null,
    upstreamStatus: record.upstreamStatus ?? null,
    errorCode: record.errorCode ?? null,
    reason: record.reason ?? null,
    upstreamRequestId: record.upstreamRequestId ?? null,
    reported: record.reported,
    estimated: record.estimated === true,
    unsettled: record.unsettled === true,
    usage: Object.fromEntries(used),
    serverToolCalls: record.serverToolCalls ?? {},
    size: record.size ?? null,
    quality: record.quality ?? null,
    serviceTier: record.serviceTier ?? null,
    chargedUsd: record.chargedUsd ?? null,
    costMicroUsd: cost === undefined ? null : microUsdOf(cost),
    costParts,
    priceSource: record.priceSource ?? null,
    priceDate: record.priceDate ?? null,
    dropped: record.dropped ?? [],
  }
}
