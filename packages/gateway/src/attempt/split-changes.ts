import { changeWithin, removeFields, spliceFields } from '@sluice/contract'
import type { Change } from '@sluice/protocols'

/** Changes of a request's bytes, by the ways in which they are made. */
export interface SplitChanges {
  /** Top-level fields with their new values. */
  readonly fields: Readonly<Record<string, unknown>>
  /** Makes all other changes. Returns the same bytes if there are none. */
  apply(bytes: Uint8Array): Uint8Array
  /** Whether there are no other changes. */
  readonly isPlain: boolean
}

export function splitChanges(changes: readonly Change[]): SplitChanges {
  const fields: Record<string, unknown> = {}
  const removed: string[] = []
  const nested: { readonly outer: string; readonly name: string; readonly value: unknown }[] = []
  for (const { path, value } of changes) {
    const [outer, name] = path
    if (name !== undefined) nested.push({ outer, name, value })
    else if (value === undefined) removed.push(outer)
    else fields[outer] = value
  }
  return {
    fields,
    isPlain: removed.length === 0 && nested.length === 0,
    apply(bytes) {
      let changed = removed.length === 0 ? bytes : removeFields(bytes, removed)
      for (const { outer, name, value } of nested)
        changed = changeWithin(changed, outer, (object) =>
          value === undefined
            ? removeFields(object, [name])
            : spliceFields(object, { [name]: value }),
        )
      return changed
    },
  }
}
