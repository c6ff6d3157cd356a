import { invalidRequest, type OperationName, operationNames } from '@sluice/contract'
import { claudeFacts } from '@sluice/protocols/anthropic/client/model-capabilities.ts'
import type { FastifyRequest } from 'fastify'
import { didYouMean } from '@sluice/gateway/settings/similar-name.ts'
import type { ListedModel } from '@sluice/gateway/route/routing.ts'
import { unknownModel } from '@sluice/gateway/route/unknown-model.ts'
import { isAnthropicsClient, isGooglesClient } from './face.ts'
import { one, whole } from './query.ts'

/** GET /v1/models in the format indicated by the caller's headers (OpenAI, Anthropic or Gemini). */
export function modelList(
  request: FastifyRequest,
  models: readonly ListedModel[],
): object | string {
  const query = request.query as Query
  if (isAnthropicsClient(request)) return anthropicList(models, query)
  return isGooglesClient(request) ? geminiList(models, query) : openAiList(models)
}

/** GET /v1/models/{id} in the format indicated by the caller's headers. */
export function modelRecord(request: FastifyRequest, model: ListedModel): object {
  if (isAnthropicsClient(request)) return anthropicModel(model)
  return isGooglesClient(request) ? geminiModel(model) : openAiModel(model)
}

/** By name; a repeated name has a list of values. */
export type Query = Readonly<Record<string, unknown>>

/** The models that offer the operation named in the query; without one, all. */
export function offering(models: readonly ListedModel[], query: Query): readonly ListedModel[] {
  const asked = one(query, 'operation')
  if (asked === undefined) return models
  const operation = operationNames.find((name) => name === asked)
  if (operation === undefined)
    throw invalidRequest(`operation must be one of ${operationNames.join(', ')}`, 'operation')
  return models.filter(({ operations }) => operations.includes(operation))
}

/** Returns JSON text: there may be tens of thousands of models, and the text of each is cached. */
export function openAiList(models: readonly ListedModel[]): string {
  return `{"object":"list","data":[${models.map(openAiText).join()}]}`
}

const openAiTexts = new WeakMap<ListedModel, string>()

function openAiText(model: ListedModel): string {
  const known = openAiTexts.get(model)
  if (known !== undefined) return known
  const text = JSON.stringify(openAiModel(model))
  openAiTexts.set(model, text)
  return text
}

/** Description, token limits and operations are additions to OpenAI's record. */
export function openAiModel(model: ListedModel) {
  return {
    id: model.id,
    object: 'model',
    created: model.created,
    owned_by: model.ownedBy,
    description: model.description,
    context_window: model.inputTokenLimit ?? null,
    max_output_tokens: model.outputTokenLimit ?? null,
    operations: model.operations,
    ...(model.retiresOn !== undefined && { shutdown_date: model.retiresOn }),
  }
}

/** All members that Anthropic's types require (ModelInfo of its SDKs), for every version of its API. */
function anthropicModel(model: ListedModel) {
  // The gateway's own names say nothing of the model behind them.
  const { line, capabilities } = claudeFacts(model.ownedBy === 'sluice' ? '' : model.id)
  return {
    type: 'model',
    id: model.id,
    display_name: model.displayName,
    created_at: new Date(model.created * 1000).toISOString(),
    lifecycle: lifecycleOf(model),
    deprecated_at: null,
    retires_at: model.retiresOn === undefined ? null : `${model.retiresOn}T00:00:00Z`,
    line,
    max_input_tokens: model.inputTokenLimit ?? null,
    max_tokens: model.outputTokenLimit ?? null,
    capabilities,
  }
}

const lifecycles: readonly unknown[] = ['active', 'deprecated', 'retired']

/** Providers list only models that can be used, so none is retired. */
function lifecycleOf({ retiresOn }: ListedModel): 'active' | 'deprecated' {
  return retiresOn === undefined ? 'active' : 'deprecated'
}

