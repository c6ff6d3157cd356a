import {
  findListed,
  geminiList,
  geminiModel,
  modelList,
  modelRecord,
  openAiModel,
} from './models.ts'
import { answer, listOf, object, text } from './openapi-written.ts'
import type { Address, Exchange } from './address.ts'

const integer = { type: 'integer' }

const model = {
  ...object({ id: text, object: { const: 'model' }, created: integer, owned_by: text }),
  description: 'Further fields tell what is known of the model, such as its token limits.',
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

async function listed({ gateway, key }: Exchange) {
  return gateway.routing().list(key)
}

/** The three model lists and their records. */
export const modelAddresses: readonly Address[] = [
  {
    method: 'GET',
    path: '/v1/models',
    access: 'caller',
    description: {
      operationId: 'listModels',
      summary: 'List the models that the key may use',
      tags: ['Models'],
      reply: answer(listOf(model)),
    },
    async serve(exchange) {
      exchange.reply.send(modelList(exchange.request, await listed(exchange)))
    },
  },
  {
    method: 'GET',
    path: '/v1/models/{model}',
    access: 'caller',
    description: {
      operationId: 'getModel',
      summary: 'Look up a model',
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
    description: {
      operationId: 'listModelRecords',
      summary: 'List the models in the record style of Gemini',
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
    description: {
      operationId: 'getModelRecord',
      summary: 'Look up a model in the record style of Gemini',
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
    description: {
      operationId: 'listModelsForOpenAi',
      summary: 'List the models where OpenAI clients look that were set up for Gemini',
      tags: ['Models'],
      reply: answer(listOf(model)),
    },
    async serve(exchange) {
      exchange.reply.send({ object: 'list', data: (await listed(exchange)).map(openAiModel) })
    },
  },
]
