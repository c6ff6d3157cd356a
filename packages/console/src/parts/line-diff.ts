/** A line of a text, and whether it is added, removed or unchanged. */
export interface DiffLine {
  readonly kind: 'same' | 'added' | 'removed'
  readonly text: string
}

/**
 * Maximum number of lines to compare, because the comparison table grows with both texts; longer texts are shown as entirely
 * replaced.
 */
const linesMax = 1_000

/** The lines to remove from one text and add to it to get the other, based on the longest common subsequence. */
export function diffLines(before: string, after: string): readonly DiffLine[] {
  const old = linesOf(before)
  const fresh = linesOf(after)
  if (old.length > linesMax || fresh.length > linesMax)
    return [...old.map(lineOf('removed')), ...fresh.map(lineOf('added'))]
  const common = commonLengths(old, fresh)
  const lengthAt = (at: number, place: number) => common[at]?.[place] ?? 0
  const lines: DiffLine[] = []
  let at = 0
  let place = 0
  while (at < old.length || place < fresh.length) {
    const [was = '', is = ''] = [old[at], fresh[place]]
    if (at < old.length && place < fresh.length && was === is) {
      lines.push({ kind: 'same', text: was })
      at += 1
      place += 1
    } else if (
      place === fresh.length ||
      (at < old.length && lengthAt(at + 1, place) >= lengthAt(at, place + 1))
    ) {
      lines.push({ kind: 'removed', text: was })
      at += 1
    } else {
      lines.push({ kind: 'added', text: is })
      place += 1
    }
  }
  return lines
}

function linesOf(text: string): readonly string[] {
  return text === '' ? [] : text.split('\n')
}

function lineOf(kind: DiffLine['kind']) {
  return (text: string): DiffLine => ({ kind, text })
}

/** For each pair of positions, the length of the longest common subsequence of the lines from there on. */
function commonLengths(old: readonly string[], fresh: readonly string[]): readonly number[][] {
  const lengths = Array.from({ length: old.length + 1 }, () =>
    Array.from({ length: fresh.length + 1 }, () => 0),
  )
  for (let at = old.length - 1; at >= 0; at--) {
    const row = lengths[at] ?? []
    const below = lengths[at + 1] ?? []
    for (let place = fresh.length - 1; place >= 0; place--)
      row[place] =
        old[at] === fresh[place]
          ? (below[place + 1] ?? 0) + 1
          : Math.max(below[place] ?? 0, row[place + 1] ?? 0)
  }
  return lengths
}
