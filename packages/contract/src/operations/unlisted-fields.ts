import { isRawNumber } from '../wire/json.ts'
import { isObject } from '../wire/reading.ts'
import type { Schema } from './explain-mismatch.ts'

export interface UnlistedField {
  readonly path: string
  readonly value: unknown
}

/**
 * All fields of a value that its schema does not list, with their paths, such as `min_p` or `messages[0].tone`. Schemas accept
 * such fields, so that an upstream that knows them gets them. Null, empty texts, lists and objects have no meaning and are not
 * reported; nor is anything inside an object that may have any keys.
 */
export function unlistedFields(schema: object, value: unknown): readonly UnlistedField[] {
  const found: UnlistedField[] = []
  let shape = shapes.get(schema)
  if (shape === undefined) {
    shape = shapeOf([schema])
    shapes.set(schema, shape)
  }
  walk(shape, value, { path: '', found })
  return found
}

/** The fields that a value may have, whichever branch of its schema it matches. */
interface Shape {
  /** Undefined if an object may have any keys, or no object is expected. */
  readonly fields: ReadonlyMap<string, Shape> | undefined
  readonly items: Shape | undefined
}

/** A schema is read once, not for every request. */
const shapes = new WeakMap<object, Shape>()

function shapeOf(schemas: readonly Schema[]): Shape {
  const branches = schemas.flatMap(branchesOf)
  const objects = branches.filter(({ type }) => type === 'object')
  const items = branches.flatMap((branch) => branch.items ?? [])
  const isListed = objects.length > 0 && !objects.some(takesAnyKey)
  return {
    fields: isListed ? fieldsOf(objects) : undefined,
    items: items.length === 0 ? undefined : shapeOf(items),
  }
}

function fieldsOf(objects: readonly Schema[]): ReadonlyMap<string, Shape> {
  const listed = Map.groupBy(
    objects.flatMap(({ properties = {} }) => Object.entries(properties)),
    ([name]) => name,
  )
  return new Map(
    [...listed].map(([name, entries]) => [name, shapeOf(entries.map(([, schema]) => schema))]),
  )
}

function branchesOf(schema: Schema): readonly Schema[] {
  const inner = [...(schema.anyOf ?? []), ...(schema.allOf ?? [])]
  return inner.length === 0 ? [schema] : inner.flatMap(branchesOf)
}

/** An upload has its bytes in addition to what its schema lists. */
function takesAnyKey(schema: Schema): boolean {
  return schema.properties === undefined || schema.contentMediaType !== undefined
}

interface Walk {
  readonly path: string
  readonly found: UnlistedField[]
}

function walk({ fields, items }: Shape, value: unknown, { path, found }: Walk): void {
  if (Array.isArray(value)) {
    if (items === undefined) return
    for (const [index, item] of value.entries())
      if (typeof item === 'object') walk(items, item, { path: `${path}[${index}]`, found })
    return
  }
  if (fields === undefined || !isObject(value) || isRawNumber(value)) return
  for (const [name, inner] of Object.entries(value)) {
    const shape = fields.get(name)
    if (shape !== undefined && (typeof inner !== 'object' || inner === null)) continue
    const place = path === '' ? name : `${path}.${name}`
    if (shape !== undefined) walk(shape, inner, { path: place, found })
    else if (!saysNothing(inner)) found.push({ path: place, value: inner })
  }
}

function saysNothing(value: unknown): boolean {
  if (value === null || value === undefined || value === '') return true
  if (Array.isArray(value)) return value.length === 0
  return isObject(value) && Object.keys(value).length === 0
}
