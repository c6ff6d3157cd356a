import { Type } from '@sluice/contract'
import type { TObject, TProperties, TSchema } from 'typebox'

// Building blocks of the sluice.yaml schema. Editors show the descriptions.

export const described = (description: string) => ({ description })

export function object<P extends TProperties>(properties: P, description: string): TObject<P> {
  return Type.Object(properties, { additionalProperties: false, description })
}

export const optional = Type.Optional
export const text = (description: string) => Type.String({ minLength: 1, description })
export const count = (description: string, minimum = 1) => Type.Integer({ minimum, description })
export const milliseconds = (description: string) =>
  Type.Integer({ minimum: 1, maximum: 86_400_000, description: `${description} In milliseconds.` })
export const listOf = <T extends TSchema>(item: T, description: string) =>
  Type.Array(item, { description })
export const mapOf = <T extends TSchema>(value: T, description: string) =>
  Type.Record(Type.String(), value, { description })
