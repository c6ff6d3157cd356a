import { invalidRequest, type OperationName } from '@sluice/contract'
import type { FastifyRequest } from 'fastify'
import { didYouMean } from '../config/similar-name.ts'
import type { ListedModel } from '../gateway/route/routing.ts'
import { unknownModel } from '../gateway/route/unknown-model.ts'

/** GET /v1/models in the format indicated by the caller's headers (OpenAI, Anthropic or Gemini). */
export function modelList(
  request: FastifyRequest,
  models: readonly ListedModel[],
): object | string {
  const { headers } = request
  const query = request.query as Query
  if (headers['anthropic-version'] !== undefined && headers['x-api-key'] !== undefined)
    return anthropicList(models, query)
  return hasGoogleKey(request) ? geminiList(models, query) : openAiList(models)
}

/** GET /v1/models/{id} in the format indicated by the caller's headers. */
export function modelRecord(request: FastifyRequest, model: ListedModel): object {
  if (request.headers['anthropic-version'] !== undefined) return anthropicModel(model)
  return hasGoogleKey(request) ? geminiModel(model) : openAiModel(model)
}

type Query = Readonly<Record<string, string | undefined>>

/** Google's client also uses /v1; only its key distinguishes it. */
function hasGoogleKey({ headers, query }: FastifyRequest): boolean {
  return headers['x-goog-api-key'] !== undefined || (query as Query)['key'] !== undefined
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
function openAiModel(model: ListedModel) {
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

function anthropicModel(model: ListedModel) {
  return {
    type: 'model',
    id: model.id,
    display_name: model.displayName,
    created_at: new Date(model.created * 1000).toISOString(),
    max_input_tokens: model.inputTokenLimit ?? null,
    max_tokens: model.outputTokenLimit ?? null,
  }
}

/** Pages by id (Anthropic API, list models): limit 1 to 1,000, default 20. */
function anthropicList(models: readonly ListedModel[], query: Query) {
  const limit = whole(query['limit'], 'limit', { minimum: 1, maximum: 1000, fallback: 20 })
  const after = query['after_id']
  const before = query['before_id']
  const ids = models.map(({ id }) => id)
  const start = after === undefined ? 0 : ids.indexOf(after) + 1
  const end = before === undefined ? models.length : Math.max(0, ids.indexOf(before))
  const from = before === undefined ? start : Math.max(start, end - limit)
  const page = models.slice(from, Math.min(end, from + limit))
  return {
    data: page.map(anthropicModel),
    first_id: page[0]?.id ?? null,
    last_id: page.at(-1)?.id ?? null,
    has_more: before === undefined ? from + page.length < models.length : from > 0,
  }
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
  const size = whole(query['pageSize'], 'pageSize', {
    minimum: 1,
    maximum: Number.MAX_SAFE_INTEGER,
    fallback: 1000,
  })
  const start = pageStart(query['pageToken'])
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

/** A query parameter. A repeated one is refused as ambiguous. */
export function one(query: unknown, name: string): string | undefined {
  const value = (query as Readonly<Record<string, unknown>>)[name]
  if (value === undefined || typeof value === 'string') return value
  throw invalidRequest(`${name} is given more than once`, name)
}

export function whole(
  text: string | undefined,
  param: string,
  { minimum, maximum, fallback }: { minimum: number; maximum: number; fallback: number },
): number {
  if (text === undefined || text === '') return fallback
  const value = Number(text)
  if (!Number.isInteger(value) || value < minimum || value > maximum)
    throw invalidRequest(`${param} must be a whole number of at least ${minimum}`, param)
  return value
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
