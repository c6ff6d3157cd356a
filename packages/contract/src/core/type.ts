import type { Type as TypeBox } from 'typebox'

/**
 * TypeBox's builders, as far as they are used here, with TypeBox's own types: what is built is the JSON Schema that
 * TypeBox would build (type.test.ts compares them). Loading TypeBox takes 200 ms and 600 files, half of what a start
 * may take, and all of that is for types that the compiler has erased by then.
 */
export const Type = {
  String: (options = {}) => ({ type: 'string', ...options }),
  Number: (options = {}) => ({ type: 'number', ...options }),
  Integer: (options = {}) => ({ type: 'integer', ...options }),
  Boolean: (options = {}) => ({ type: 'boolean', ...options }),
  Null: (options = {}) => ({ type: 'null', ...options }),
  Unknown: (options = {}) => ({ ...options }),
  Never: (options = {}) => ({ not: {}, ...options }),
  Literal: (value: unknown, options = {}) => ({ type: typeof value, const: value, ...options }),
  Enum: (values: readonly unknown[], options = {}) => ({ enum: values, ...options }),
  Array: (items: object, options = {}) => ({ type: 'array', items, ...options }),
  Union: (anyOf: readonly object[], options = {}) => ({ anyOf, ...options }),
  Intersect: (allOf: readonly object[], options = {}) => ({ allOf, ...options }),
  Unsafe: (schema: object) => ({ ...schema }),
  Optional: (schema: object) => asOptional({ ...schema }),
  Object: createObject,
  Record: (_key: object, value: object, options = {}) => ({
    type: 'object',
    patternProperties: { '^.*$': value },
    ...options,
  }),
} as unknown as Pick<typeof TypeBox, Builder>

type Builder =
  | 'String'
  | 'Number'
  | 'Integer'
  | 'Boolean'
  | 'Null'
  | 'Unknown'
  | 'Never'
  | 'Literal'
  | 'Enum'
  | 'Array'
  | 'Union'
  | 'Intersect'
  | 'Unsafe'
  | 'Optional'
  | 'Object'
  | 'Record'

/**
 * Not part of the schema: it only tells the object around it which of its properties may be absent. TypeBox's own mark,
 * so that schemas built here and there can hold each other.
 */
const optional = '~optional'

function asOptional(schema: object): object {
  return Object.defineProperty(schema, optional, { value: true })
}

function createObject(properties: Readonly<Record<string, object>>, options = {}): object {
  const required = Object.keys(properties).filter((name) => {
    const schema = properties[name]
    return schema !== undefined && !(optional in schema)
  })
  return {
    type: 'object',
    ...(required.length > 0 && { required }),
    properties,
    ...options,
  }
}
