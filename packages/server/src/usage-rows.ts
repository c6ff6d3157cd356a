import { Readable } from 'node:stream'
import { joinMoney, microUsdOf, Type, type UsageRecord } from '@sluice/contract'
import type { FastifyReply } from 'fastify'
import { formatLargeJson, isLargeJson } from '@sluice/gateway/turns/format-large.ts'
import { turn } from '@sluice/gateway/turns/turn.ts'
import type { UsageAnswer, UsageGroup, UsageSums } from '@sluice/gateway/ports/usage-store.ts'
import { usagePeriods } from '@sluice/gateway/ports/usage-store.ts'
import { percentileOf } from '@sluice/gateway/ports/first-token.ts'
import { flag, integerOrNull, numberOrNull, textOrNull, time } from './shapes.ts'
import type { UsageBy, UsageFormat } from './usage-query.ts'

/** A row of a table. All rows have the same columns, each of one type; null if there is no value. */
export type FlatRow = Readonly<Record<string, string | number | boolean | null>>

/** Sums as they are shown; in a group the group's keys come first. */
export type ShownSums = FlatRow &
  Omit<UsageSums, 'cost' | 'firstTokens'> & {
    readonly costMicroUsd: number | null
    readonly firstTokenP50Ms: number | null
    readonly firstTokenP95Ms: number | null
  }

const iso = (at: number) => new Date(at).toISOString().replace('.000Z', 'Z')

const isPeriod = (by: UsageBy) => usagePeriods.some((period) => period === by)

/** A group with its keys by name. */
export function shownGroup(by: readonly UsageBy[], { of, sums }: UsageGroup): ShownSums {
  const keys = by.map((name, at) => {
    const value = of[at] ?? ''
    if (isPeriod(name)) return [name, iso(Number(value))]
    return [name, value === '' ? null : String(value)]
  })
  return { ...Object.fromEntries(keys), ...shownSums(sums) }
}

/** The cost is null if it is unknown for all attempts. */
export function shownSums({ firstTokens, ...sums }: UsageSums): ShownSums {
  const isUnknown = sums.attempts > 0 && sums.unknownCosts === sums.attempts
  const shown = Object.entries(sums).map(([name, sum]) =>
    typeof sum === 'bigint' ? ['costMicroUsd', isUnknown ? null : microUsdOf(sum)] : [name, sum],
  )
  // Every sum keeps its name but that of the cost.
  return {
    ...Object.fromEntries(shown),
    firstTokenP50Ms: percentileOf(firstTokens, 0.5),
    firstTokenP95Ms: percentileOf(firstTokens, 0.95),
  } as ShownSums
}

/** Groups shown per turn of the event loop. */
const groupsPerTurn = 400

/** An answer as JSON shows it, made in several turns so that other requests do not wait. */
export async function shownAnswer(by: readonly UsageBy[], answer: UsageAnswer) {
  const data: ShownSums[] = []
  for (let from = 0; from < answer.groups.length; from += groupsPerTurn) {
    if (from > 0) await turn()
    for (const group of answer.groups.slice(from, from + groupsPerTurn))
      data.push(shownGroup(by, group))
  }
  return { data, total: shownSums(answer.total), pending: answer.pending }
}

/** Sends a body of many rows; as `reply.send`, but a large one does not block other requests. */
export async function sendRows(reply: FastifyReply, body: object): Promise<void> {
  if (!isLargeJson(body)) return void reply.send(body)
  const bytes = await formatLargeJson(body)
  reply.type('application/json; charset=utf-8').send(bytes)
}

type Shape = 'text' | 'integer' | 'number' | 'boolean' | 'time' | 'json'

/** The fields that records split money into. One column shows both. */
const restOf = {
  costMicroUsd: 'costRestPicoUsd',
  reservedMicroUsd: 'reservedRestPicoUsd',
} as const
type Whole = keyof typeof restOf
type Column = Exclude<keyof UsageRecord, (typeof restOf)[Whole]>

const isWhole = (name: string): name is Whole => Object.hasOwn(restOf, name)

