import {
  changeValue,
  changeWithin,
  formatJson,
  parseJson,
  removeFields,
  spliceFields,
} from '@sluice/contract'
import type { Change } from '@sluice/protocols/native-target.ts'

/** Changes of a request's bytes, by the ways in which they are made. */
interface SplitChanges {
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
  const whole: Extract<Change, { change: object }>[] = []
  for (const one of changes) {
    if (one.change !== undefined) {
      whole.push(one)
      continue
    }
    const { path, value } = one
    const [outer, name] = path
    if (name !== undefined) nested.push({ outer, name, value })
    else if (value === undefined) removed.push(outer)
    else fields[outer] = value
  }
  return {
    fields,
    isPlain: removed.length === 0 && nested.length === 0 && whole.length === 0,
    apply(bytes) {
      let changed = removed.length === 0 ? bytes : removeFields(bytes, removed)
      for (const { outer, name, value } of nested)
        changed = changeWithin(changed, outer, (object) =>
          value === undefined
            ? removeFields(object, [name])
            : spliceFields(object, { [name]: value }),
        )
      for (const { path, change } of whole)
        changed = changeValue(changed, path[0], (value) =>
          Buffer.from(formatJson(change(parseJson(Buffer.from(value).toString('utf8'))))),
        )
      return changed
    },
  }
}
