const itemsMax = 50_000

export interface Items {
  readonly items: readonly string[]
  /** How the items were separated, so that an answer can use the same form. */
  readonly separator: 'lines' | 'commas' | 'blanks'
}

/** The items of a list: lines, bullets, a JSON array, words between commas or semicolons, or single words. */
export function itemsOf(text: string): Items {
  const trimmed = text.trim()
  // "the array [3, 1, 2]"
  const json = jsonItems(trimmed.replace(/^[\w ]{1,40}(?=\[[^[\]]*\]\W{0,3}$)/, ''))
  if (json !== undefined) return { items: json, separator: 'commas' }
  const lines = trimmed
    .split('\n')
    .map(withoutBullet)
    .filter((line) => line !== '')
  if (lines.length > 1) return { items: lines.slice(0, itemsMax), separator: 'lines' }
  const line = withoutBullet(trimmed)
  if (/[,;]/.test(line)) return { items: commaItems(line), separator: 'commas' }
  const joined = line.length < 2000 ? cleaned(line.split(/ (?:and|or|&) /i)) : []
  if (joined.length > 1 && joined.every((item) => item.split(' ').length <= 3))
    return { items: joined, separator: 'commas' }
  return { items: cleaned(line.split(/\s+/)), separator: 'blanks' }
}

/** A number with thousands separators ("1,234") is not split if spaces follow the separating commas. */
function commaItems(line: string): string[] {
  const separator = line.includes(';') ? /;/ : /, /.test(line) ? /,(?!\d{3}(?!\d))|,(?=\s)/ : /,/
  const items = line.split(separator)
  // "…, pears and apples": the last comma may be missing.
  const last = items.pop()?.replace(/^\s{0,20}(?:and|or|&)\s/i, '') ?? ''
  return cleaned([...items, ...(last.length < 200 ? last.split(/ (?:and|&) /i) : [last])])
}

function cleaned(items: readonly string[]): string[] {
  return items
    .map((item) =>
      item
        .trim()
        .replace(/^["'“‘]([^"'“”‘’]*)["'”’]$/u, '$1')
        .replace(/[.!?]$/, ''),
    )
    .filter((item) => item !== '')
    .slice(0, itemsMax)
}

function withoutBullet(line: string): string {
  return line.trim().replace(/^(?:[-*•+]|\d{1,4}[.)])\s+/, '')
}

function jsonItems(text: string): string[] | undefined {
  if (!text.startsWith('[') || text.length > 200_000) return undefined
  try {
    const parsed: unknown = JSON.parse(text.replace(/[.;]$/, ''))
    if (!Array.isArray(parsed)) return undefined
    return parsed
      .slice(0, itemsMax)
      .map((item) => (typeof item === 'string' ? item : JSON.stringify(item)))
  } catch {
    const inner = /^\[([^[\]]*)\]/.exec(text)?.[1]
    return inner === undefined ? undefined : commaItems(inner)
  }
}

/** The items with the same separator. */
export function setOut(items: readonly string[], separator: Items['separator']): string {
  return items.join({ lines: '\n', commas: ', ', blanks: ' ' }[separator])
}
