import { type Fields, isObject } from '../wire/reading.ts'

/** What is wrong with a value, and where. */
interface Mismatch {
  readonly path: string
  readonly message: string
  readonly missing?: boolean
}

/** The part of JSON Schema that the gateway's own schemas use. */
export interface Schema {
  readonly type?: string
  readonly const?: unknown
  readonly enum?: readonly unknown[]
  readonly anyOf?: readonly Schema[]
  readonly allOf?: readonly Schema[]
  readonly properties?: Readonly<Record<string, Schema>>
  readonly patternProperties?: Readonly<Record<string, Schema>>
  readonly additionalProperties?: boolean | Schema
  readonly required?: readonly string[]
  readonly items?: Schema
  readonly minimum?: number
  readonly maximum?: number
  readonly exclusiveMinimum?: number
  readonly exclusiveMaximum?: number
  readonly minLength?: number
  readonly maxLength?: number
  readonly minItems?: number
  readonly maxItems?: number
  readonly pattern?: string
  /** What a text must be, in words, if it has a pattern. */
  readonly description?: string
  readonly contentMediaType?: string
}

/**
 * The first fault of a value that does not match its schema, with the path as a caller would write it:
 * `messages[2].content[0].image_url`. For a union it explains the branch that the value is closest to.
 */
export function explain(schema: object, value: unknown, path = ''): Mismatch | undefined {
  const rules: Schema = schema
  if (rules.anyOf) return explainUnion(rules.anyOf, value, path)
  for (const part of rules.allOf ?? []) {
    const fault = explain(part, value, path)
    if (fault) return fault
  }
  return (
    explainType(rules, value, path) ??
    explainBounds(rules, value, path) ??
    explainArray(rules, value, path) ??
    explainObject(rules, value, path)
  )
}

function explainUnion(branches: readonly Schema[], value: unknown, path: string) {
  const faults = branches.map((branch) => explain(branch, value, path))
  if (faults.includes(undefined)) return undefined
  const right = branches.findIndex((branch) => isListOf(branch, value))
  if (right >= 0) return faults[right]
  const inner = faults.filter((fault) => fault !== undefined && fault.path !== path)
  const [deepest] = inner.toSorted((left, right) => depth(right) - depth(left))
  if (deepest) return deepest
  const allowed = [...new Set(branches.map(kindOf))].filter((kind) => kind !== 'null')
  const [only] = branches.filter(({ type }) => type !== 'null')
  if (allowed.length === 1 && only) return explain(only, value, path)
  const bound = faults.find((_, index) => typeMatches(branches[index]?.type, value))
  return bound ?? mismatch(path, allowed.join(' or '))
}

/** Whether a list contains what a branch requires, so that only its length can be wrong. */
function isListOf({ type, items }: Schema, value: unknown): boolean {
  if (type !== 'array' || !Array.isArray(value) || value.length === 0) return false
  return items === undefined || value.every((item) => explain(items, item) === undefined)
}

