import type { Static, TSchema } from 'typebox'
import { Compile, type Validator } from 'typebox/schema'
import { GatewayError, invalidRequest } from '../core/errors.ts'
import { isObject } from '../wire/reading.ts'
import { explain } from './explain-mismatch.ts'

const compiled = new WeakMap<TSchema, Validator>()

/** Compiled on first use, so that a process does not spend time on the schemas of operations that it never serves. */
function validatorOf(schema: TSchema): Validator {
  const known = compiled.get(schema)
  if (known) return known
  const validator = Compile(schema)
  compiled.set(schema, validator)
  return validator
}

/**
 * Returns the value with the schema's type. Throws GatewayError `invalid_request` or `missing_parameter`, whose `param` is the
 * path of the first field at fault.
 */
export function validate<S extends TSchema>(schema: S, value: unknown): Static<S> {
  if (validatorOf(schema).Check(value)) return value as Static<S>
  const mismatch = explain(schema, value) ?? { path: '', message: 'The request is not valid' }
  const { path, message, missing } = mismatch
  throw new GatewayError(
    missing === true ? 'missing_parameter' : 'invalid_request',
    message,
    path === '' ? {} : { param: path },
  )
}

/** Whether a value matches a schema, if no explanation is needed. */
export function matches<S extends TSchema>(schema: S, value: unknown): value is Static<S> {
  return validatorOf(schema).Check(value)
}

/** The names of a schema's fields by their folded spelling. */
const foldedNames = new WeakMap<TSchema, ReadonlyMap<string, string>>()

/**
 * Checks that no field of a request has the name of a listed one in another case. Some servers take `Model` for `model`, and of
 * two such fields the last one (Go, encoding/json, Unmarshal; .NET, JsonSerializerDefaults.Web), so what the gateway has checked
 * would not be what they read.
 *
 * @throws GatewayError `invalid_request`, which names the field.
 */
export function assertSpelling(schema: TSchema, request: Readonly<Record<string, unknown>>): void {
  const properties = propertiesOf(schema)
  for (const name in request) {
    if (Object.hasOwn(properties, name)) continue
    const listed = namesOf(schema).get(folded(name))
    if (listed !== undefined && listed !== name)
      throw invalidRequest(`'${name}' is written '${listed}'`, name)
  }
}

function namesOf(schema: TSchema): ReadonlyMap<string, string> {
  const known = foldedNames.get(schema)
  if (known) return known
  const names = new Map(Object.keys(propertiesOf(schema)).map((name) => [folded(name), name]))
  foldedNames.set(schema, names)
  return names
}

function propertiesOf(schema: TSchema): object {
  const { properties } = schema as { readonly properties?: unknown }
  return isObject(properties) ? properties : {}
}

/** Simple case folding, which also folds ſ (U+017F) and K (U+212A) to s and k. Most names are folded already. */
function folded(name: string): string {
  if (/^[a-z\d_]*$/.test(name)) return name
  return name.toUpperCase().toLowerCase()
}

/**
 * Maximum nesting of lists and objects. No real request has more, most upstreams reject it, and recursive code can handle far
 * more than this.
 */
const levelsMax = 256

/** Maximum steps in the path of a value that is nested too deeply; further ones would only repeat themselves. */
const stepsMax = 8

/** Whether a JSON value is nested more deeply than any real one. */
export function isTooDeep(value: unknown): boolean {
  return typeof value === 'object' && value !== null && reachesBelow(value, levelsMax)
}

/** Throws `invalid_request` with the path of what is nested too deeply. `path` is the path of the value itself. */
export function assertDepth(value: unknown, path = ''): void {
  if (typeof value !== 'object' || value === null || !reachesBelow(value, levelsMax)) return
  const param = deepPath(value, path)
  throw invalidRequest(
    `The request has more than ${levelsMax} levels of nested arrays and objects`,
    param === '' ? undefined : param,
  )
}

function reachesBelow(value: object, levels: number): boolean {
  if (levels === 0) return true
  if (Array.isArray(value)) {
    const items: readonly unknown[] = value
    for (let index = 0; index < items.length; index += 1) {
      const item = items[index]
      if (typeof item === 'object' && item !== null && reachesBelow(item, levels - 1)) return true
    }
    return false
  }
  const fields = value as Readonly<Record<string, unknown>>
  for (const name in fields) {
    const field = fields[name]
    if (typeof field === 'object' && field !== null && reachesBelow(field, levels - 1)) return true
  }
  return false
}

function deepPath(value: object, start: string): string {
  let path = start
  let node = value
  for (let steps = 1; steps <= stepsMax; steps += 1) {
    const deep = Object.entries(node).find(
      ([, field]) =>
        typeof field === 'object' && field !== null && reachesBelow(field, levelsMax - steps),
    )
    if (!deep) return path
    const [name, field] = deep
    path += Array.isArray(node) ? `[${name}]` : path === '' ? name : `.${name}`
    node = field as object
  }
  return path
}
