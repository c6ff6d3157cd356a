import type { TSchema } from 'typebox'
import { invalidRequest } from '../core/errors.ts'
import { isObject } from '../wire/reading.ts'

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
