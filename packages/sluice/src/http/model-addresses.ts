import { turn } from '../gateway/turns.ts'
import type { Address, Exchange } from './address.ts'
import {
  findListed,
  geminiList,
  geminiModel,
  modelList,
  modelRecord,
  openAiList,
} from './models.ts'
import { answer, listOf, object, text } from './openapi-written.ts'

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
  return gateway.routing().list(key)
}

/** Sends an object, or text that is already JSON. */
function sendJson({ reply }: Exchange, list: object | string): void {
  void reply.type('application/json; charset=utf-8').send(list)
}

/** The three model lists and their records. */
export const modelAddresses: readonly Address[] = [
  {
    method: 'GET',
    path: '/v1/models',
    access: 'caller',
    uncounted: true,
    description: {
      operationId: 'listModels',
      summary: 'List the models available to the key',
      tags: ['Models'],
      reply: answer(listOf(model)),
    },
    async serve(exchange) {
      sendJson(exchange, modelList(exchange.request, await listed(exchange)))
    },
  },
  {
    method: 'GET',
    path: '/v1/models/{model}',
    access: 'caller',
    uncounted: true,
    description: {
      operationId: 'getModel',
      summary: 'Retrieve a model',
      tags: ['Models'],
      reply: answer(model),
    },
    async serve(exchange) {
      const { reply, request, parameters } = exchange
      const found = findListed(await listed(exchange), parameters['model'] ?? '')
      reply.send(modelRecord(request, found))
    },
  },
  {
    method: 'GET',
    path: '/v1beta/models',
    access: 'caller',
    uncounted: true,
    description: {
      operationId: 'listModelRecords',
      summary: 'List models in Gemini’s format',
      tags: ['Models'],
      reply: answer(object({ models: { type: 'array', items: geminiRecord } })),
    },
    async serve(exchange) {
      const query = exchange.request.query as Readonly<Record<string, string | undefined>>
      exchange.reply.send(geminiList(await listed(exchange), query))
    },
  },
  {
    method: 'GET',
    path: '/v1beta/models/{model}',
    access: 'caller',
    uncounted: true,
    description: {
      operationId: 'getModelRecord',
      summary: 'Retrieve a model in Gemini’s format',
      tags: ['Models'],
      reply: answer(geminiRecord),
    },
    async serve(exchange) {
      const found = findListed(await listed(exchange), exchange.parameters['model'] ?? '')
      exchange.reply.send(geminiModel(found))
    },
  },
  {
    method: 'GET',
    path: '/v1beta/openai/models',
    access: 'caller',
    uncounted: true,
    description: {
      operationId: 'listModelsForOpenAi',
      summary: 'List models in OpenAI’s format, for clients of Gemini’s OpenAI compatibility',
      tags: ['Models'],
      reply: answer(listOf(model)),
    },
    async serve(exchange) {
      sendJson(exchange, openAiList(await listed(exchange)))
    },
  },
]
