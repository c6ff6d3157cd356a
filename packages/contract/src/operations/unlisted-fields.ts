import { isRawNumber } from '../wire/json.ts'
import { isObject } from '../wire/reading.ts'
import type { Schema } from './explain-mismatch.ts'

/**
 * The paths of all fields of a value that its schema does not list, such as `min_p` or `messages[0].tone`. Schemas
 * accept such fields, so that an upstream that knows them gets them. Null, empty lists and empty objects say nothing
 * and are not named; nor is anything inside an object that may hold any keys.
 */
export function unlistedFields(schema: object, value: unknown): readonly string[] {
  const found: string[] = []
  walk([schema], value, { path: '', found })
  return found
}

interface Walk {
  readonly path: string
  readonly found: string[]
}

/** `schemas`: all that may describe this value. */
function walk(schemas: readonly Schema[], value: unknown, { path, found }: Walk): void {
  const branches = schemas.flatMap(branchesOf)
  if (Array.isArray(value)) {
    const items = branches.flatMap((branch) => branch.items ?? [])
    for (const [index, item] of value.entries())
      walk(items, item, { path: `${path}[${index}]`, found })
    return
  }
  if (!isObject(value) || isRawNumber(value)) return
  const objects = branches.filter(({ type }) => type === 'object')
  if (objects.length === 0 || objects.some(takesAnyKey)) return
  for (const [name, inner] of Object.entries(value)) {
    const place = path === '' ? name : `${path}.${name}`
    const listed = objects.flatMap(({ properties = {} }) =>
      Object.hasOwn(properties, name) ? (properties[name] ?? []) : [],
    )
    if (listed.length > 0) walk(listed, inner, { path: place, found })
    else if (!saysNothing(inner)) found.push(place)
  }
}

function branchesOf(schema: Schema): readonly Schema[] {
  const inner = [...(schema.anyOf ?? []), ...(schema.allOf ?? [])]
  return inner.length === 0 ? [schema] : inner.flatMap(branchesOf)
}

/** An upload keeps its bytes beside what its schema lists. */
function takesAnyKey(schema: Schema): boolean {
  return schema.properties === undefined || schema.contentMediaType !== undefined
}

function saysNothing(value: unknown): boolean {
  if (value === null || value === undefined) return true
  if (Array.isArray(value)) return value.length === 0
  return isObject(value) && Object.keys(value).length === 0
}
