import { type UsageRecord, usdOf } from '@sluice/contract'
import type { CallEnd } from '@sluice/gateway/call/call.ts'
import type { AttemptEnd } from '@sluice/gateway/observe/observers.ts'
import type { SpanContent } from './content-thread.ts'
import { genAi, operationWord, type ProviderName } from './gen-ai.ts'

type Attributes = Record<string, string | number | boolean | string[]>

/** Callers can write anything as a path or model name, so these are cut. */
const shownMax = 200

/** The name of a span by the conventions, such as `chat gpt-6-sol`. */
export function callName({ format, call }: CallEnd): string {
  const word = format ? operationWord(format.operation) : 'request'
  const model = call?.request.model
  return typeof model === 'string' ? `${word} ${model.slice(0, shownMax)}` : word
}

export function attemptName({ begun }: AttemptEnd): string {
  return `${operationWord(begun.operation)} ${begun.model.slice(0, shownMax)}`
}

/** Attributes of a call, without its prompt and response. */
export function callAttributes(
  { id, method, path, status, format, key, call, failure }: CallEnd,
  providerName: ProviderName,
): Attributes {
  const attributes: Attributes = {
    'http.request.method': method,
    'url.path': path.slice(0, shownMax),
    'http.response.status_code': status,
    'sluice.call.id': id,
  }
  if (format) {
    attributes[genAi.operation] = operationWord(format.operation)
    attributes['sluice.client_format'] = format.id
  }
  if (key) attributes['sluice.key.id'] = key.id
  for (const [name, owner] of Object.entries(key?.owners ?? {}))
    attributes[`sluice.${name.replace('Id', '')}.id`] = owner
  if (failure !== undefined) attributes[genAi.errorType] = failure
  if (!call) return attributes
  const { trail, stream, tags } = call
  const { model } = call.request
  if (typeof model === 'string') attributes[genAi.requestModel] = model.slice(0, shownMax)
  if (trail.provider !== undefined) attributes[genAi.provider] = providerName(trail.provider)
  if (trail.model !== undefined) attributes[genAi.responseModel] = trail.model.slice(0, shownMax)
  if (trail.usage) addUsage(attributes, trail.usage)
  if (trail.firstContentMs !== undefined)
    attributes['sluice.time_to_first_token_ms'] = trail.firstContentMs
  if (tags.length > 0) attributes['sluice.tags'] = [...tags]
  if (trail.unknownCosts === 0) attributes['sluice.cost_usd'] = usdOf(trail.cost)
  attributes['sluice.stream'] = stream
  attributes['sluice.attempts'] = trail.attempts
  return attributes
}

/** The masked prompt and response. */
export function contentAttributes(content: SpanContent | undefined): Attributes {
  if (!content) return {}
  const { input, output, system } = content
  return {
    [genAi.inputMessages]: input,
    [genAi.outputMessages]: output,
    ...(system !== undefined && { [genAi.systemInstructions]: system }),
  }
}

/** Attributes of an attempt. */
export function attemptAttributes(
  { begun, ended, cost, target, firstContentMs, error }: AttemptEnd,
  providerName: ProviderName,
): Attributes {
  const attributes: Attributes = {
    [genAi.operation]: operationWord(begun.operation),
    [genAi.provider]: providerName(target.providerId),
    [genAi.requestModel]: begun.model.slice(0, shownMax),
    'sluice.provider': target.providerId,
    'sluice.attempt': begun.attempt,
    'sluice.outcome': ended.outcome,
  }
  if (ended.inputTokens > 0 || ended.outputTokens > 0) addUsage(attributes, ended)
  if (cost !== undefined) attributes['sluice.cost_usd'] = usdOf(cost)
  if (firstContentMs !== undefined) attributes['sluice.time_to_first_token_ms'] = firstContentMs
  if (error) {
    attributes[genAi.errorType] = error.code
    const { upstreamStatus, upstreamRequestId } = error.details
    if (upstreamStatus !== undefined) attributes['http.response.status_code'] = upstreamStatus
    if (upstreamRequestId !== undefined)
      attributes['sluice.upstream_request_id'] = upstreamRequestId.slice(0, shownMax)
  }
  return attributes
}

function addUsage(
  attributes: Attributes,
  usage: Pick<
    UsageRecord,
    'inputTokens' | 'outputTokens' | 'cachedInputTokens' | 'cacheWriteTokens'
  >,
): void {
  attributes[genAi.inputTokens] = usage.inputTokens
  attributes[genAi.outputTokens] = usage.outputTokens
  if (usage.cachedInputTokens !== undefined)
    attributes[genAi.cachedInputTokens] = usage.cachedInputTokens
  if (usage.cacheWriteTokens !== undefined)
    attributes[genAi.cacheWriteTokens] = usage.cacheWriteTokens
}
