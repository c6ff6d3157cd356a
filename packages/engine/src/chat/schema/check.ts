import { Ajv, type ErrorObject } from 'ajv'
import { Ajv2020 } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'
import { LRUCache } from 'lru-cache'
import { isBounded, type JsonSchema } from './json-schema.ts'
import { createMatcher } from './pattern.ts'

/** A problem of a value at one place, with the schema that reports it. */
export type Problem = Pick<ErrorObject, 'instancePath' | 'keyword' | 'params' | 'parentSchema'>

/** Returns the problems of a value; an empty list if it is valid. */
export type Check = (value: unknown) => readonly Problem[]

const remembered = new LRUCache<string, Check>({
  maxSize: 1_000_000,
  maxEntrySize: 20_000,
  sizeCalculation: (_, { length }) => length,
})

/**
 * A check against a caller's schema. For a schema that is too large or invalid, nothing is checked; the caller of this
 * function then fills what it can read of the schema.
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

/** Patterns are matched with a limit. A text counts as not matching if the limit is reached. */
const safePatterns = Object.assign(
  (pattern: string) => {
    const matches = createMatcher(pattern)
    return {
      test: (text: string) => matches === undefined || matches(text) === true,
      // Ajv distinguishes patterns by this.
      toString: () => pattern,
    }
  },
  { code: 'safePatterns' },
)

function compile(schema: JsonSchema, text: string): Check {
  // Up to draft 7, a list of schemas in `items` means what is now `prefixItems`.
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

/** Removes references to other documents: other dialects are read as one of these two. */
function readable(schema: JsonSchema): JsonSchema {
  if (typeof schema === 'boolean') return schema
  const { $schema: _dialect, $id: _id, ...rest } = schema
  return rest
}
