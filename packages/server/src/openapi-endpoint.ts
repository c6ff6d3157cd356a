import type { TSchema } from 'typebox'
import {
  changeStatuses,
  type Description,
  type FailureStatus,
  failureStatuses,
  failures,
  namesIn,
  pathParameter,
} from './openapi-operation.ts'
import { type JsonSchema, toJsonSchema } from './openapi-schema.ts'

/** A query parameter, of which `schema` is only documentation: handlers get its text. */
export interface Parameter {
  readonly schema: object
  readonly description: string
}

export type Parameters = Readonly<Record<string, Parameter>>

/** An endpoint as the OpenAPI document describes it. */
export interface EndpointDescription {
  readonly operationId: string
  readonly summary: string
  readonly tag: string
  /** Query parameters by name. */
  readonly query?: Parameters
  /** Schema of the JSON body; absent if it has none. */
  readonly body?: TSchema
  /** Whether the handler checks the body, because it says more than a schema can. Default: the schema does. */
  readonly checksBody?: boolean
  /** An example body that the schema accepts. */
  readonly example?: object
  /** Schema of the JSON response. */
  readonly reply?: TSchema
  /** Responses that are not, or not only, JSON with status 200: by status, as OpenAPI writes them. */
  readonly responses?: Readonly<Record<string, JsonSchema>>
  /** Whether it may return 409. Default: that of administrators if it is no GET. */
  readonly changes?: boolean
  /** For a public endpoint: its failure statuses besides 400. */
  readonly failures?: readonly FailureStatus[]
}

interface Place {
  readonly method: string
  readonly path: string
  readonly access: 'open' | 'caller' | readonly string[]
}

/** Converts an endpoint to OpenAPI. Public endpoints need no key and list only 400 and their own failures. */
export function describeEndpoint(
  { method, path, access }: Place,
  endpoint: EndpointDescription,
  error: string,
): Description {
  const { operationId, summary, tag, reply, responses, failures: further = [] } = endpoint
  const { changes = method !== 'GET' && typeof access !== 'string' } = endpoint
  const isOpen = access === 'open'
  const parameters = [
    ...namesIn(path).map(pathParameter),
    ...Object.entries(endpoint.query ?? {}).map(([name, { schema, description }]) => ({
      name,
      in: 'query',
      description,
      schema,
    })),
  ]
  return {
    path,
    method: method.toLowerCase(),
    operation: {
      operationId,
      summary,
      tags: [tag],
      ...requestBody(endpoint),
      ...(parameters.length > 0 && { parameters }),
      ...(isOpen && { security: [] }),
      responses: {
        ...(reply && answer(reply)),
        ...responses,
        ...failures(error, isOpen ? ['400', ...further] : failureStatuses),
        ...failures(error, changes ? changeStatuses : []),
      },
    },
    schemas: {},
  }
}

function requestBody({ body, checksBody = false, example }: EndpointDescription) {
  if (!body) return {}
  const schema = checksBody ? body : toJsonSchema(body, 'json')
  const content = { 'application/json': { schema, ...(example && { example }) } }
  return { requestBody: { required: true, content } }
}

/** A successful JSON response. */
function answer(schema: object) {
  return success({ 'application/json': { schema } })
}

/** A successful response with content by media type. */
export function success(
  content: Readonly<Record<string, { readonly schema: object }>>,
  description = 'Successful response.',
) {
  return { '200': { description, content } }
}

export function parameter(schema: object, description: string): Parameter {
  return { schema, description }
}
