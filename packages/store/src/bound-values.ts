import { isObject } from '@sluice/contract'
import type { Sql } from 'sql-template-tag'

/** The values of a statement in a form every driver accepts. Every text is made storable, including search values. */
export function boundValues({ values }: Sql): (string | number | null)[] {
  return values.map((value) => {
    if (typeof value === 'string') return storable(value)
    if (value === null || typeof value === 'number') return value
    throw new TypeError(`A ${typeof value} is no value of a statement`)
  })
}

/** PostgreSQL texts cannot hold NUL, and UTF-8 cannot hold lone surrogates. */
function storable(text: string): string {
  return text.replaceAll('\0', '\ufffd').toWellFormed()
}

/** The same for every string and name in the output of `JSON.stringify`. */
export function storableJson(json: string): string {
  // `JSON.stringify` writes these characters as escapes, and hardly anything else.
  if (!json.includes('\\u')) return json
  return JSON.stringify(
    JSON.parse(json, (_, value: unknown) => {
      if (typeof value === 'string') return storable(value)
      if (!isObject(value)) return value
      return Object.fromEntries(Object.entries(value).map(([name, one]) => [storable(name), one]))
    }),
  )
}
