import { diffArrays } from 'diff'

/** A line of a text, and whether it is added, removed or unchanged. */
export interface DiffLine {
  readonly kind: 'same' | 'added' | 'removed'
  readonly text: string
}

/**
 * Maximum number of lines to remove and add, because the time to find them grows with its square; texts that differ more are
 * shown as entirely replaced.
 */
const editsMax = 2_000

/** The lines to remove from one text and add to it to get the other, as few as possible. */
export function diffLines(before: string, after: string): readonly DiffLine[] {
  const old = linesOf(before)
  const fresh = linesOf(after)
  const changes = diffArrays(old, fresh, { maxEditLength: editsMax }) ?? [
    { value: old, removed: true, added: false },
    { value: fresh, removed: false, added: true },
  ]
  return changes.flatMap(({ value, removed, added }) => {
    const kind = removed ? 'removed' : added ? 'added' : 'same'
    return value.map((text): DiffLine => ({ kind, text }))
  })
}

function linesOf(text: string): string[] {
  return text === '' ? [] : text.split('\n')
}
