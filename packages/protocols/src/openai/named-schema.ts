import { type Fields, isObject, objectOf, type ResponseFormat, someText } from '@sluice/contract'

type NamedSchema = Extract<ResponseFormat, { type: 'json_schema' }>['json_schema']

/** True for OpenAI's `{name, schema, strict}`; false for a bare JSON Schema, as in the contract. */
export function isNamedSchema(given: Fields): boolean {
  if (isObject(given['schema'])) return true
  return typeof given['name'] === 'string' && !('type' in given) && !('properties' in given)
}

/** Converts both forms to the first one. Without a name, the schema's title is used if it is valid as a name. */
export function namedSchema(given: Fields): NamedSchema {
  if (!isNamedSchema(given)) return { name: nameOf(given), schema: { ...given } }
  const { name, description, schema: itself, strict, ...rest } = given
  const schema = objectOf(itself)
  return {
    ...rest,
    name: someText(name) ?? nameOf(schema),
    ...(typeof description === 'string' ? { description } : {}),
    schema: { ...schema },
    ...(typeof strict === 'boolean' ? { strict } : {}),
  }
}

function nameOf({ title }: Fields): string {
  return typeof title === 'string' && /^[a-zA-Z0-9_-]{1,64}$/.test(title) ? title : 'response'
}
