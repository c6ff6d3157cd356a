import type { TObject } from 'typebox'
import type { Of } from '../shapes.ts'

type NullableIn<Whole> = {
  [Field in keyof Whole]: null extends Whole[Field] ? Field : never
}[keyof Whole]

/** The fields of an object, of which those that may be null may be absent, and among others. */
type Given<Whole> = Omit<Whole, NullableIn<Whole>> & {
  readonly [Field in NullableIn<Whole>]?: Whole[Field] | undefined
}

/** The fields that a schema lists, in its order: null where there is no value. */
export function filled<Schema extends TObject>(
  { properties }: Schema,
  given: Given<Of<Schema>>,
): Of<Schema> {
  const values = new Map(Object.entries(given))
  const fields = Object.keys(properties).map((name) => [name, values.get(name) ?? null])
  // `Given` has a value for every field that may not be null.
  return Object.fromEntries(fields) as Of<Schema>
}
