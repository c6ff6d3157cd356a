import type { Operation } from '@sluice/contract'
import type { TSchema } from 'typebox'
import {
  type BodyForm,
  type JsonSchema,
  toJsonSchema,
  withoutProperties,
} from './openapi-schema.ts'

/** What the description of an operation or client format needs. */
export interface Described
  extends Pick<Operation, 'summary' | 'tag' | 'method' | 'paths' | 'body' | 'request' | 'reply'> {
  /** The operationId, and the prefix of its schema names. */
  readonly name: string
  /** The schema of one streamed event; absent or Never if it cannot stream, or if events have different shapes. */
  readonly event?: TSchema
  /** Whether it streams events that no single schema describes. */
  readonly streamsVariously?: boolean
  /** Whether the answer is a count of tokens, which may be an estimate. */
  readonly counts?: boolean
  /** Parameters besides those in the path and, where there is no body, the request's fields. */
  readonly parameters?: readonly JsonSchema[]
  readonly replyType?: string
  readonly example?: unknown
  /** The name of the component of its error body. */
  readonly error: string
}

/** The description of one path and method, and the schemas it refers to. */
export interface Description {
  readonly path: string
  readonly method: string
  readonly operation: JsonSchema
  readonly schemas: Readonly<Record<string, JsonSchema>>
}

/** Failure statuses that every operation may return. */
export const failureStatuses = [
  '400',
  '401',
  '403',
  '404',
  '413',
  '429',
  '500',
  '501',
  '502',
  '503',
  '504',
] as const

/** Failure statuses of operations that change stored data. */
export const changeStatuses = ['409'] as const

export type FailureStatus = (typeof failureStatuses)[number] | (typeof changeStatuses)[number]

/** Describes an operation at one of its paths. */
export function describe(described: Described, path: string): Description {
  const isFirst = described.paths[0] === path
  const operationId = isFirst ? described.name : aliasId(described.name, path)
  const schemas: Record<string, JsonSchema> = {}
  const inPath = namesIn(path)
  // Paths with the same parameters share the schema of the body.
  const bodyName = sameNames(inPath, namesIn(described.paths[0] ?? ''))
    ? described.name
    : operationId
  const parameters = [
    ...inPath.map((name) => pathParameter(name)),
    ...(described.body === 'none' ? queryParameters(described.request, inPath) : []),
    ...(described.parameters ?? []),
  ]
  const operation = {
    operationId,
    summary: described.summary,
    tags: [described.tag],
    ...(parameters.length > 0 && { parameters }),
    ...(described.body !== 'none' && {
      requestBody: requestBody(described, inPath, { name: bodyName, schemas }),
    }),
    responses: responses(described, schemas),
  }
  return { path, method: described.method.toLowerCase(), operation, schemas }
}

/** The operationId of an operation at another than its usual path. */
export function aliasId(operationId: string, path: string): string {
  return `${operationId}At${pascal(path)}`
}

/** The parameters of a path. */
export function namesIn(path: string): readonly string[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name ?? '')
}

function sameNames(some: readonly string[], others: readonly string[]): boolean {
  return some.join() === others.join()
}

function requestBody(
  { request, body, example }: Described,
  inPath: readonly string[],
  { name, schemas }: { name: string; schemas: Record<string, JsonSchema> },
): JsonSchema {
  const content: Record<string, JsonSchema> = {}
  const add = (type: string, form: BodyForm, suffix: string) => {
    const component = `${capital(name)}${suffix}`
    schemas[component] = withOptionalInPath(toJsonSchema(request, form), inPath)
    content[type] = {
      schema: reference(component),
      ...(form === 'json' && example !== undefined && { example: without(example, inPath) }),
    }
  }
  if (body !== 'multipart') add('application/json', 'json', 'Request')
  if (body !== 'json') add('multipart/form-data', 'form', 'Form')
  return { required: true, content }
}

