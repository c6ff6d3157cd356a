import { invalidRequest } from '@sluice/contract'
import type { AuditEntry } from '@sluice/gateway/ports/audit.ts'
import { endpoint, wholeReaders } from '../endpoint.ts'
import { pageOfItems, paging, pagingOf } from '../query.ts'
import { anything, described, integer, object, pageOf, text } from '../shapes.ts'

/** An audit entry as it is returned: its id is its sequence number, and `before` and `after` are parsed. */
export interface ShownEntry extends Omit<AuditEntry, 'before' | 'after'> {
  readonly id: string
  readonly before: unknown
  readonly after: unknown
}

const before = described(
  anything,
  'As it is answered by its own endpoint; null where it was not there.',
)

/** The audit log. Team administrators cannot read it, because it covers all teams. */
export const listAudit = endpoint({
  method: 'GET',
  path: '/admin/v1/audit',
  access: wholeReaders,
  operationId: 'listAudit',
  summary: 'List what administrators did, each entry with the hash of the one before it',
  tag: 'Administration',
  query: paging,
  reply: pageOf(
    object({
      id: text,
      sequence: integer,
      at: integer,
      actor: text,
      action: text,
      target: text,
      before,
      after: before,
      previousHash: text,
      hash: text,
    }),
  ),
  async onStore({ query }, { store }) {
    const { limit, after, isAscending } = pagingOf(query)
    const place = after === undefined ? undefined : Number(after)
    if (place !== undefined && !Number.isSafeInteger(place))
      throw invalidRequest('It must be the number of an entry', 'after')
    const found = await store.listAudit(
      isAscending
        ? { limit: limit + 1, after: place ?? 0 }
        : { limit: limit + 1, before: place ?? Number.MAX_SAFE_INTEGER },
    )
    return pageOfItems(found.map(shownEntry), limit)
  },
})

function shownEntry({ before: earlier, after, ...entry }: AuditEntry): ShownEntry {
  return {
    id: String(entry.sequence),
    ...entry,
    before: parsed(earlier),
    after: parsed(after),
  }
}

/** Returns the text itself if it was tampered with and is no longer JSON. */
function parsed(json: string | undefined): unknown {
  if (json === undefined) return null
  try {
    return JSON.parse(json)
  } catch {
    return json
  }
}

/** Converts an entry back to its stored form. */
export function keptEntry({ id: _id, before, after, ...entry }: ShownEntry): AuditEntry {
  return {
    ...entry,
    ...(before !== null && { before: textOf(before) }),
    ...(after !== null && { after: textOf(after) }),
  }
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}
