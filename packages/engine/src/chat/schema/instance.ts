import { type Check, createCheck } from './check.ts'
import type { Clues } from './clues.ts'
import { fill } from './fill.ts'
import { isBounded, isRecord, type JsonSchema } from './json-schema.ts'
import { repair } from './repair.ts'

export interface Instance {
  readonly value: unknown
  /** Names of required properties for which the text gives no value, so that one was invented. */
  readonly unsaid: readonly string[]
}

/**
 * A value that is valid against a schema, filled from a text. Undefined if none was found: the schema allows nothing, is too
 * large, or requires something that cannot be invented. `isStrict`: phrases that the text does not assign to a property count
 * as invented.
 */
export function createInstance(
  schema: JsonSchema,
  clues: Clues,
  isStrict = false,
): Instance | undefined {
  if (schema === false || !isBounded(schema)) return undefined
  const check = createCheck(schema)
  const given = givenJson(clues.text, schema, check)
  if (given !== undefined) return given
  const unsaid = new Set<string>()
  const found = fill(schema, clues, { unsaid, isStrict })
  const value: unknown = JSON.parse(JSON.stringify(found.value) ?? 'null')
  const mended = repair(value, { root: schema, clues, check })
  return mended === undefined ? undefined : { value: mended.value, unsaid: [...unsaid] }
}

const jsonCharactersMax = 20_000

/** An object written in the text itself, if it is valid as it is. */
function givenJson(text: string, schema: JsonSchema, check: Check): Instance | undefined {
  const start = text.indexOf('{')
  const end = text.lastIndexOf('}')
  if (start < 0 || end - start > jsonCharactersMax || schema === true) return undefined
  try {
    const value: unknown = JSON.parse(text.slice(start, end + 1))
    const isGiven = isRecord(value) && Object.keys(value).length > 0
    return isGiven && check(value).length === 0 ? { value, unsaid: [] } : undefined
  } catch {
    return undefined
  }
}
