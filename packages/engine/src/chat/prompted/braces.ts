/** A part of a text, from `start` to before `end`. */
export interface Range {
  readonly start: number
  readonly end: number
}

/**
 * The outermost pairs of braces in a text, in order. Braces without a counterpart, and those within quotation marks of a line,
 * do not count. Takes time in proportion to the length.
 */
export function outermostBraces(text: string): Range[] {
  const found: Range[] = []
  const open: number[] = []
  const marks = /[{}"]/g
  for (let match = marks.exec(text); match !== null; match = marks.exec(text)) {
    const at = match.index
    if (match[0] === '{') open.push(at)
    else if (match[0] === '"') {
      if (open.length > 0) marks.lastIndex = afterQuotation(text, at)
    } else {
      const start = open.pop()
      if (start === undefined) continue
      while ((found.at(-1)?.start ?? -1) > start) found.pop()
      found.push({ start, end: at + 1 })
    }
  }
  return found
}

const closing = /(?:[^"\\\n]|\\.)*(["\n]|$)/y

/** The place after a quotation, or after its opening mark if it does not end on its line. */
function afterQuotation(text: string, at: number): number {
  closing.lastIndex = at + 1
  return closing.exec(text)?.[1] === '"' ? closing.lastIndex : at + 1
}
