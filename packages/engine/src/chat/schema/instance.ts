import { createCheck } from './check.ts'
import type { Clues } from './clues.ts'
import { fill } from './fill.ts'
import { asSchema, isBounded, isRecord, type JsonSchema, resolveReferences } from './json-schema.ts'
import { repair } from './repair.ts'

export interface Instance {
  readonly value: unknown
  /** 2 where the text says it, 1 where it is a fair guess, 0 where it had to be invented. */
  readonly sure: 0 | 1 | 2
  /** Names of required properties that the text says nothing for, and that were made up. */
  readonly unsaid: readonly string[]
}

/**
 * A value that is valid against a schema, filled from a text. Undefined where none was found: the schema allows
 * nothing, is too large, or asks for something that cannot be made up.
 */
export function createInstance(
  schema: JsonSchema,
  clues: Clues,
  fixed: Readonly<Record<string, unknown>> = {},
): Instance | undefined {
  if (schema === false || !isBounded(schema)) return undefined
  const check = createCheck(schema)
  const given = Object.keys(fixed).length === 0 ? givenJson(clues.text, schema, check) : undefined
  if (given !== undefined) return given
  for (const variant of variantsOf(schema)) {
    const unsaid = new Set<string>()
    const found = fill(variant, clues, { fixed, unsaid })
    const open = [...unsaid].filter((name) => !Object.hasOwn(fixed, name))
    const value: unknown = JSON.parse(JSON.stringify(found.value) ?? 'null')
    if (check(value).length === 0) return { value, sure: found.sure, unsaid: open }
    const mended = repair(value, { root: schema, clues }, check)
    if (mended !== undefined) return { value: mended.value, sure: found.sure, unsaid: open }
  }
  return undefined
}

/** The schema itself, and with its conditions taken as met or as not met. */
function variantsOf(schema: JsonSchema): JsonSchema[] {
  const resolved = resolveReferences(schema, schema)
  if (!isRecord(resolved) || !('if' in resolved)) return [schema]
  const together = (...parts: readonly unknown[]): JsonSchema => ({
    ...resolved,
    allOf: [...(Array.isArray(resolved['allOf']) ? resolved['allOf'] : []), ...parts.map(asSchema)],
  })
  return [schema, together(resolved['if'], resolved['then']), together(resolved['else'])]
}

const jsonCharactersMax = 20_000

/** An object written out in the text itself, if it is valid as it stands. */
function givenJson(
  text: string,
  schema: JsonSchema,
  check: ReturnType<typeof createCheck>,
): Instance | undefined {
  const start = text.indexOf('{')
  const end = text.lastIndexOf('}')
  if (start < 0 || end < start || end - start > jsonCharactersMax || schema === true)
    return undefined
  try {
    const value: unknown = JSON.parse(text.slice(start, end + 1))
    return isRecord(value) && Object.keys(value).length > 0 && check(value).length === 0
      ? { value, sure: 2, unsaid: [] }
      : undefined
  } catch {
    return undefined
  }
}
