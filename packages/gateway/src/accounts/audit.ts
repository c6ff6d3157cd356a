import { hash } from 'node:crypto'
import type { AuditEntry } from '../ports/audit.ts'

/** The content of an audit entry, without its position in the log. */
export type AuditFacts = Pick<AuditEntry, 'at' | 'actor' | 'action' | 'target' | 'before' | 'after'>

/** The entry that follows `last`. */
export function entryAfter(last: AuditEntry | undefined, facts: AuditFacts): AuditEntry {
  const entry = {
    sequence: (last?.sequence ?? 0) + 1,
    ...facts,
    previousHash: last?.hash ?? '',
  }
  return { ...entry, hash: auditHash(entry) }
}

/** SHA-256 in lower-case hexadecimal of all content of an entry, as a JSON array. */
function auditHash(entry: Omit<AuditEntry, 'hash'>): string {
  const { sequence, at, actor, action, target, before, after, previousHash } = entry
  const fields = [sequence, at, actor, action, target, before ?? null, after ?? null, previousHash]
  return hash('sha256', JSON.stringify(fields))
}

/** Verifies the log from its first entry. */
export class AuditCheck {
  #last: AuditEntry | undefined

  /** The last valid entry. */
  get last(): AuditEntry | undefined {
    return this.#last
  }

  /** Checks the next entry; returns what is wrong with it, if anything. */
  problemOf(entry: AuditEntry): string | undefined {
    const expected = (this.#last?.sequence ?? 0) + 1
    if (entry.sequence !== expected)
      return `Entry ${expected} is missing: after ${expected - 1} comes ${entry.sequence}`
    if (entry.previousHash !== (this.#last?.hash ?? ''))
      return `Entry ${expected} does not follow the entry before it: that one was changed or replaced`
    if (entry.hash !== auditHash(entry)) return `Entry ${expected} was changed after it was written`
    this.#last = entry
    return undefined
  }
}
