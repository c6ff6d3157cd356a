import { Ajv, type ErrorObject } from 'ajv'
import { Ajv2020 } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'
import { LRUCache } from 'lru-cache'
import { isBounded, type JsonSchema } from './json-schema.ts'
import { createMatcher } from './regex/match.ts'

/** What is wrong with a value at one place, and the schema that says so. */
export type Problem = Pick<ErrorObject, 'instancePath' | 'keyword' | 'params' | 'parentSchema'>

/** What is wrong with a value; empty where it is valid. */
export type Check = (value: unknown) => readonly Problem[]

const remembered = new LRUCache<string, Check>({
  maxSize: 1_000_000,
  maxEntrySize: 20_000,
  sizeCalculation: (_, { length }) => length,
})

/**
 * A check against a caller's schema. A schema that is too large, or that is no schema, checks nothing: its callers
 * fill what they can read of it.
 */
export function createCheck(schema: JsonSchema): Check {
  if (!isBounded(schema)) return () => []
  const key = JSON.stringify(schema)
  const known = remembered.get(key)
  if (known !== undefined) return known
  const check = compile(schema, key)
  remembered.set(key, check)
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

function compile(schema: JsonSchema, text: string): Check {
  // Up to draft 7, a list of schemas is what `prefixItems` is since.
  const Dialect = text.includes('"items":[') ? Ajv : Ajv2020
  try {
    const ajv = new Dialect({
      strict: false,
      allErrors: true,
      validateSchema: false,
      meta: false,
      addUsedSchema: false,
      logger: false,
      verbose: true,
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

/** Drops what names another document: other dialects are read as one of these. */
function readable(schema: JsonSchema): JsonSchema {
  if (typeof schema === 'boolean') return schema
  const { $schema: _dialect, $id: _id, ...rest } = schema
  return rest
}
