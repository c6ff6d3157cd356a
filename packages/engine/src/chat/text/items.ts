const itemsMax = 50_000

/** The items of a list: lines, bullets, words between commas or semicolons, or single words. */
export function itemsOf(text: string): readonly string[] {
  const trimmed = text.trim()
  const lines = trimmed
    .split('\n')
    .map(withoutBullet)
    .filter((line) => line !== '')
  if (lines.length > 1) return lines.slice(0, itemsMax)
  const line = withoutBullet(trimmed)
  if (/[,;]/.test(line)) return commaItems(line)
  const joined = line.length < 2000 ? cleaned(line.split(/ (?:and|or|&) /i)) : []
  if (joined.length > 1 && joined.every((item) => item.split(' ').length <= 3)) return joined
  return cleaned(line.split(/\s+/))
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
