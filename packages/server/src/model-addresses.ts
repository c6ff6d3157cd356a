import { operationNames } from '@sluice/contract'
import { turn } from '@sluice/gateway/turns/turn.ts'
import type { Address, Exchange } from './address.ts'
import { plainFace } from './face.ts'
import {
  findListed,
  geminiList,
  geminiModel,
  modelList,
  modelRecord,
  offering,
  openAiList,
  openAiModel,
  type Query,
} from './models.ts'
import type { JsonSchema } from './openapi-schema.ts'
import { answer, listOf, object, query, text, type Written } from './openapi-written.ts'
import { below } from './other-addresses.ts'

const integer = { type: 'integer' }

const model = {
  ...object({
    id: text,
    object: { const: 'model' },
    created: integer,
    owned_by: text,
    operations: { type: 'array', items: text },
  }),
  description: 'Additional fields describe the model, such as its token limits.',
}

const geminiRecord = object({
  name: { type: 'string', pattern: '^models/' },
  version: text,
  displayName: text,
  description: text,
  inputTokenLimit: integer,
  outputTokenLimit: integer,
  supportedGenerationMethods: { type: 'array', items: text },
})

/** One caller per turn: a list of tens of thousands of models takes long. */
async function listed({ gateway, key }: Exchange) {
  await turn()
  return gateway.current.routing.list(key)
}

async function offered(exchange: Exchange) {
  return offering(await listed(exchange), queryOf(exchange))
}

async function named(exchange: Exchange) {
  return findListed(await listed(exchange), exchange.parameters['model'] ?? '')
}

function queryOf({ request }: Exchange): Query {
  return request.query as Query
}

/** Sends an object, or text that is already JSON. */
function sendJson({ reply }: Exchange, list: object | string): void {
  void reply.type('application/json; charset=utf-8').send(list)
}

const byOperation = query(
  'operation',
  { enum: operationNames },
  'Lists only the models that offer this operation.',
)

interface Described {
  readonly summary: string
  readonly reply: JsonSchema
}

/** The list and the records below one path. */
function modelsAt(
  path: string,
  { list, record }: Readonly<Record<'list' | 'record', Described & Pick<Written, 'operationId'>>>,
  serving: Readonly<Record<'list' | 'record', Address['serve']>>,
): readonly Address[] {
  const shared = { method: 'GET', access: 'caller', uncounted: true, face: 'caller' } as const
  const tags = ['Models']
  return [
    {
      ...shared,
      path,
      description: { ...list, tags, parameters: [byOperation], reply: answer(list.reply) },
      serve: serving.list,
    },
    {
      ...shared,
      path: `${path}/{model}`,
      description: { ...record, tags, reply: answer(record.reply) },
      serve: serving.record,
    },
  ]
}

const openAis = {
  list: {
    operationId: 'listModels',
    summary: 'List the models available to the key',
    reply: listOf(model),
  },
  record: { operationId: 'getModel', summary: 'Retrieve a model', reply: model },
}

/** The list and its records for every style of client; the headers of a request decide. */
const sharedModels = modelsAt('/v1/models', openAis, {
  list: async (exchange) =>
    sendJson(exchange, modelList(exchange.request, await offered(exchange))),
  record: async (exchange) =>
    sendJson(exchange, modelRecord(exchange.request, await named(exchange))),
}).map((address) => ({ ...address, isForConsole: true }))

/** The same where only OpenAI's clients ask. */
export const openAiModels: readonly Address[] = modelsAt('/v1/models', openAis, {
  list: async (exchange) => sendJson(exchange, openAiList(await offered(exchange))),
  record: async (exchange) => sendJson(exchange, openAiModel(await named(exchange))),
}).map((address) => ({ ...address, face: plainFace }))

const geminiModels = modelsAt(
  '/v1beta/models',
  {
    list: {
      operationId: 'listModelRecords',
      summary: 'List models in Gemini’s format',
      reply: object({ models: { type: 'array', items: geminiRecord } }),
    },
    record: {
      operationId: 'getModelRecord',
      summary: 'Retrieve a model in Gemini’s format',
      reply: geminiRecord,
    },
  },
  {
    list: async (exchange) =>
      sendJson(exchange, geminiList(await offered(exchange), queryOf(exchange))),
    record: async (exchange) => sendJson(exchange, geminiModel(await named(exchange))),
  },
)

export const modelAddresses: readonly Address[] = [
  ...sharedModels,
  ...geminiModels,
  ...below('/v1alpha', geminiModels, '/v1beta'),
]