function depth(fault: Mismatch | undefined): number {
  return fault?.path.split(/[.[]/).length ?? 0
}

const kinds: Readonly<Record<string, string>> = {
  array: 'an array',
  object: 'an object',
  integer: 'an integer',
  null: 'null',
}

function kindOf({ type = '', enum: words }: Schema): string {
  const kind = kinds[type]
  if (kind !== undefined) return kind
  if (words) return `one of ${words.join(', ')}`
  return type === '' ? 'another value' : `a ${type}`
}

const types: Readonly<Record<string, (value: unknown) => boolean>> = {
  null: (value) => value === null,
  array: Array.isArray,
  object: isObject,
  integer: Number.isInteger,
  number: Number.isFinite,
}

function typeMatches(type: string | undefined, value: unknown): boolean {
  if (type === undefined) return true
  const matches = types[type]
  return matches ? matches(value) : typeof value === type
}

function explainType({ enum: words, ...rules }: Schema, value: unknown, path: string) {
  if (!typeMatches(rules.type, value)) return mismatch(path, kindOf(rules))
  if (words && !words.includes(value)) return mismatch(path, `one of ${words.join(', ')}`)
  if (rules.const !== undefined && rules.const !== value)
    return mismatch(path, JSON.stringify(rules.const))
  return undefined
}

function explainBounds(rules: Schema, value: unknown, path: string): Mismatch | undefined {
  if (typeof value === 'number') {
    const { minimum, maximum, exclusiveMinimum: above, exclusiveMaximum: below } = rules
    if (minimum !== undefined && value < minimum) return mismatch(path, `at least ${minimum}`)
    if (maximum !== undefined && value > maximum) return mismatch(path, `at most ${maximum}`)
    if (above !== undefined && value <= above) return mismatch(path, `greater than ${above}`)
    if (below !== undefined && value >= below) return mismatch(path, `less than ${below}`)
  }
  if (typeof value === 'string') {
    const { minLength = 0, maxLength = Infinity } = rules
    if (!reachesLength(value, minLength))
      return minLength === 1
        ? mismatch(path, 'a string that is not empty')
        : mismatch(path, `at least ${minLength} characters long`)
    if (reachesLength(value, maxLength + 1))
      return mismatch(path, `at most ${maxLength} characters long`)
    if (rules.pattern !== undefined && !new RegExp(rules.pattern, 'u').test(value))
      return mismatch(path, rules.description ?? `of the form ${rules.pattern}`)
  }
  return undefined
}

/** Whether a text has this many characters. Of a long text no more than necessary is read. */
function reachesLength(text: string, characters: number): boolean {
  // A character is one unit or two.
  if (text.length < characters || text.length >= 2 * characters) return text.length >= characters
  return [...text].length >= characters
}

function explainArray(rules: Schema, value: unknown, path: string): Mismatch | undefined {
  if (!Array.isArray(value)) return undefined
  const { minItems = 0, maxItems = Infinity, items } = rules
  if (value.length < minItems)
    return { path, message: `${named(path)} must have at least ${minItems} ${plural(minItems)}` }
  if (value.length > maxItems)
    return { path, message: `${named(path)} must have at most ${maxItems} ${plural(maxItems)}` }
  if (!items) return undefined
  for (const [index, item] of value.entries()) {
    const fault = explain(items, item, `${path}[${index}]`)
    if (fault) return fault
  }
  return undefined
}

function explainObject(rules: Schema, value: unknown, path: string): Mismatch | undefined {
  if (!isObject(value)) return undefined
  for (const name of rules.required ?? [])
    if (value[name] === undefined)
      return {
        path: join(path, name),
        message: `Missing required parameter: '${join(path, name)}'`,
        missing: true,
      }
  for (const [name, schema] of Object.entries(rules.properties ?? {})) {
    const fault =
      value[name] === undefined ? undefined : explain(schema, value[name], join(path, name))
    if (fault) return fault
  }
  for (const schema of Object.values(rules.patternProperties ?? {}))
    for (const [name, item] of Object.entries(value)) {
      const fault = explain(schema, item, join(path, name))
      if (fault) return fault
    }
  return explainExtra(rules, value, path)
}

function explainExtra(
  { properties = {}, additionalProperties: extra }: Schema,
  fields: Fields,
  path: string,
): Mismatch | undefined {
  if (extra === undefined || extra === true) return undefined
  for (const [name, item] of Object.entries(fields)) {
    if (Object.hasOwn(properties, name)) continue
    if (extra === false)
      return { path: join(path, name), message: `Unknown field: '${join(path, name)}'` }
    const fault = explain(extra, item, join(path, name))
    if (fault) return fault
  }
  return undefined
}

function mismatch(path: string, expected: string): Mismatch {
  return { path, message: `${named(path)} must be ${expected}` }
}

function join(path: string, name: string): string {
  return path === '' ? name : `${path}.${name}`
}

function named(path: string): string {
  return path === '' ? 'The request' : `'${path}'`
}

function plural(count: number): string {
  return count === 1 ? 'item' : 'items'
}
