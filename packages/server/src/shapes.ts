import { Type } from '@sluice/contract'
import type { Static, TProperties, TSchema } from 'typebox'
import { toJsonSchema } from './openapi-schema.ts'

/** What a schema describes, which nobody changes. */
export type Of<Schema extends TSchema> = Frozen<Static<Schema>>

type Frozen<Value> = Value extends readonly (infer Item)[]
  ? readonly Frozen<Item>[]
  : Value extends object
    ? { readonly [Field in keyof Value]: Frozen<Value[Field]> }
    : Value

export const text = Type.String()
export const textOrNull = Type.Unsafe<string | null>({ type: ['string', 'null'] })
export const texts = Type.Array(text)
export const number = Type.Number()
export const numberOrNull = Type.Unsafe<number | null>({ type: ['number', 'null'] })
export const integer = Type.Integer()
export const integerOrNull = Type.Unsafe<number | null>({ type: ['integer', 'null'] })
/** A number of things. */
export const count = Type.Integer({ minimum: 0 })
export const flag = Type.Boolean()
export const time = Type.String({ format: 'date-time' })
export const anything = Type.Unknown()
export const anyObject = Type.Unsafe<Readonly<Record<string, unknown>>>({ type: 'object' })

/** An object whose properties are all required. */
export const object = Type.Object

export function list<Item extends TSchema>(items: Item, description?: string) {
  if (description === undefined) return Type.Array(items)
  return Type.Unsafe<Static<Item>[]>({ type: 'array', description, items })
}

/** One of several words. */
export function words<const Words extends readonly (string | null)[]>(allowed: Words) {
  return Type.Unsafe<Words[number]>({ enum: [...allowed] })
}

/** Exactly this value. */
export function constant<const Value extends string | boolean>(value: Value) {
  return Type.Unsafe<Value>({ const: value })
}

/** Either a value or null. */
export function orNull<Schema extends TSchema>(schema: Schema) {
  return Type.Unsafe<Static<Schema> | null>({ oneOf: [{ type: 'null' }, schema] })
}

/** An object with values of one kind by free names. */
export function byName<Schema extends TSchema>(values: Schema) {
  return Type.Unsafe<Readonly<Record<string, Static<Schema>>>>({
    type: 'object',
    additionalProperties: values,
  })
}

export function described<Schema extends TSchema>(schema: Schema, description: string): Schema {
  return { ...schema, description }
}

export function listOf<Item extends TSchema, Further extends TProperties = {}>(
  items: Item,
  further?: Further,
) {
  return object({ object: constant('list'), data: list(items), ...(further as Further) })
}

/** One page of a list, as selected by `paging`. */
export function pageOf<Item extends TSchema>(items: Item) {
  return listOf(items, { first_id: textOrNull, last_id: textOrNull, has_more: flag })
}

export function deletion<const Kind extends string>(kind: Kind) {
  return object({ id: text, object: constant(kind), deleted: constant(true) })
}

/** A schema that requests are also validated with, as the OpenAPI document shows it. */
export function documented<Schema extends TSchema>(schema: Schema) {
  return Type.Unsafe<Static<Schema>>(toJsonSchema(schema, 'json'))
}
