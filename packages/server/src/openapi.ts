import { isDeepStrictEqual } from 'node:util'
import { GatewayError, operations } from '@sluice/contract'
import type { ClientFormat } from '@sluice/protocols/client-format.ts'
import { formats } from '@sluice/protocols/formats.ts'
import { Type } from 'typebox'
import type { Address } from './address.ts'
import { type ErrorForm, errorSchema, failureResponses } from './openapi-failures.ts'
import { type Description, describe } from './openapi-operation.ts'
import type { JsonSchema } from './openapi-schema.ts'
import { describeEndpoint } from './openapi-endpoint.ts'

const errorForm: ErrorForm = {
  name: 'Error',
  body: (error) => error.toJSON(),
  hasChanges: true,
}

const tags: Readonly<Record<string, string>> = {
  Chat: 'Chat completions, streamed or not.',
  Completions: 'Text completions.',
  Embeddings: 'Vector embeddings of text.',
  Rerank: 'Documents ranked by relevance to a query.',
  Moderations: 'Classification of harmful content.',
  Audio: 'Speech to text and text to speech.',
  Images: 'Image generation and editing.',
  Videos: 'Asynchronous video generation tasks.',
  Models: 'Models available to the key.',
  Responses: 'OpenAI’s Responses API.',
  Messages: 'Anthropic’s Messages API.',
  Gemini: 'Google’s Gemini API.',
  Administration: 'Organizations, teams, users, keys and the audit log.',
  Usage: 'What was used, and what it cost.',
  Session: 'Signing in at the console, with a browser.',
  Operation: 'Health checks and diagnostics.',
}

/** The version of the contract, not of the program. */
const contractVersion = '1.0.0'

/**
 * Creates the OpenAPI 3.1 document of these endpoints, in their order, from the schemas that validate requests
 * (https://spec.openapis.org/oas/v3.1.1).
 */
export function createOpenApi(addresses: readonly Address[]): JsonSchema {
  const described = addresses.flatMap(descriptionOf)
  const errorForms = new Map(
    [errorForm, ...formats.map(errorFormOf)].map((form) => [form.name, form]),
  )
  return {
    openapi: '3.1.1',
    info: {
      title: 'Sluice',
      version: contractVersion,
      summary: 'A self-hosted model gateway.',
      description:
        'One address in front of every model. Unknown request fields are accepted. Files and fine-tuning are not implemented: their paths answer 501.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '/', description: 'This gateway.' }],
    tags: tagsOf(described),
    security: securitySchemes.map(({ name }) => ({ [name]: [] })),
    paths: pathsOf(described),
    components: {
      schemas: {
        ...Object.fromEntries([...errorForms].map(([name, form]) => [name, errorSchema(form)])),
        ...Object.assign({}, ...described.map(({ schemas }) => schemas)),
      },
      responses: Object.assign({}, ...[...errorForms.values()].map(failureResponses)),
      headers,
      securitySchemes: Object.fromEntries(
        securitySchemes.map(({ name, scheme }) => [name, scheme]),
      ),
    },
  }
}

function descriptionOf(address: Address): readonly Description[] {
  const { path, description } = address
  if (description === 'none') return []
  if (!('format' in description)) return [describeEndpoint(address, description, errorForm.name)]
  const { format } = description
  return [describe(format.isOwn === true ? fromOperation(format) : fromFormat(format), path)]
}

function fromOperation({ id, operation, request, reply, event }: ClientFormat) {
  const shapes = { request, reply, ...(event && { event }) }
  return { ...operations[operation], ...shapes, name: id, error: errorForm.name }
}

function fromFormat(format: ClientFormat) {
  return {
    name: format.id,
    summary: format.summary,
    tag: format.tag,
    method: operations[format.operation].method,
    paths: format.paths,
    body: 'json',
    request: format.request,
    ...(format.streams === true
      ? { reply: Type.Array(format.reply), parameters: [alt] }
      : { reply: format.reply }),
    example: format.example,
    streamsVariously: format.writer !== undefined,
    counts: format.counted !== undefined,
    error: errorFormOf(format).name,
  } as const
}

/** How Gemini's streams are framed (https://ai.google.dev/api/generate-content#method:-models.streamgeneratecontent). */
const alt = {
  name: 'alt',
  in: 'query',
  description:
    'With sse the response is server-sent events, otherwise a JSON array that is sent element by element.',
  schema: { enum: ['sse', 'json'], default: 'json' },
}

/** Formats of one family share an error format; some use the plain one. */
function errorFormOf(format: ClientFormat): ErrorForm {
  const body: ErrorForm['body'] = (error) => format.error(error, 'req_0000000000000000')
  const sample = new GatewayError('invalid_request', 'A sentence', { param: 'model' })
  if (isDeepStrictEqual(body(sample), sample.toJSON())) return errorForm
  return { name: `${format.tag.replace(/\W/g, '')}Error`, body }
}

function pathsOf(described: readonly Description[]): JsonSchema {
  const paths: Record<string, Record<string, unknown>> = {}
  for (const { path, method, operation } of described)
    paths[path] = { ...paths[path], [method]: operation }
  return paths
}

function tagsOf(described: readonly Description[]): readonly JsonSchema[] {
  const used = new Set(described.flatMap(({ operation }) => operation['tags'] as readonly string[]))
  return [...used].map((name) => ({ name, description: tags[name] ?? name }))
}

const securitySchemes = [
  {
    name: 'bearer',
    scheme: {
      type: 'http',
      scheme: 'bearer',
      description: 'The API key; its leading `sk-` is optional.',
    },
  },
  {
    name: 'apiKey',
    scheme: {
      type: 'apiKey',
      in: 'header',
      name: 'x-api-key',
      description: 'The API key, as Anthropic clients send it.',
    },
  },
  {
    name: 'azureApiKey',
    scheme: {
      type: 'apiKey',
      in: 'header',
      name: 'api-key',
      description: 'The API key, as Azure’s clients send it.',
    },
  },
  {
    name: 'googApiKey',
    scheme: {
      type: 'apiKey',
      in: 'header',
      name: 'x-goog-api-key',
      description: 'The API key, as Gemini clients send it.',
    },
  },
] as const

const text = { type: 'string' }
const headers = {
  'x-request-id': {
    description:
      'The id of the request, as in the log. If the caller sent an x-request-id of 8 to 128 letters, digits and . _ : -, it is used, and x-sluice-call-id is the id of the gateway.',
    schema: text,
  },
  'x-sluice-provider': { description: 'The provider that responded.', schema: text },
  'x-sluice-model': { description: 'The name of the model at the provider.', schema: text },
  'x-sluice-attempts': {
    description:
      'The number of upstream attempts, including retries and fallbacks; 0 if no upstream was contacted.',
    schema: { type: 'integer', minimum: 0 },
  },
  'x-sluice-cost': {
    description:
      'The cost of all attempts in USD, such as 0.000123; absent if it is unknown. For a stream, it is in the trailer, if the request has TE: trailers.',
    schema: text,
  },
  'x-sluice-cost-unknown': {
    description: 'true if the cost of an attempt is unknown.',
    schema: { type: 'string', enum: ['true'] },
  },
  'x-sluice-count-estimated': {
    description:
      'true if the built-in tokenizer counted for an unknown model, because the provider cannot count tokens or failed to.',
    schema: { type: 'string', enum: ['true'] },
  },
  'retry-after': {
    description: 'Seconds to wait before the next request, at least 1.',
    schema: { type: 'integer', minimum: 1 },
  },
}
