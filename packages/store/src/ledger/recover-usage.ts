import { createReadStream, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { isObject, noUsage, type UsageRecord } from '@sluice/contract'
import type { BudgetReservation, NotedUsage, UsageBegun } from '@sluice/gateway/ports/store.ts'
import { documentOf } from './journal.ts'
import { instanceOf, isAbandoned } from './journal-owner.ts'

type BegunLine = UsageBegun & { readonly reservation?: BudgetReservation }

const kinds = ['B', 'N', 'S'] as const

interface Line {
  readonly kind: (typeof kinds)[number]
  readonly id: string
  readonly document: string
  readonly value: Readonly<Record<string, unknown>>
}

/** Writes the documents to the database, all of them or none. */
export type WriteDocuments = (batch: readonly string[]) => Promise<void>

/** What was reserved for a call of which the end is not known to have been settled. */
export interface ReservedCall {
  readonly callId: string
  readonly reservation: BudgetReservation
}

export interface Recovery {
  readonly write: WriteDocuments
  /** Called for a journal that names reservations, after its records were written. `remove` removes it. */
  readonly reserved: (calls: readonly ReservedCall[], remove: () => void) => void
  /** Called when the records of a process are written. */
  readonly recovered: (instance: string) => Promise<void>
  /** Called for a segment with lines that cannot be read, before it is removed. */
  readonly unreadable: (segment: ReadSegment) => void
}

/** What a segment contained. */
export interface ReadSegment {
  readonly file: string
  /** Lines that are damaged, of whose content nothing is known. */
  readonly unreadable: number
}

const recordsPerWrite = 500

/**
 * Writes records left in the journals of dead processes to the database, and removes those journals. Attempts that began but
 * were never settled are marked as unsettled, with their last noted usage. Running it twice or in two processes is harmless,
 * because each id is stored once.
 */
export async function recoverUsage(folder: string, recovery: Recovery): Promise<void> {
  const files = readdirSync(folder)
    .filter((name) => name.endsWith('.journal'))
    .map((name) => join(folder, name))
    .filter(isAbandoned)
    .toSorted((one, other) => (one < other ? -1 : 1))
  for (const instance of new Set(files.map(instanceOf))) {
    await recoverInstance(
      files.filter((file) => instanceOf(file) === instance),
      recovery,
    )
    await recovery.recovered(instance)
  }
}

async function recoverInstance(
  files: readonly string[],
  { write, reserved, unreadable }: Recovery,
): Promise<void> {
  const open = new Map<string, UsageBegun | UsageRecord>()
  /** By the reservation's id. */
  const calls = new Map<string, ReservedCall>()
  for (const file of files) {
    const read = await writeSettled(file, write, (line) => {
      const { id, kind, value } = line
      const earlier = open.get(id)
      // This program wrote the lines, so their form is known.
      if (kind === 'S') open.delete(id)
      else if (kind === 'B') {
        const { reservation, ...begun } = value as unknown as BegunLine
        open.set(id, unsettled(begun))
        if (reservation) calls.set(reservation.id, { callId: begun.callId, reservation })
      } else if (earlier) open.set(id, unsettled(earlier, value as unknown as NotedUsage))
    })
    if (read.unreadable > 0) unreadable(read)
  }
  const unfinished = [...open].map(([id, record]) => documentOf(id, record))
  for (let from = 0; from < unfinished.length; from += recordsPerWrite)
    await write(unfinished.slice(from, from + recordsPerWrite))
  const remove = () => {
    for (const file of files) rmSync(file, { force: true })
  }
  if (calls.size > 0) reserved([...calls.values()], remove)
  else remove()
}

/** Writes what a segment says is settled, in its order, and passes every line to `onLine`. */
export async function writeSettled(
  file: string,
  write: WriteDocuments,
  onLine: (line: Line) => void = () => {},
): Promise<ReadSegment> {
  let batch: string[] = []
  let unreadable = 0
  for await (const text of linesOf(file)) {
    const line = readLine(text)
    if (!line) {
      // One that is empty ends a line that was cut when the disk was full.
      if (text !== '') unreadable += 1
      continue
    }
    onLine(line)
    if (line.kind !== 'S') continue
    batch.push(line.document)
    if (batch.length < recordsPerWrite) continue
    await write(batch)
    batch = []
  }
  if (batch.length > 0) await write(batch)
  return { file, unreadable }
}

/** Only a line feed ends a line: node:readline also splits at U+2028, which JSON texts may contain. */
async function* linesOf(file: string): AsyncGenerator<string> {
  let rest = ''
  for await (const piece of createReadStream(file, 'utf8')) {
    const lines = `${rest}${piece}`.split('\n')
    rest = lines.pop() ?? ''
    yield* lines
  }
  if (rest !== '') yield rest
}

/** Undefined for a damaged line: a process may have died in the middle of it, or the disk have failed. */
function readLine(text: string): Line | undefined {
  const kind = kinds.find((one) => text.startsWith(one))
  const document = text.slice(1)
  try {
    const value: unknown = JSON.parse(document)
    if (kind === undefined || !isObject(value)) return undefined
    const { id, ...rest } = value
    return typeof id === 'string' ? { kind, id, document, value: rest } : undefined
  } catch {
    return undefined
  }
}

function unsettled(begun: UsageBegun, noted?: NotedUsage): UsageRecord {
  return {
    durationMs: 0,
    ...begun,
    ...(noted ? { ...noted, estimated: true } : noUsage),
    outcome: 'incomplete',
    reported: false,
    unsettled: true,
  }
}
