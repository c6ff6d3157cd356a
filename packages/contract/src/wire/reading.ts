/** Lenient access to JSON that an upstream sent: a value of the wrong type counts as absent. */

export type Fields = Readonly<Record<string, unknown>>

const none: Fields = {}

export function isObject(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Whether an object has no other fields than these. */
export function hasOnly(object: Fields, names: ReadonlySet<string>): boolean {
  for (const name in object) if (!names.has(name)) return false
  return true
}

/** The fields of an object, or none. */
export function objectOf(value: unknown): Fields {
  return isObject(value) ? value : none
}

export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

/** The text, or '' for anything else. */
export function textOf(value: unknown): string {
  return typeof value === 'string' ? value : ''
}

/** A text that is not empty. */
export function someText(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined
}

/** No real count is larger, not even one of milliseconds, and databases could not add it up. */
const countMax = 1e13

/** A count: a whole number from 0 to 10^13; fractions are cut off. */
export function countOf(value: unknown): number | undefined {
  return typeof value === 'number' && value >= 0 && value <= countMax
    ? Math.trunc(value)
    : undefined
}
