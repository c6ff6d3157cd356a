import {
  changeStatuses,
  type Description,
  type FailureStatus,
  failureStatuses,
  failures,
  namesIn,
  pathParameter,
} from './openapi-operation.ts'
import type { JsonSchema } from './openapi-schema.ts'

/** The description of an endpoint that is not an inference operation. */
export interface Written {
  readonly operationId: string
  readonly summary: string
  readonly tags: readonly string[]
  /** Parameters in addition to those in the path. */
  readonly parameters?: readonly JsonSchema[]
  readonly requestBody?: JsonSchema
  /** Whether it changes stored data and may return 409. Default false. */
  readonly changes?: boolean
  /** For a public endpoint: its failure statuses besides 400. */
  readonly failures?: readonly FailureStatus[]
  /** The success responses. */
  readonly reply: Readonly<Record<string, JsonSchema>>
}

interface EndpointPath {
  readonly method: string
  readonly path: string
  readonly access: string
}

/** Converts the description to OpenAPI. Public endpoints need no key and list only 400 and their own failures. */
export function describeWritten(
  { method, path, access }: EndpointPath,
  { reply, changes = false, failures: further = [], ...operation }: Written,
  error: string,
): Description {
  const isOpen = access === 'open'
  const inPath = namesIn(path).map(pathParameter)
  const parameters = [...inPath, ...(operation.parameters ?? [])]
  return {
    path,
    method: method.toLowerCase(),
    operation: {
      ...operation,
      ...(parameters.length > 0 && { parameters }),
      ...(isOpen && { security: [] }),
      responses: {
        ...reply,
        ...failures(error, isOpen ? ['400', ...further] : failureStatuses),
        ...failures(error, changes ? changeStatuses : []),
      },
    },
    schemas: {},
  }
}

export const text = { type: 'string' }
const textOrNull = { type: ['string', 'null'] }

/** An object whose properties are all required. */
export function object(properties: Record<string, JsonSchema>): JsonSchema {
  return { type: 'object', required: Object.keys(properties), properties }
}

export function listOf(items: JsonSchema, further: Record<string, JsonSchema> = {}): JsonSchema {
  return object({ object: { const: 'list' }, data: { type: 'array', items }, ...further })
}

/** One page of a list, as selected by `paging`. */
export function pageOf(items: JsonSchema): JsonSchema {
  return listOf(items, { first_id: textOrNull, last_id: textOrNull, has_more: { type: 'boolean' } })
}

export function deletion(kind: string): JsonSchema {
  return object({ id: text, object: { const: kind }, deleted: { const: true } })
}

/** A successful JSON response. */
export function answer(schema: JsonSchema, description = 'Successful response.') {
  return { '200': { description, content: { 'application/json': { schema } } } }
}

export const paging: readonly JsonSchema[] = [
  query(
    'limit',
    { type: 'integer', minimum: 1, maximum: 100, default: 20 },
    'Number of items per page.',
  ),
  query(
    'after',
    text,
    'The id of the last item of the previous page. One that was deleted meanwhile has no place: 400.',
  ),
  query('order', { enum: ['asc', 'desc'], default: 'desc' }, 'Sort order by creation time.'),
]

export function query(name: string, schema: JsonSchema, description: string): JsonSchema {
  return { name, in: 'query', description, schema }
}
