import { createReadStream, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { isObject, noUsage, type UsageRecord } from '@sluice/contract'
import type { NotedUsage, UsageBegun } from '../ports/store.ts'
import { instanceOf, isAbandoned } from './journal-owner.ts'

/** A record under the id that it has in the database, where an id is written once. */
export interface NamedRecord {
  readonly id: string
  readonly record: UsageRecord
}

/** The lines of the ledger's journal: what it is, the record's id, and JSON. */
export const journalLine = {
  begun: (id: string, begun: UsageBegun) => `B${id} ${JSON.stringify(begun)}`,
  noted: (id: string, usage: NotedUsage) => `N${id} ${JSON.stringify(usage)}`,
  settled: (id: string, record: UsageRecord) => `S${id} ${JSON.stringify(record)}`,
}

interface Line {
  readonly kind: string
  readonly id: string
  readonly value: unknown
}

const records = 500

/**
 * Writes down what processes that died have left in their journals, and removes those. What was begun and never settled
 * is marked so, with what was last noted of its usage. Running it twice, or in two processes, does no harm, as an id is
 * written once.
 *
 * @returns How many records were looked at.
 */
export async function recoverUsage(
  folder: string,
  write: (batch: readonly NamedRecord[]) => Promise<void>,
): Promise<number> {
  const files = readdirSync(folder)
    .filter((name) => name.endsWith('.journal'))
    .map((name) => join(folder, name))
    .filter(isAbandoned)
    .toSorted((one, other) => (one < other ? -1 : 1))
  let count = 0
  for (const instance of new Set(files.map(instanceOf)))
    count += await recoverInstance(
      files.filter((file) => instanceOf(file) === instance),
      write,
    )
  return count
}

async function recoverInstance(
  files: readonly string[],
  write: (batch: readonly NamedRecord[]) => Promise<void>,
): Promise<number> {
  const open = new Map<string, UsageRecord>()
  let count = 0
  for (const file of files)
    count += await writeSettled(file, write, (line) => {
      const begun = line.kind === 'B' ? (line.value as UsageBegun) : open.get(line.id)
      if (line.kind === 'S') open.delete(line.id)
      else if (begun)
        open.set(
          line.id,
          unsettled(begun, line.kind === 'N' ? (line.value as NotedUsage) : undefined),
        )
    })
  const left = [...open].map(([id, record]) => ({ id, record }))
  for (let from = 0; from < left.length; from += records)
    await write(left.slice(from, from + records))
  for (const file of files) rmSync(file, { force: true })
  return count + left.length
}

/** Writes what a segment says is settled, in its order, and shows every line. Returns how many records that were. */
export async function writeSettled(
  file: string,
  write: (batch: readonly NamedRecord[]) => Promise<void>,
  show: (line: Line) => void = () => {},
): Promise<number> {
  let batch: NamedRecord[] = []
  let count = 0
  for await (const text of createInterface({ input: createReadStream(file) })) {
    const line = readLine(text)
    if (!line) continue
    show(line)
    if (line.kind !== 'S') continue
    batch.push({ id: line.id, record: line.value as UsageRecord })
    count += 1
    if (batch.length < records) continue
    await write(batch)
    batch = []
  }
  if (batch.length > 0) await write(batch)
  return count
}

/** A process may have died in the middle of a line. */
function readLine(text: string): Line | undefined {
  const end = text.indexOf(' ')
  if (end < 0) return undefined
  try {
    const value: unknown = JSON.parse(text.slice(end + 1))
    return isObject(value) ? { kind: text.slice(0, 1), id: text.slice(1, end), value } : undefined
  } catch {
    return undefined
  }
}

function unsettled(begun: UsageBegun, noted: NotedUsage | undefined): UsageRecord {
  return {
    durationMs: 0,
    ...begun,
    ...(noted ? { ...noted, estimated: true } : noUsage),
    outcome: 'incomplete',
    reported: false,
    unsettled: true,
  }
}
