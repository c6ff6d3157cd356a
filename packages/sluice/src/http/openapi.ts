import { isDeepStrictEqual } from 'node:util'
import { GatewayError, operations } from '@sluice/contract'
import { type ClientFormat, formats } from '@sluice/protocols'
import type { Address } from './address.ts'
import { type ErrorForm, errorSchema, failureResponses } from './openapi-failures.ts'
import { describe, type Description } from './openapi-operation.ts'
import type { JsonSchema } from './openapi-schema.ts'
import { describeWritten } from './openapi-written.ts'

const errorForm: ErrorForm = { name: 'Error', body: (error) => error.toJSON() }

const tags: Readonly<Record<string, string>> = {
  Chat: 'Conversations, streamed or not.',
  Completions: 'Text that goes on from a prompt.',
  Embeddings: 'Texts as vectors.',
  Rerank: 'Documents in the order of their relevance.',
  Moderations: 'What a text or picture may contain.',
  Audio: 'Speech to text and text to speech.',
  Images: 'Pictures, made and edited.',
  Videos: 'Tasks that make videos.',
  Models: 'What the key may use.',
  Responses: 'OpenAI’s Responses format.',
  Messages: 'Anthropic’s Messages format.',
  Gemini: 'Google’s Gemini format.',
  Operation: 'Health, and what the gateway would do.',
}

/**
 * The OpenAPI 3.1 document of these addresses, in their order, made from the schemas that check requests
 * (https://spec.openapis.org/oas/v3.1.1). `version` is the program's own.
 */
export function createOpenApi(version: string, addresses: readonly Address[]): JsonSchema {
  const described = addresses.flatMap(descriptionOf)
  const errorForms = new Map(
    [errorForm, ...formats.map(errorFormOf)].map((form) => [form.name, form]),
  )
  return {
    openapi: '3.1.1',
    info: {
      title: 'Sluice',
      version,
      summary: 'A self-hosted model gateway.',
      description:
        'One address in front of every model. Fields that no schema names are accepted. Files and fine-tunes are not offered: their addresses answer 501.',
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
  if (!('format' in description)) return [describeWritten(address, description, errorForm.name)]
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
    reply: format.reply,
    example: format.example,
    streamsVariously: format.writer !== undefined,
    error: errorFormOf(format).name,
  } as const
}

/** Formats of one family say errors in one form, and some in the plain one. */
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
      description: 'The key; its leading `sk-` is optional.',
    },
  },
  {
    name: 'apiKey',
    scheme: {
      type: 'apiKey',
      in: 'header',
      name: 'x-api-key',
      description: 'As Anthropic clients send it.',
    },
  },
  {
    name: 'googApiKey',
    scheme: {
      type: 'apiKey',
      in: 'header',
      name: 'x-goog-api-key',
      description: 'As Gemini clients send it.',
    },
  },
] as const

const text = { type: 'string' }
const headers = {
  'x-request-id': { description: 'The id of the request, as it stands in the log.', schema: text },
  'x-sluice-provider': { description: 'The provider that answered.', schema: text },
  'x-sluice-model': { description: 'The provider’s own name of the model.', schema: text },
  'x-sluice-attempts': {
    description: 'How many attempts the answer took.',
    schema: { type: 'integer', minimum: 1 },
  },
  'retry-after': {
    description: 'Seconds to wait, 1 at least.',
    schema: { type: 'integer', minimum: 1 },
  },
}
