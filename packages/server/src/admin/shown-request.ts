import { costOf, microUsdOf, Type, type UsageRecord } from '@sluice/contract'
import type { BegunCall, RefusedCall } from '@sluice/gateway/observe/live-calls.ts'
import type { KeptRefusal } from '@sluice/gateway/ports/refusals.ts'
import type { FoundRequest } from '@sluice/gateway/ports/usage-store.ts'
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
import { filled } from './filled.ts'

const timeOrNull = Type.Unsafe<string | null>({ type: ['string', 'null'], format: 'date-time' })

/** Whose a call is. */
type Owned = Pick<UsageRecord, 'keyId' | 'userId' | 'teamId' | 'organizationId'>

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
  /** The provider that answered, or was tried last; empty for a refused call. */
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
  return filled(begunSchema, {
    ...begun,
    ...shownOwners({ ...begun, ...begun.owners }),
    requestId: begun.givenId,
    startedAt: isoOf(begun.startedAt),
  })
}

function shownOwners({ keyId, userId, teamId, organizationId }: Owned) {
  return {
    key: keyId,
    user: userId ?? null,
    team: teamId ?? null,
    organization: organizationId ?? null,
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
    ...shownOwners({ keyId, ...owners }),
    operation,
    format,
    model: model ?? null,
    outcome: 'refused',
    status: refused.status,
    errorCode: refused.code,
    message: refused.message,
  }
}

/** A refused call among those that were made. */
export function shownRefusal(refused: KeptRefusal): Of<typeof shownRequestSchema> {
  const { callId, at, durationMs, model = '', code, message } = refused
  return filled(shownRequestSchema, {
    ...refused,
    ...shownOwners(refused),
    id: callId,
    startedAt: isoOf(at - Math.round(durationMs)),
    tags: [],
    stream: false,
    model,
    provider: '',
    upstreamModel: '',
    attempts: 0,
    outcome: 'refused',
    errorCode: code,
    reason: message,
    inputTokens: 0,
    outputTokens: 0,
    costMicroUsd: 0,
    unknownCosts: 0,
    estimated: false,
    unsettled: false,
    dropped: [],
  })
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
  return filled(shownRequestSchema, {
    ...last,
    ...shownOwners(last),
    id: last.callId,
    startedAt: isoOf(startedAt),
    tags: last.tags ?? [],
    stream: last.streamed === true,
    model: last.requestedModel ?? `${last.provider}/${last.model}`,
    upstreamModel: last.model,
    durationMs: endedAt - startedAt,
    firstTokenMs:
      last.firstTokenMs === undefined ? null : last.startedAt + last.firstTokenMs - startedAt,
    attempts: attempts.length,
    inputTokens: sum(({ inputTokens }) => inputTokens),
    outputTokens: sum(({ outputTokens }) => outputTokens),
    costMicroUsd: unknownCosts === attempts.length ? null : microUsdOf(cost),
    unknownCosts,
    estimated: attempts.some(({ estimated }) => estimated === true),
    unsettled: attempts.some(({ unsettled }) => unsettled === true),
    dropped: [...new Set(attempts.flatMap(({ dropped = [] }) => dropped))],
  })
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
  skipped: described(
    texts,
    'Targets that were not asked in their turn, each with a colon and the reason.',
  ),
  timeline: list(attemptSchema),
})

export function shownAttempt(record: UsageRecord, costParts: readonly CostPart[] | null) {
  const { startedAt, firstTokenMs, durationMs } = record
  const cost = costOf(record)
  const used = quantities.flatMap((name) => {
    const quantity = record[name]
    return quantity === undefined || quantity === 0 ? [] : [[name, quantity] as const]
  })
  return filled(attemptSchema, {
    ...record,
    startedAt: isoOf(startedAt),
    firstTokenAt: firstTokenMs === undefined ? null : isoOf(startedAt + firstTokenMs),
    endedAt: isoOf(startedAt + durationMs),
    estimated: record.estimated === true,
    unsettled: record.unsettled === true,
    usage: Object.fromEntries(used),
    serverToolCalls: record.serverToolCalls ?? {},
    costMicroUsd: cost === undefined ? null : microUsdOf(cost),
    costParts,
    dropped: record.dropped ?? [],
  })
}
