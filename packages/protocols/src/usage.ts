import {
  countOf,
  type Fields,
  isObject,
  objectOf,
  readServerToolUse,
  serverToolCounts,
  someText,
  type Usage,
} from '@sluice/contract'

/**
 * Usage in the form of OpenAI-compatible upstreams: the names of chat completions (prompt_tokens) or of Responses
 * (input_tokens), with the cached part in the details, at the top (Moonshot's cached_tokens) or as prompt_cache_hit_tokens
 * (DeepSeek).
 *
 * If the total is more than prompt and completion, the rest is reasoning that the completion does not include (xAI, Google's
 * compatible endpoint); the internal form counts it as output. Perplexity reports the size of its search context.
 */
export function readUsage(value: unknown): Usage | undefined {
  if (!isObject(value)) return undefined
  const prompt = countOf(value['prompt_tokens']) ?? countOf(value['input_tokens'])
  const completion = countOf(value['completion_tokens']) ?? countOf(value['output_tokens'])
  const total = countOf(value['total_tokens'])
  if (prompt === undefined && completion === undefined && total === undefined) return undefined
  const inputTokens = prompt ?? Math.max(0, (total ?? 0) - (completion ?? 0))
  const outputTokens = Math.max(completion ?? 0, (total ?? 0) - inputTokens)
  return { inputTokens, outputTokens, ...details(value), ...serverTools(value), ...charge(value) }
}

/** The same for what writes nothing: embeddings and rerank. */
export function readInputUsage(value: unknown): Usage | undefined {
  const usage = readUsage(value)
  return usage && { ...usage, outputTokens: 0 }
}

/**
 * Where providers count the calls of their tools under separate names. Another field with the name of a count of calls counts
 * as a tool with this name: without a price for it the cost is unknown.
 */
const countNames: ReadonlyMap<string, string> = new Map([
  ['num_search_queries', 'web_search'],
  ['num_sources_used', 'source'],
])
const countName = /(?:calls|requests|searches|queries)$/

/** Objects with the counts of calls by tool. */
const countObjects: ReadonlySet<string> = new Set([
  'server_tool_use',
  'server_side_tool_usage_details',
  'server_side_tool_usage',
])

/**
 * Calls of the provider's tools: Perplexity's queries, xAI's sources and calls (`web_search_calls`), and OpenRouter's, which
 * uses Anthropic's names (docs.perplexity.ai, docs.x.ai and openrouter.ai, usage of a response).
 */
function serverTools(usage: Fields): Pick<Usage, 'serverToolCalls'> {
  const named: Record<string, number> = {}
  let isCounted = false
  for (const name in usage) {
    if (countObjects.has(name)) isCounted = true
    const tool = countNames.get(name) ?? (countName.test(name) ? name : undefined)
    const count = tool === undefined ? undefined : countOf(usage[name])
    if (tool === undefined || count === undefined || count === 0) continue
    named[tool] = count
    isCounted = true
  }
  if (!isCounted) return {}
  return serverToolCounts(
    named,
    readServerToolUse(usage['server_tool_use']),
    xaiCalls(usage['server_side_tool_usage_details'] ?? usage['server_side_tool_usage']),
  )
}

/** `{web_search_calls: 1}`, or `{SERVER_SIDE_TOOL_WEB_SEARCH: 1}`. */
function xaiCalls(counts: unknown): Readonly<Record<string, number>> {
  return Object.fromEntries(
    Object.entries(objectOf(counts)).flatMap(([name, said]) => {
      const tool = name.toLowerCase().replace(/^server_side_tool_|_calls$/g, '')
      const count = countOf(said)
      return count === undefined ? [] : [[xaiTools[tool] ?? tool, count]]
    }),
  )
}

/** xAI's unit of money (docs.x.ai, cost tracking). */
const ticksPerUsd = 10_000_000_000

/**
 * What the provider says that it charges: xAI's `cost_in_usd_ticks`, DeepInfra's `estimated_cost`, `cost` of OpenRouter and
 * `cost.total_cost` of Perplexity. With a key of the caller's own, OpenRouter charges only for its own work; the model's
 * provider charges the rest (openrouter.ai, usage accounting).
 */
