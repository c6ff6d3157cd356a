const itemsMax = 50_000

export interface Items {
  readonly items: readonly string[]
  /** How they were set apart, so that an answer can be set out the same way. */
  readonly separator: 'lines' | 'commas' | 'blanks'
}

/** The items of a list: lines, bullets, a JSON array, words between commas or semicolons, or just words. */
export function itemsOf(text: string): Items {
  const trimmed = text.trim()
  const json = jsonItems(trimmed)
  if (json !== undefined) return { items: json, separator: 'commas' }
  const lines = trimmed
    .split('\n')
    .map(withoutBullet)
    .filter((line) => line !== '')
  if (lines.length > 1) return { items: lines.slice(0, itemsMax), separator: 'lines' }
  const line = withoutBullet(trimmed)
  if (/[,;]/.test(line)) return { items: commaItems(line), separator: 'commas' }
  if (/ (?:and|or|&) /i.test(line) && line.length < 2000) {
    const items = line
      .split(/ (?:and|or|&) /i)
      .map(clean)
      .filter((item) => item !== '')
    if (items.every((item) => item.split(' ').length <= 3)) return { items, separator: 'commas' }
  }
  const items = line
    .split(/\s+/)
    .map(clean)
    .filter((item) => item !== '')
  return { items: items.slice(0, itemsMax), separator: 'blanks' }
}

/** A number with thousands separators ("1,234") stays whole when spaces follow the separating commas. */
function commaItems(line: string): string[] {
  const separator = line.includes(';') ? /;/ : /, /.test(line) ? /,(?!\d{3}(?!\d))|,(?=\s)/ : /,/
  return line
    .split(separator)
    .flatMap((item, index, all) => (index === all.length - 1 ? lastItems(item) : [item]))
    .map(clean)
    .filter((item) => item !== '')
    .slice(0, itemsMax)
}

/** "…, pears and apples": the last comma may be left out. */
function lastItems(item: string): string[] {
  const bare = item.replace(/^\s{0,20}(?:and|or|&)\s/i, '')
  return bare.length < 200 ? bare.split(/ (?:and|&) /i) : [bare]
}

function clean(item: string): string {
  const trimmed = item.trim().replace(/^["'“‘]([^"'“”‘’]*)["'”’]$/u, '$1')
  return /\d$/.test(trimmed.replace(/\.$/, ''))
    ? trimmed.replace(/\.$/, '')
    : trimmed.replace(/[.!?]$/, '')
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

/** Items set out as they came. */
export function setOut(items: readonly string[], separator: Items['separator']): string {
  return items.join(separator === 'lines' ? '\n' : separator === 'commas' ? ', ' : ' ')
}
