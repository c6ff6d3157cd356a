import { type Fields, isObject, objectOf, type ResponseFormat, someText } from '@sluice/contract'

/** The schema that a response format asks for, with what was said of it. */
interface NamedSchema {
  readonly schema: Fields
  readonly name: string | undefined
  readonly description: string | undefined
  /** Where the schema stands in the request. */
  readonly path: string
}

/** The schema of `response_format`, in either of its two forms. An object of any fields where there is none. */
export function namedSchema({ json_schema: given }: ResponseFormat): NamedSchema {
  const path = 'response_format.json_schema'
  const fields = objectOf(given)
  if (!isNamedSchema(fields))
    return { schema: fields, name: undefined, description: undefined, path }
  return {
    schema: objectOf(fields['schema']),
    name: someText(fields['name']),
    description: someText(fields['description']),
    path: `${path}.schema`,
  }
}

/** True for OpenAI's `{name, schema, strict}`; false for a JSON Schema itself. */
export function isNamedSchema(schema: Fields): boolean {
  if (isObject(schema['schema'])) return true
  return typeof schema['name'] === 'string' && !('type' in schema) && !('properties' in schema)
}
