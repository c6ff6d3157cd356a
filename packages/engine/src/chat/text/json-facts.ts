/** A leaf of a JSON value: the names on its path, and its value. */
interface Leaf {
  readonly path: readonly string[]
  readonly value: string
}

const leavesMax = 2000
const depthMax = 32

/** Parses text that is a JSON object or array; undefined for anything else. */
export function parseJsonText(text: string): unknown {
  const trimmed = text.trim()
  if (!/^[[{]/.test(trimmed) || trimmed.length > 1_000_000) return undefined
  try {
    return JSON.parse(trimmed) as unknown
  } catch {
    return undefined
  }
}

/** The leaves of a JSON value in order, at most 2,000 of them and 32 levels deep. */
export function leavesOf(value: unknown): Leaf[] {
  const leaves: Leaf[] = []
  collect(value, [], leaves)
  return leaves
}

function collect(value: unknown, path: readonly string[], into: Leaf[]): void {
  if (into.length >= leavesMax || path.length > depthMax) return
  if (Array.isArray(value)) {
    const flat = value.every((item) => item === null || typeof item !== 'object')
    if (flat) into.push({ path, value: value.slice(0, 200).map(String).join(', ') })
    else for (const [index, item] of value.entries()) collect(item, [...path, `${index + 1}`], into)
  } else if (typeof value === 'object' && value !== null)
    for (const [key, item] of Object.entries(value)) collect(item, [...path, key], into)
  else
    into.push({
      path,
      value: typeof value === 'string' ? value : value === null ? 'none' : JSON.stringify(value),
    })
}

/** `current_temp` and `currentTemp` as words. */
export function spelledOut(name: string): string {
  return name
    .replace(/(?<=[a-z\d])(?=[A-Z])/g, ' ')
    .replace(/[_-]+/g, ' ')
    .trim()
}

/** Facts as sentences, one per leaf: "current temperature: 22". */
export function factsOf(value: unknown): string[] {
  return leavesOf(value).map(({ path, value: leaf }) =>
    path.length === 0 ? leaf : `${path.map(spelledOut).join(' ')}: ${leaf}`,
  )
}
