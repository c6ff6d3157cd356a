/** Which fields an API knows, for fake upstreams that refuse all others as their providers do. */

type Fields = Readonly<Record<string, unknown>>

/** Names as one text, separated by white space. */
export const names = (text: string): ReadonlySet<string> => new Set(text.trim().split(/\s+/))

/** The first field of an object that is not known; undefined for what is no object. */
export function unknownIn(value: unknown, known: ReadonlySet<string>): string | undefined {
  if (typeof value !== 'object' || value === null) return undefined
  return Object.keys(value as Fields).find((name) => !known.has(name))
}

/** The path of the first field that an object of a kind does not have; kinds without a row may have any. */
export function unknownOfKind(
  value: Fields,
  kinds: Readonly<Record<string, ReadonlySet<string>>>,
  kind: string,
): string | undefined {
  const known = Object.hasOwn(kinds, kind) ? kinds[kind] : undefined
  return known && unknownIn(value, known)
}
