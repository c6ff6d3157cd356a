import { Type } from '@sluice/contract'
import type { TObject, TProperties, TSchema } from 'typebox'

// Building blocks of the sluice.yaml schema. Editors show the descriptions.

/** An object that has these properties and no others. */
export function object<P extends TProperties>(properties: P, description: string): TObject<P> {
  return Type.Object(properties, { additionalProperties: false, description })
}

/** The same, with every property optional. An object of which only some are spreads its `properties`. */
export const options = <P extends TProperties>(properties: P, description = '') =>
  Type.Partial(Type.Object(properties), { additionalProperties: false, description })

export const flag = (description: string) => Type.Boolean({ description })
export const text = (description: string) => Type.String({ minLength: 1, description })
export const matching = (pattern: string, description: string) =>
  Type.String({ pattern, description })
export const choice = <Value extends string>(values: readonly Value[], description: string) =>
  Type.Enum([...values], { description })

/** The bounds of a number, inclusive unless they say otherwise. */
interface Range {
  readonly minimum?: number
  readonly maximum?: number
  readonly exclusiveMinimum?: number
  readonly exclusiveMaximum?: number
}

export const number = (range: Range, description: string) => Type.Number({ ...range, description })
export const integer = (range: Range, description: string) =>
  Type.Integer({ ...range, description })
export const count = (description: string, minimum = 1) => integer({ minimum }, description)
export const milliseconds = (description: string) =>
  integer({ minimum: 1, maximum: 86_400_000 }, `${description} In milliseconds.`)
export const listOf = <T extends TSchema>(
  item: T,
  description: string,
  length: { readonly minItems?: number; readonly maxItems?: number } = {},
) => Type.Array(item, { ...length, description })
export const mapOf = <T extends TSchema>(value: T, description: string) =>
  Type.Record(Type.String(), value, { description })
