import {
  changeStatuses,
  type Description,
  type FailureStatus,
  failureStatuses,
  failures,
  pathParameter,
} from './openapi-operation.ts'
import type { JsonSchema } from './openapi-schema.ts'

/** What an address that is no inference operation says of itself. */
export interface Written {
  readonly operationId: string
  readonly summary: string
  readonly tags: readonly string[]
  /** Besides those in the path. */
  readonly parameters?: readonly JsonSchema[]
  readonly requestBody?: JsonSchema
  /** Whether it changes what is kept, so that it may contradict that. Default false. */
  readonly changes?: boolean
  /** Of an address that is open to all: the failures besides 400 that it may answer with. */
  readonly failures?: readonly FailureStatus[]
  /** The answers that are not failures. */
  readonly reply: Readonly<Record<string, JsonSchema>>
}

interface Place {
  readonly method: string
  readonly path: string
  readonly access: string
}

/** As the OpenAPI document has it. What is open to all needs no key, and fails where the request is not even HTTP or as it says. */
export function describeWritten(
  { method, path, access }: Place,
  { reply, changes = false, failures: further = [], ...operation }: Written,
  error: string,
): Description {
  const isOpen = access === 'open'
  const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => pathParameter(name ?? ''))
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

/** All of its properties are always there. */
export function object(properties: Record<string, JsonSchema>): JsonSchema {
  return { type: 'object', required: Object.keys(properties), properties }
}

export function listOf(items: JsonSchema, further: Record<string, JsonSchema> = {}): JsonSchema {
  return object({ object: { const: 'list' }, data: { type: 'array', items }, ...further })
}

/** A page of what `paging` asks for. */
export function pageOf(items: JsonSchema): JsonSchema {
  return listOf(items, { first_id: textOrNull, last_id: textOrNull, has_more: { type: 'boolean' } })
}

export function deletion(kind: string): JsonSchema {
  return object({ id: text, object: { const: kind }, deleted: { const: true } })
}

/** A good answer in JSON. */
export function answer(schema: JsonSchema, description = 'Successful response.') {
  return { '200': { description, content: { 'application/json': { schema } } } }
}

export const paging: readonly JsonSchema[] = [
  query(
    'limit',
    { type: 'integer', minimum: 1, maximum: 100, default: 20 },
    'Number of items per page.',
  ),
  query('after', text, 'The id of the last item of the previous page.'),
  query('order', { enum: ['asc', 'desc'], default: 'desc' }, 'Sort order by creation time.'),
]

export function query(name: string, schema: JsonSchema, description: string): JsonSchema {
  return { name, in: 'query', description, schema }
}
