import { Ajv2020, type ErrorObject } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'
import { isBounded, type JsonSchema } from './json-schema.ts'
import { createMatcher } from './regex/match.ts'

export type Problem = Pick<ErrorObject, 'instancePath' | 'keyword' | 'params' | 'schemaPath'>

/** What is wrong with a value; empty where it is valid. */
export type Check = (value: unknown) => readonly Problem[]

const remembered = new Map<string, Check>()
const rememberedMax = 200
const rememberedCharactersMax = 20_000

/**
 * A check against a caller's schema. A schema that is too large, or that is no schema, checks nothing: its callers
 * fill what they can read of it.
 */
export function createCheck(schema: JsonSchema): Check {
  if (typeof schema !== 'boolean' && !isBounded(schema)) return () => []
  const key = JSON.stringify(schema)
  const known = remembered.get(key)
  if (known !== undefined) return known
  const check = compile(schema)
  if (key.length <= rememberedCharactersMax) {
    if (remembered.size >= rememberedMax) remembered.delete(remembered.keys().next().value ?? '')
    remembered.set(key, check)
  }
  return check
}

/** Patterns are matched with a budget; a text that they cannot be told to match within it does not pass. */
const safePatterns = Object.assign(
  (pattern: string) => {
    const matches = createMatcher(pattern)
    return {
      test: (text: string) => matches === undefined || matches(text) === true,
      // Ajv tells patterns apart by this.
      toString: () => pattern,
    }
  },
  { code: 'safePatterns' },
)

function compile(schema: JsonSchema): Check {
  try {
    const ajv = new Ajv2020({
      strict: false,
      allErrors: true,
      validateSchema: false,
      meta: false,
      addUsedSchema: false,
      logger: false,
      validateFormats: true,
      code: { regExp: safePatterns },
    })
    formats.default(ajv)
    const validate = ajv.compile(readable(schema))
    return (value) => {
      try {
        return validate(value) === true ? [] : (validate.errors ?? [])
      } catch {
        // A schema may refer to itself without end.
        return []
      }
    }
  } catch {
    return () => []
  }
}

/** Drops what names another document: other dialects than this one are read as this one. */
function readable(schema: JsonSchema): JsonSchema {
  if (typeof schema === 'boolean') return schema
  const { $schema: _dialect, $id: _id, ...rest } = schema
  return legacy(rest) as JsonSchema
}

const data: ReadonlySet<string> = new Set(['const', 'enum', 'default', 'examples'])

/** Draft 4 to 7 forms that this dialect says otherwise. */
function legacy(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(legacy)
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).map(
    ([key, inner]) => [key, data.has(key) ? inner : legacy(inner)] as const,
  )
  const result: Record<string, unknown> = Object.fromEntries(entries)
  if (Array.isArray(result['items'])) {
    result['prefixItems'] = result['items']
    if ('additionalItems' in result) result['items'] = result['additionalItems']
    else delete result['items']
  }
  for (const [flag, limit] of [
    ['exclusiveMinimum', 'minimum'],
    ['exclusiveMaximum', 'maximum'],
  ] as const)
    if (typeof result[flag] === 'boolean') {
      if (result[flag] === true && limit in result) result[flag] = result[limit]
      else delete result[flag]
    }
  return result
}