/** The columns of a record, in order. Flat and of one type each, so that any table format can hold them. */
const recordColumns: Readonly<Record<Column, Shape>> = {
  callId: 'text',
  requestId: 'text',
  attempt: 'integer',
  startedAt: 'time',
  durationMs: 'number',
  keyId: 'text',
  userId: 'text',
  teamId: 'text',
  organizationId: 'text',
  tags: 'json',
  operation: 'text',
  provider: 'text',
  model: 'text',
  outcome: 'text',
  reported: 'boolean',
  estimated: 'boolean',
  unsettled: 'boolean',
  inputTokens: 'integer',
  outputTokens: 'integer',
  cachedInputTokens: 'integer',
  cacheWriteTokens: 'integer',
  longCacheWriteTokens: 'integer',
  audioInputTokens: 'integer',
  cachedAudioInputTokens: 'integer',
  imageInputTokens: 'integer',
  reasoningTokens: 'integer',
  audioOutputTokens: 'integer',
  imageOutputTokens: 'integer',
  billedInputTokens: 'integer',
  billedOutputTokens: 'integer',
  seconds: 'number',
  images: 'integer',
  characters: 'integer',
  searchUnits: 'integer',
  serverToolCalls: 'json',
  size: 'text',
  quality: 'text',
  serviceTier: 'text',
  chargedUsd: 'number',
  costMicroUsd: 'number',
  priceSource: 'text',
  priceDate: 'text',
  clientAddress: 'text',
  format: 'text',
  streamed: 'boolean',
  requestedModel: 'text',
  firstTokenMs: 'integer',
  status: 'integer',
  errorCode: 'text',
  reason: 'text',
  upstreamStatus: 'integer',
  upstreamRequestId: 'text',
  dropped: 'json',
  reservedMicroUsd: 'number',
  overBudget: 'text',
  skipped: 'json',
}

const columns = Object.entries(recordColumns) as readonly (readonly [Column, Shape])[]

export function flatRecord(record: UsageRecord): FlatRow {
  return Object.fromEntries(
    columns.map(([name, shape]) => [
      name,
      isWhole(name) ? flatMoney(record, name) : flat(record[name], shape),
    ]),
  )
}

function flatMoney(record: UsageRecord, name: Whole): number | null {
  const whole = record[name]
  return whole === undefined ? null : microUsdOf(joinMoney(whole, record[restOf[name]]))
}

function flat(value: UsageRecord[keyof UsageRecord], shape: Shape): FlatRow[string] {
  if (shape === 'boolean') return value === true
  if (value === undefined) return null
  if (shape === 'time') return iso(Number(value))
  if (shape === 'json' || typeof value === 'object') return JSON.stringify(value)
  return value
}

const schemaOf: Readonly<Record<Shape, object>> = {
  text: textOrNull,
  integer: integerOrNull,
  number: numberOrNull,
  boolean: flag,
  time,
  json: { type: ['string', 'null'], contentMediaType: 'application/json' },
}

/** A flat record. */
export const flatRecordSchema = Type.Unsafe<FlatRow>({
  type: 'object',
  required: Object.keys(recordColumns),
  properties: Object.fromEntries(columns.map(([name, shape]) => [name, schemaOf[shape]])),
})

const types: Readonly<Record<Exclude<UsageFormat, 'json'>, string>> = {
  csv: 'text/csv; charset=utf-8; header=present',
  jsonl: 'application/jsonl; charset=utf-8',
}

/** Streams all pages at the reader's pace; at most one page is held in memory. */
export function streamRows(
  format: Exclude<UsageFormat, 'json'>,
  pages: AsyncIterable<readonly FlatRow[]>,
  names: readonly string[],
): { readonly type: string; readonly body: Readable } {
  async function* lines() {
    if (format === 'csv') yield `${names.join(',')}\r\n`
    for await (const page of pages)
      if (page.length > 0) yield page.map((row) => lineOf(format, row, names)).join('')
  }
  return { type: types[format], body: Readable.from(lines(), { objectMode: false }) }
}

export const recordNames = columns.map(([name]) => name)

function lineOf(format: 'csv' | 'jsonl', row: FlatRow, names: readonly string[]): string {
  if (format === 'jsonl') return `${JSON.stringify(row)}\n`
  return `${names.map((name) => cell(row[name] ?? null)).join(',')}\r\n`
}

/**
 * What spreadsheet programs treat as the beginning of a formula (OWASP, "CSV Injection"), including the full-width characters
 * of East Asian keyboards.
 */
const formulaStart = /^[=+\-@\t\r\n＝＋－＠]/

/** Formats a CSV cell (RFC 4180). Callers choose some of the texts, so formulas are escaped with an apostrophe. */
function cell(value: FlatRow[string]): string {
  if (value === null) return ''
  if (typeof value !== 'string') return String(value)
  const text = formulaStart.test(value) ? `'${value}` : value
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