function responses(described: Described, schemas: Record<string, JsonSchema>): JsonSchema {
  const { name, reply, event, replyType, error, streamsVariously, counts } = described
  const content: Record<string, JsonSchema> = {}
  if (replyType !== undefined) content[replyType] = { schema: { type: 'string', format: 'binary' } }
  else {
    const component = `${capital(name)}Reply`
    schemas[component] = toJsonSchema(reply, 'json')
    content['application/json'] = { schema: reference(component) }
  }
  if (event !== undefined && !isNever(event)) {
    const component = `${capital(name)}Event`
    schemas[component] = toJsonSchema(event, 'json')
    content['text/event-stream'] = eventStream(
      'each with one object of the content schema as its data',
      {
        contentSchema: reference(component),
      },
    )
  } else if (streamsVariously === true) {
    content['text/event-stream'] = eventStream(
      'in the form that the documentation of this API describes',
    )
  }
  return {
    '200': {
      description: 'Successful response.',
      headers: counts === true ? { ...answerHeaders, ...referred(estimated) } : answerHeaders,
      content,
    },
    ...failures(error),
  }
}

function eventStream(what: string, further: JsonSchema = {}): JsonSchema {
  const description = `Server-sent events, ${what}.`
  return {
    schema: { type: 'string', description, contentMediaType: 'text/event-stream', ...further },
  }
}

/** References to the shared error responses of one format. Default: all failures. */
export function failures(
  error: string,
  statuses: readonly FailureStatus[] = failureStatuses,
): JsonSchema {
  return Object.fromEntries(
    statuses.map((status) => [status, { $ref: `#/components/responses/${error}${status}` }]),
  )
}

const answerHeaders = referred([
  'x-request-id',
  'x-sluice-provider',
  'x-sluice-model',
  'x-sluice-attempts',
  'x-sluice-cost',
  'x-sluice-cost-unknown',
])

const estimated = ['x-sluice-count-estimated']

/** References to the shared headers with these names. */
function referred(names: readonly string[]): JsonSchema {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]))
}

const pathMeanings: Readonly<Record<string, string>> = {
  id: 'The id, as it was given when the thing was made or listed.',
  model: 'The name of a model.',
  deployment: 'The name of a model, which counts instead of the one in the body.',
}

export function pathParameter(name: string): JsonSchema {
  const description = pathMeanings[name] ?? `The ${name}.`
  return { name, in: 'path', required: true, description, schema: { type: 'string' } }
}

function queryParameters(request: TSchema, inPath: readonly string[]): readonly JsonSchema[] {
  const schema = withoutProperties(toJsonSchema(request, 'form'), inPath)
  const required = schema['required']
  return Object.entries(schema['properties'] ?? {}).map(([name, property]) => ({
    name,
    in: 'query',
    required: Array.isArray(required) && required.includes(name),
    schema: property,
  }))
}

/** Removes properties that the path carries from the body. */
function withOptionalInPath(schema: JsonSchema, inPath: readonly string[]): JsonSchema {
  return inPath.length > 0 ? withoutProperties(schema, inPath.map(fieldOf)) : schema
}

/** The field of a request that a parameter of the path stands for. */
function fieldOf(parameter: string): string {
  return parameter === 'deployment' ? 'model' : parameter
}

function without(example: unknown, names: readonly string[]): unknown {
  if (typeof example !== 'object' || example === null || names.length === 0) return example
  const fields = names.map(fieldOf)
  return Object.fromEntries(Object.entries(example).filter(([name]) => !fields.includes(name)))
}

/** TypeBox writes Never as `{ not: {} }`. */
function isNever(schema: TSchema): boolean {
  return 'not' in schema
}

function reference(component: string): JsonSchema {
  return { $ref: `#/components/schemas/${component}` }
}

function capital(name: string): string {
  return name.charAt(0).toUpperCase() + name.slice(1)
}

function pascal(path: string): string {
  return (path.match(/[A-Za-z0-9]+/g) ?? []).map(capital).join('')
}