/** The models in one of the stages named in the query; without any, all. */
function inLifecycle(models: readonly ListedModel[], query: Query): readonly ListedModel[] {
  const asked = [query['lifecycle'], query['lifecycle[]']].flat().filter((one) => one !== undefined)
  if (!asked.every((one) => lifecycles.includes(one)))
    throw invalidRequest(`lifecycle must be one of ${lifecycles.join(', ')}`, 'lifecycle')
  return asked.length === 0 ? models : models.filter((model) => asked.includes(lifecycleOf(model)))
}

/** Pages by id (Anthropic API, list models): limit 1 to 1,000, default 20. */
function anthropicList(all: readonly ListedModel[], query: Query) {
  const limit = whole(one(query, 'limit'), 'limit', { minimum: 1, maximum: 1000, fallback: 20 })
  const models = inLifecycle(all, query)
  const after = placeOf('after_id', query, models)
  const before = placeOf('before_id', query, models)
  const start = after === undefined ? 0 : after + 1
  const end = Math.min(before ?? models.length, models.length)
  const from = before === undefined ? start : Math.max(start, end - limit)
  const page = models.slice(from, Math.min(end, from + limit))
  return {
    data: page.map(anthropicModel),
    first_id: page[0]?.id ?? null,
    last_id: page.at(-1)?.id ?? null,
    has_more: before === undefined ? from + page.length < models.length : from > start,
  }
}

/** The place of a cursor in the list. One that names no model has no place, and any page would be wrong. */
function placeOf(
  name: 'after_id' | 'before_id',
  query: Query,
  models: readonly ListedModel[],
): number | undefined {
  const id = one(query, name)
  if (id === undefined || id === '') return undefined
  const place = models.findIndex((model) => model.id === id)
  if (place >= 0) return place
  throw invalidRequest(`${name} names no model of this list`, name)
}

const methods: Readonly<Record<OperationName, readonly string[]>> = {
  chat: ['generateContent', 'countTokens', 'streamGenerateContent'],
  complete: [],
  embed: ['embedContent', 'batchEmbedContents'],
  rerank: ['rerank'],
  moderate: ['moderate'],
  transcribe: ['transcribe'],
  translate: ['translate'],
  speak: ['speak'],
  createImage: ['generateImages'],
  editImage: ['editImages'],
  createVideo: ['predictLongRunning'],
  getVideo: [],
  downloadVideo: [],
}

/** A record of GET /v1beta/models (contract, Model list record). An unknown limit is 0. */
export function geminiModel(model: ListedModel) {
  return {
    name: `models/${model.id}`,
    version: '1',
    displayName: model.displayName,
    description: model.description,
    inputTokenLimit: model.inputTokenLimit ?? 0,
    outputTokenLimit: model.outputTokenLimit ?? 0,
    supportedGenerationMethods: model.operations.flatMap((operation) => methods[operation]),
  }
}

/**
 * Google's paging with pageSize up to 1,000, which is also the default; the contract's list has no pages. The token holds the
 * start of the next page.
 */
export function geminiList(models: readonly ListedModel[], query: Query) {
  const size = whole(one(query, 'pageSize'), 'pageSize', {
    minimum: 1,
    maximum: Number.MAX_SAFE_INTEGER,
    fallback: 1000,
  })
  const start = pageStart(one(query, 'pageToken'))
  const end = start + Math.min(size, 1000)
  return {
    models: models.slice(start, end).map(geminiModel),
    ...(end < models.length && { nextPageToken: Buffer.from(`from:${end}`).toString('base64url') }),
  }
}

function pageStart(token: string | undefined): number {
  if (token === undefined || token === '') return 0
  const text = Buffer.from(token, 'base64url').toString('utf8')
  const start = /^from:(\d{1,9})$/.exec(text)?.[1]
  if (start === undefined) throw invalidRequest('pageToken is invalid', 'pageToken')
  return Number(start)
}

export function findListed(models: readonly ListedModel[], id: string): ListedModel {
  const found = models.find((model) => model.id === id)
  if (found) return found
  const suggestion = didYouMean(
    id,
    models.map((model) => model.id),
  )
  throw unknownModel(id, suggestion)
}
