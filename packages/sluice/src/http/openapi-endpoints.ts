import type { JsonSchema } from './openapi-schema.ts'

/** An address that is not an inference operation, as the OpenAPI document describes it. */
export interface Endpoint {
  readonly path: string
  readonly method: 'get' | 'post' | 'delete'
  readonly operationId: string
  readonly summary: string
  readonly tags: readonly string[]
  readonly parameters?: readonly JsonSchema[]
  readonly requestBody?: JsonSchema
  /** The answers that are not failures. */
  readonly reply: Readonly<Record<string, JsonSchema>>
  /** Needs no key, and fails only where the request is not even HTTP. */
  readonly open?: boolean
}

const text = { type: 'string' }
const textOrNull = { type: ['string', 'null'] }
const integer = { type: 'integer' }
const response = { $ref: '#/components/schemas/ResponsesReply' }
const video = { $ref: '#/components/schemas/GetVideoReply' }

function object(properties: Record<string, JsonSchema>): JsonSchema {
  return { type: 'object', required: Object.keys(properties), properties }
}

function listOf(items: JsonSchema, further: Record<string, JsonSchema> = {}): JsonSchema {
  return object({ object: { const: 'list' }, data: { type: 'array', items }, ...further })
}

function answer(schema: JsonSchema, description = 'The answer.') {
  return { '200': { description, content: { 'application/json': { schema } } } }
}

function query(name: string, schema: JsonSchema, description: string): JsonSchema {
  return { name, in: 'query', description, schema }
}

const paging = [
  query('limit', { type: 'integer', minimum: 1, maximum: 100, default: 20 }, 'Items on a page.'),
  query('after', text, 'The id of the last item of the page before.'),
  query('order', { enum: ['asc', 'desc'], default: 'desc' }, 'By the time they were made.'),
]

const pageOf = (items: JsonSchema) =>
  listOf(items, { first_id: textOrNull, last_id: textOrNull, has_more: { type: 'boolean' } })

const deletion = (kind: string) =>
  object({ id: text, object: { const: kind }, deleted: { const: true } })

const model = {
  ...object({ id: text, object: { const: 'model' }, created: integer, owned_by: text }),
  description: 'Further fields tell what is known of the model, such as its token limits.',
}

const modelRecord = object({
  name: { type: 'string', pattern: '^models/' },
  version: text,
  displayName: text,
  description: text,
  inputTokenLimit: integer,
  outputTokenLimit: integer,
  supportedGenerationMethods: { type: 'array', items: text },
})

const health = object({ status: text })

const models: readonly Endpoint[] = [
  {
    path: '/v1/models',
    method: 'get',
    operationId: 'listModels',
    summary: 'List the models that the key may use',
    tags: ['Models'],
    reply: answer(listOf(model)),
  },
  {
    path: '/v1/models/{model}',
    method: 'get',
    operationId: 'getModel',
    summary: 'Look up a model',
    tags: ['Models'],
    reply: answer(model),
  },
  {
    path: '/v1beta/models',
    method: 'get',
    operationId: 'listModelRecords',
    summary: 'List the models in the record style of Gemini',
    tags: ['Models'],
    reply: answer(object({ models: { type: 'array', items: modelRecord } })),
  },
  {
    path: '/v1beta/models/{model}',
    method: 'get',
    operationId: 'getModelRecord',
    summary: 'Look up a model in the record style of Gemini',
    tags: ['Models'],
    reply: answer(modelRecord),
  },
]

const compatibleList: Endpoint = {
  path: '/v1beta/openai/models',
  method: 'get',
  operationId: 'listModelsForOpenAi',
  summary: 'List the models where OpenAI clients look that were set up for Gemini',
  tags: ['Models'],
  reply: answer(listOf(model)),
}

const image: Endpoint = {
  path: '/images/{name}',
  method: 'get',
  operationId: 'downloadImage',
  summary: 'Download a picture that an answer pointed at, while it is kept',
  tags: ['Images'],
  open: true,
  reply: {
    '200': {
      description: 'The picture.',
      content: { 'image/*': { schema: { type: 'string', format: 'binary' } } },
    },
    '404': { $ref: '#/components/responses/Error404' },
  },
}

const explain: Endpoint = {
  path: '/admin/v1/explain',
  method: 'post',
  operationId: 'explain',
  summary: 'Say what would happen to a request, without sending it',
  tags: ['Operation'],
  requestBody: {
    required: true,
    content: {
      'application/json': {
        schema: {
          type: 'object',
          required: ['request'],
          properties: {
            path: {
              ...text,
              default: '/v1/chat/completions',
              description: 'The address it is for.',
            },
            request: { type: 'object', description: 'The JSON body it has.' },
          },
        },
        example: {
          path: '/v1/chat/completions',
          request: { model: 'builtin-chat', messages: [{ role: 'user', content: 'Hello' }] },
        },
      },
    },
  },
  reply: answer({
    ...object({ model: text, targets: { type: 'array', items: { type: 'object' } } }),
    description:
      'The targets in the order in which they would be tried, with the exact request to each.',
  }),
}

const kept: readonly Endpoint[] = [
  {
    path: '/v1/videos',
    method: 'get',
    operationId: 'listVideos',
    summary: 'List the key’s video tasks',
    tags: ['Videos'],
    parameters: paging,
    reply: answer(pageOf(video)),
  },
  {
    path: '/v1/responses/{id}',
    method: 'get',
    operationId: 'getResponse',
    summary: 'Look up a kept response',
    tags: ['Responses'],
    reply: answer(response),
  },
  {
    path: '/v1/responses/{id}',
    method: 'delete',
    operationId: 'deleteResponse',
    summary: 'Delete a kept response',
    tags: ['Responses'],
    reply: answer(deletion('response')),
  },
  {
    path: '/v1/responses/{id}/input_items',
    method: 'get',
    operationId: 'listInputItems',
    summary: 'List what a kept response was asked',
    tags: ['Responses'],
    parameters: paging,
    reply: answer(pageOf({ type: 'object' })),
  },
  {
    path: '/v1/responses/{id}/cancel',
    method: 'post',
    operationId: 'cancelResponse',
    summary: 'Cancel a background response; none is offered, so this is refused',
    tags: ['Responses'],
    reply: answer(response),
  },
  {
    path: '/v1/videos/{id}',
    method: 'delete',
    operationId: 'deleteVideo',
    summary: 'Delete a video task and its clip',
    tags: ['Videos'],
    reply: answer(deletion('video.deleted')),
  },
]

const open: readonly Endpoint[] = (
  [
    ['/healthz', 'checkHealth', 'Whether the process answers', answer(health)],
    [
      '/readyz',
      'checkReadiness',
      'Whether the gateway takes requests',
      {
        ...answer(health),
        '503': {
          description: 'It is starting or stopping.',
          content: { 'application/json': { schema: health } },
        },
      },
    ],
    [
      '/openapi.json',
      'getOpenApi',
      'This document',
      answer({ type: 'object' }, 'An OpenAPI 3.1 document.'),
    ],
    [
      '/sluice.schema.json',
      'getConfigSchema',
      'The JSON Schema of sluice.yaml',
      {
        '200': {
          description: 'A JSON Schema, draft 2020-12.',
          content: { 'application/schema+json': { schema: { type: 'object' } } },
        },
      },
    ],
  ] as const
).map(([path, operationId, summary, reply]) => ({
  path,
  method: 'get',
  operationId,
  summary,
  tags: ['Operation'],
  reply,
  open: true,
}))

export const endpoints: readonly Endpoint[] = [
  ...models,
  compatibleList,
  ...kept,
  image,
  explain,
  ...open,
]
