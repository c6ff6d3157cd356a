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
  let shape = shapes.get(schema)
  if (shape === undefined) {
    shape = shapeOf([schema])
    shapes.set(schema, shape)
  }
  const found: Found[] = []
  walk(shape, value, found)
  return found.map((one) => ({ path: pathOf(one.names), value: one.value }))
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

/** A field, and the names and indexes that lead to it, the outermost last: paths are written only of what is found. */
interface Found {
  readonly names: (string | number)[]
  readonly value: unknown
}

function pathOf(names: Found['names']): string {
  return names.reduceRight<string>((path, name) => {
    if (typeof name === 'number') return `${path}[${name}]`
    return path === '' ? name : `${path}.${name}`
  }, '')
}

function walk({ fields, items }: Shape, value: unknown, found: Found[]): void {
  if (Array.isArray(value)) {
    if (items === undefined) return
    for (let at = 0; at < value.length; at += 1)
      if (typeof value[at] === 'object') walkInto(items, value[at], at, found)
    return
  }
  if (fields === undefined || !isObject(value) || isRawNumber(value)) return
  for (const name in value) {
    const inner = value[name]
    const shape = fields.get(name)
    if (shape === undefined) {
      if (!saysNothing(inner)) found.push({ names: [name], value: inner })
    } else if (typeof inner === 'object' && inner !== null) walkInto(shape, inner, name, found)
  }
}

function walkInto(shape: Shape, value: unknown, name: string | number, found: Found[]): void {
  const before = found.length
  walk(shape, value, found)
  for (let at = before; at < found.length; at += 1) found[at]?.names.push(name)
}

function saysNothing(value: unknown): boolean {
  if (value === null || value === undefined || value === '') return true
  if (Array.isArray(value)) return value.length === 0
  return isObject(value) && Object.keys(value).length === 0
}
