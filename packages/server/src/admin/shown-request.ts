import { costOf, microUsdOf, type UsageRecord } from '@sluice/contract'
import type { BegunCall, RefusedCall } from '@sluice/gateway/observe/live-calls.ts'
import type { FoundRequest } from '@sluice/gateway/ports/usage-book.ts'
import { object, text } from '../openapi-written.ts'
import type { JsonSchema } from '../openapi-schema.ts'
import type { CostPart } from '@sluice/gateway/prices/cost.ts'

const textOrNull = { type: ['string', 'null'] }
const whole = { type: 'integer', minimum: 0 }
const wholeOrNull = { type: ['integer', 'null'] }
const microUsd = { type: ['number', 'null'] }
const flag = { type: 'boolean' }
const texts = { type: 'array', items: text }
const time = { type: 'string', format: 'date-time' }
const timeOrNull = { type: ['string', 'null'], format: 'date-time' }

const isoOf = (at: number) => new Date(at).toISOString()

/** The facts of a call that are known when it begins. */
interface Begun {
  readonly id: string
  /** The caller's request id. */
  readonly requestId: string | null
  readonly startedAt: string
  readonly key: string
  readonly user: string | null
  readonly team: string | null
  readonly organization: string | null
  readonly tags: readonly string[]
  readonly clientAddress: string | null
  readonly operation: string
  readonly format: string | null
  readonly stream: boolean
  /** The model as the caller wrote it. */
  readonly model: string
  /** The provider that answered, or was tried last. */
  readonly provider: string
  readonly upstreamModel: string
}

/** A call in a list. */
export interface ShownRequest extends Begun {
  readonly durationMs: number
  readonly firstTokenMs: number | null
  readonly attempts: number
  readonly outcome: UsageRecord['outcome']
  readonly status: number | null
  readonly errorCode: string | null
  readonly reason: string | null
  readonly inputTokens: number
  readonly outputTokens: number
  readonly costMicroUsd: number | null
  readonly unknownCosts: number
  readonly estimated: boolean
  readonly unsettled: boolean
  readonly dropped: readonly string[]
}

const begunProperties: Record<string, JsonSchema> = {
  id: text,
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
  model: text,
  provider: text,
  upstreamModel: text,
}

const shownProperties: Record<string, JsonSchema> = {
  ...begunProperties,
  durationMs: { type: 'number' },
  firstTokenMs: wholeOrNull,
  attempts: whole,
  outcome: text,
  status: wholeOrNull,
  errorCode: textOrNull,
  reason: textOrNull,
  inputTokens: whole,
  outputTokens: whole,
  costMicroUsd: microUsd,
  unknownCosts: whole,
  estimated: flag,
  unsettled: flag,
  dropped: texts,
}

/** Tokens and costs are totals of all attempts. The cost is null if no attempt has a known cost. */
export const shownRequestSchema = object(shownProperties)

/** A call that has just begun. */
export function shownBegun(begun: BegunCall): Begun {
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
export function shownRequest({ attempts }: FoundRequest): ShownRequest | undefined {
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
  attempt: whole,
  provider: text,
  model: text,
  startedAt: time,
  firstTokenAt: timeOrNull,
  endedAt: time,
  durationMs: { type: 'number' },
  outcome: text,
  status: wholeOrNull,
  upstreamStatus: wholeOrNull,
  errorCode: textOrNull,
  reason: textOrNull,
  upstreamRequestId: textOrNull,
  reported: flag,
  estimated: flag,
  unsettled: flag,
  usage: { type: 'object', additionalProperties: { type: 'number' } },
  serverToolCalls: { type: 'object', additionalProperties: { type: 'integer' } },
  size: textOrNull,
  quality: textOrNull,
  serviceTier: textOrNull,
  chargedUsd: {
    type: ['number', 'null'],
    description:
      'What the provider itself says that the call costs, in US dollars; null if nothing.',
  },
  costMicroUsd: microUsd,
  costParts: {
    oneOf: [
      { type: 'null' },
      {
        type: 'array',
        items: object({ kind: text, quantity: { type: 'number' }, microUsd: { type: 'number' } }),
      },
    ],
    description:
      'What the cost consists of, by the name of the rate (`input`, `cacheRead`, `reasoning` …) or of the tool; null where nobody knows, and where the price is another one by now.',
  },
  priceSource: textOrNull,
  priceDate: textOrNull,
  dropped: texts,
})

/** A call with all its attempts. */
export const requestDetailSchema = object({
  ...shownProperties,
  timeline: { type: 'array', items: attemptSchema },
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
    costMicroUsd: cost === undefined ? null : microUsdOf(cost),
    costParts,
    priceSource: record.priceSource ?? null,
    priceDate: record.priceDate ?? null,
    dropped: record.dropped ?? [],
  }
}
