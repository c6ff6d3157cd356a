import {
  findListed,
  geminiList,
  geminiModel,
  modelList,
  modelRecord,
  openAiModel,
} from './models.ts'
import type { Address, Exchange } from './address.ts'

async function listed({ gateway, key }: Exchange) {
  return gateway.routing().list(key)
}

/** The three model lists and their records. */
export const modelAddresses: readonly Address[] = [
  {
    method: 'GET',
    path: '/v1/models',
    access: 'caller',
    async serve(exchange) {
      exchange.reply.send(modelList(exchange.request, await listed(exchange)))
    },
  },
  {
    method: 'GET',
    path: '/v1/models/{model}',
    access: 'caller',
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
    async serve(exchange) {
      const query = exchange.request.query as Readonly<Record<string, string | undefined>>
      exchange.reply.send(geminiList(await listed(exchange), query))
    },
  },
  {
    method: 'GET',
    path: '/v1beta/models/{model}',
    access: 'caller',
    async serve(exchange) {
      const found = findListed(await listed(exchange), exchange.parameters['model'] ?? '')
      exchange.reply.send(geminiModel(found))
    },
  },
  {
    method: 'GET',
    path: '/v1beta/openai/models',
    access: 'caller',
    async serve(exchange) {
      exchange.reply.send({ object: 'list', data: (await listed(exchange)).map(openAiModel) })
    },
  },
]