function charge(usage: Fields): Pick<Usage, 'chargedUsd'> {
  const { cost_in_usd_ticks: ticks, estimated_cost: estimated, cost, is_byok: ownKey } = usage
  const reportedUsd =
    amountOf(cost) ?? amountOf(objectOf(cost)['total_cost']) ?? amountOf(estimated)
  const inTicks = amountOf(ticks)
  const usd = inTicks === undefined ? reportedUsd : inTicks / ticksPerUsd
  if (usd === undefined) return {}
  if (ownKey !== true) return { chargedUsd: usd }
  const elsewhere = amountOf(objectOf(usage['cost_details'])['upstream_inference_cost'])
  return elsewhere === undefined ? {} : { chargedUsd: usd + elsewhere }
}

function amountOf(said: unknown): number | undefined {
  return typeof said === 'number' && said >= 0 && said < largestCharge ? said : undefined
}

/** No call costs as much, so a larger number is no amount of money. */
const largestCharge = 1e15

const xaiTools: Readonly<Record<string, string>> = { code_interpreter: 'code_execution' }

type DetailCount =
  | 'cachedInputTokens'
  | 'cacheWriteTokens'
  | 'longCacheWriteTokens'
  | 'audioInputTokens'
  | 'imageInputTokens'
  | 'reasoningTokens'
  | 'audioOutputTokens'
  | 'imageOutputTokens'
type Details = { -readonly [Name in DetailCount | 'size']?: Usage[Name] }

type Place = 'input' | 'output' | 'usage' | 'kinds' | 'lives'

/** Where upstreams put each count: in the details of input or output, or beside the totals. The first one found counts. */
const detailPlaces: readonly (readonly [DetailCount, Place, string])[] = [
  ['cachedInputTokens', 'input', 'cached_tokens'],
  ['cachedInputTokens', 'usage', 'cached_tokens'],
  ['cachedInputTokens', 'usage', 'prompt_cache_hit_tokens'],
  ['cacheWriteTokens', 'input', 'cache_write_tokens'],
  ['longCacheWriteTokens', 'kinds', 'ephemeral_1h_input_tokens'],
  ['longCacheWriteTokens', 'lives', 'ttl_12h_tokens'],
  ['audioInputTokens', 'input', 'audio_tokens'],
  ['imageInputTokens', 'input', 'image_tokens'],
  ['reasoningTokens', 'output', 'reasoning_tokens'],
  ['reasoningTokens', 'usage', 'reasoning_tokens'],
  ['audioOutputTokens', 'output', 'audio_tokens'],
  ['imageOutputTokens', 'output', 'image_tokens'],
]

function details(usage: Fields): Omit<Usage, 'inputTokens' | 'outputTokens'> {
  const input = objectOf(
    usage['prompt_tokens_details'] ?? usage['input_tokens_details'] ?? usage['input_token_details'],
  )
  const output = objectOf(
    usage['completion_tokens_details'] ??
      usage['output_tokens_details'] ??
      usage['output_token_details'],
  )
  const kinds = objectOf(input['cache_creation_token_details'])
  const lives = objectOf(input['cache_write_tokens_details'])
  const places: Readonly<Record<Place, Fields>> = { input, output, usage, kinds, lives }
  const found: Details = {}
  for (const [name, place, field] of detailPlaces) {
    const count = found[name] === undefined ? countOf(places[place][field]) : undefined
    if (count !== undefined) found[name] = count
  }
  const size = someText(usage['search_context_size'])
  if (size !== undefined) found.size = size
  return found
}

/** The usage of a whole chat or text completion, or of a chunk. Groq and Moonshot put it in other places. */
export function usageIn(body: Fields): Usage | undefined {
  const choices = body['choices']
  return servedAs(
    body['service_tier'],
    readUsage(body['usage']) ??
      readUsage(objectOf(body['x_groq'])['usage']) ??
      (Array.isArray(choices) ? readUsage(objectOf(choices[0])['usage']) : undefined),
  )
}

/** Tiers, speeds and places with the usual price. */
const usualTiers: ReadonlySet<string> = new Set([
  'auto',
  'default',
  'standard',
  'on_demand',
  'unspecified',
  'global',
  'not_available',
])

/**
 * The usage with everything that gives the call another price, joined by `+`: the service tier, such as `flex`, and what a
 * provider reports beside it.
 */
export function servedAs<U extends Usage | undefined>(said: unknown, usage: U): U {
  if (usage === undefined || said == null) return usage
  const tiers = [said]
    .flat()
    .filter((tier): tier is string => typeof tier === 'string' && tier !== '')
    .filter((tier) => !usualTiers.has(tier))
  return tiers.length === 0 ? usage : { ...usage, serviceTier: tiers.join('+') }
}
