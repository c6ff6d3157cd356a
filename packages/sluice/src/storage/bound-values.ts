import { isObject } from '@sluice/contract'
import type { Sql } from 'sql-template-tag'

/** The values of a statement, as every driver takes them. Each text is made storable, what is looked for too. */
export function boundValues({ values }: Sql): (string | number | null)[] {
  return values.map((value) => {
    if (typeof value === 'string') return storable(value)
    if (value === null || typeof value === 'number') return value
    throw new TypeError(`A ${typeof value} is no value of a statement`)
  })
}

/** PostgreSQL has no NUL in its texts, and UTF-8 no halves of surrogate pairs. */
function storable(text: string): string {
  return text.replaceAll('\0', '\ufffd').toWellFormed()
}

/** The same for every text and name in a JSON text that `JSON.stringify` has written. */
export function storableJson(json: string): string {
  // What is not storable is written as an escape, and hardly anything else is.
  if (!json.includes('\\u')) return json
  return JSON.stringify(
    JSON.parse(json, (_, value: unknown) => {
      if (typeof value === 'string') return storable(value)
      if (!isObject(value)) return value
      return Object.fromEntries(Object.entries(value).map(([name, one]) => [storable(name), one]))
    }),
  )
}
