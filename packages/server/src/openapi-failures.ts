import { type ErrorCode, GatewayError } from '@sluice/contract'
import { changeStatuses, failureStatuses } from './openapi-operation.ts'
import type { JsonSchema } from './openapi-schema.ts'

/** The error format of one family of clients. */
export interface ErrorForm {
  /** The name of its component, such as `Error` or `MessagesError`. */
  readonly name: string
  readonly body: (error: GatewayError) => unknown
  /** Whether endpoints that change stored data use this format. Default false. */
  readonly hasChanges?: boolean
}

const statuses = [...failureStatuses, ...changeStatuses] as const

const meanings: Readonly<Record<(typeof statuses)[number], readonly [ErrorCode, string]>> = {
  '400': ['invalid_request', 'The request is invalid; `param` names the field.'],
  '401': ['unauthenticated', 'The API key is missing or invalid.'],
  '403': ['forbidden', 'The key may not use this model.'],
  '404': ['model_not_found', 'There is no such model, task or path.'],
  '409': ['conflict', 'It contradicts what is there; the message says what.'],
  '413': ['too_large', 'The request body is too large (measured after decompression).'],
  '429': ['rate_limited', 'Too many requests; Retry-After says when to try again.'],
  '500': ['internal', 'Internal error of the gateway.'],
  '501': ['not_implemented', 'The operation is not implemented for this model.'],
  '502': ['upstream_garbled', 'The upstream’s response was invalid.'],
  '503': ['upstream_unavailable', 'No upstream could be reached.'],
  '504': ['upstream_timeout', 'The upstream timed out.'],
}

/** The shared error responses; their examples are produced by the code that writes errors. */
export function failureResponses({
  name,
  body,
  hasChanges = false,
}: ErrorForm): Record<string, JsonSchema> {
  return Object.fromEntries(
    (hasChanges ? statuses : failureStatuses).map((status) => {
      const [code, description] = meanings[status]
      return [
        `${name}${status}`,
        {
          description,
          headers: {
            'x-request-id': { $ref: '#/components/headers/x-request-id' },
            ...(status === '429' && {
              'retry-after': { $ref: '#/components/headers/retry-after' },
            }),
          },
          content: {
            'application/json': {
              schema: { $ref: `#/components/schemas/${name}` },
              example: body(exampleOf(code)),
            },
          },
        },
      ]
    }),
  )
}

/** The schema of an error body, derived from an example. A part is nullable if it may be null. */
export function errorSchema({ body }: ErrorForm): JsonSchema {
  const plain = body(new GatewayError('internal', 'message'))
  const full = body(exampleOf('missing_parameter'))
  return shapeOf(full, plain)
}

function exampleOf(code: ErrorCode): GatewayError {
  const blamed = code === 'invalid_request' || code === 'missing_parameter'
  return new GatewayError(code, 'What went wrong, in a sentence', {
    ...(blamed && { param: 'messages[0].content' }),
  })
}

function shapeOf(value: unknown, other: unknown): JsonSchema {
  // Items of detail lists have different shapes.
  if (Array.isArray(value)) return { type: 'array', items: { type: 'object' } }
  if (typeof value === 'object' && value !== null) {
    const others: Readonly<Record<string, unknown>> =
      typeof other === 'object' && other !== null ? { ...other } : {}
    const properties = Object.entries(value)
    return {
      type: 'object',
      properties: Object.fromEntries(
        properties.map(([name, part]) => [name, shapeOf(part, others[name])]),
      ),
      required: properties.map(([name]) => name).filter((name) => name in others),
    }
  }
  const types = new Set([typeOf(value), typeOf(other ?? null)])
  if (value !== null && other !== null) types.delete('null')
  return { type: types.size === 1 ? [...types][0] : [...types] }
}

function typeOf(value: unknown): string {
  if (value === null) return 'null'
  if (typeof value === 'number') return Number.isInteger(value) ? 'integer' : 'number'
  return typeof value
}
