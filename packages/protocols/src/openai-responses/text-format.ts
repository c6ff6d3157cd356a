import { type Fields, GatewayError, isObject, type ResponseFormat } from '@sluice/contract'
import { namedSchema } from '../openai/named-schema.ts'

/** `response_format` of chat completions as `text.format`, which holds the named schema without nesting. */
export function flatFormat(format: ResponseFormat): object {
  return format.type === 'json_schema'
    ? { type: format.type, ...format.json_schema }
    : { type: format.type }
}

/**
 * `text.format` as `response_format` of chat completions; undefined for plain text. Throws `missing_parameter` if the schema
 * is missing.
 */
export function wrappedFormat(format: Fields): ResponseFormat | undefined {
  const { type, ...schema } = format
  if (type === 'json_object') return { type }
  if (type !== 'json_schema') return undefined
  if (!isObject(schema['schema']))
    throw new GatewayError('missing_parameter', 'A json_schema format needs its schema', {
      param: 'text.format.schema',
    })
  return { type, json_schema: namedSchema(schema) }
}
