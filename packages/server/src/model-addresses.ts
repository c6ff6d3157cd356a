import { operationNames, Type } from '@sluice/contract'
import { turn } from '@sluice/gateway/turns/turn.ts'
import type { Address, Exchange } from './address.ts'
import { addressOf, type AnyEndpoint } from './endpoint.ts'
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
import { parameter } from './openapi-endpoint.ts'
import { below } from './other-addresses.ts'
import { constant, described, integer, list, listOf, object, text, texts } from './shapes.ts'

const model = described(
  object({
    id: text,
    object: constant('model'),
    created: integer,
    owned_by: text,
    operations: texts,
  }),
  'Additional fields describe the model, such as its token limits.',
)

const geminiRecord = object({
  name: Type.String({ pattern: '^models/' }),
  version: text,
  displayName: text,
  description: text,
  inputTokenLimit: integer,
  outputTokenLimit: integer,
  supportedGenerationMethods: texts,
})

/** One caller per turn: a list of tens of thousands of models takes long. */
async function listed({ gateway, key }: Exchange, named?: string) {
  await turn()
  return gateway.current.routing.list(key, named)
}

async function offered(exchange: Exchange) {
  return offering(await listed(exchange), queryOf(exchange))
}

async function named(exchange: Exchange) {
  const { model = '' } = exchange.parameters
  return findListed(await listed(exchange, model), model)
}

function queryOf({ request }: Exchange): Query {
  return request.query as Query
}

/** Sends an object, or text that is already JSON. */
function sendJson({ reply }: Exchange, list: object | string): void {
  void reply.type('application/json; charset=utf-8').send(list)
}

const byOperation = {
  operation: parameter(
    { enum: operationNames },
    'Lists only the models that offer this operation.',
  ),
}

type Described = Pick<AnyEndpoint, 'operationId' | 'summary' | 'reply'>

/** The list and the records below one path. */
function modelsAt(
  path: string,
  { list: listing, record }: Readonly<Record<'list' | 'record', Described>>,
  serving: Readonly<Record<'list' | 'record', (exchange: Exchange) => Promise<void>>>,
): readonly Address[] {
  const facts = {
    method: 'GET',
    access: 'caller',
    uncounted: true,
    face: 'caller',
    tag: 'Models',
  } as const
  const endpoints: readonly AnyEndpoint[] = [
    {
      ...facts,
      ...listing,
      path,
      query: byOperation,
      send: (_, exchange) => serving.list(exchange),
    },
    {
      ...facts,
      ...record,
      path: `${path}/{model}`,
      send: (_, exchange) => serving.record(exchange),
    },
  ]
  return endpoints.map(addressOf)
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
      reply: object({ models: list(geminiRecord) }),
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
