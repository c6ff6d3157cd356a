import { type GatewayError, objectOf } from '@sluice/contract'
import { pathOfSearch } from '../../search-domains.ts'
import { pathsOfCallersTools } from '../../tools/callers-tools.ts'
import { pathOfServerTool } from '../../tools/offered-server-tools.ts'
import type { CountTokensRequest } from './schema.ts'
import { isOwn, searchPath, searchWords, serverTools } from './tools.ts'

/** Error types by status (Claude docs, API errors). An error that an upstream reports may have another: `typeOf`. */
const types: Readonly<Record<number, string>> = {
  400: 'invalid_request_error',
  401: 'authentication_error',
  402: 'billing_error',
  403: 'permission_error',
  404: 'not_found_error',
  409: 'conflict_error',
  413: 'request_too_large',
  429: 'rate_limit_error',
  500: 'api_error',
  502: 'api_error',
  503: 'overloaded_error',
  504: 'timeout_error',
  529: 'overloaded_error',
}

/** The statuses with which upstreams report that they are overloaded. */
const overloads: ReadonlySet<number> = new Set([503, 529])

/** The gateway's 503 also stands for failures of an upstream that do not mean overload. */
function typeOf({ status, details }: GatewayError): string {
  const { upstreamStatus = 503, upstreamCode = '' } = details
  const isOverload = overloads.has(upstreamStatus) || /overload/i.test(upstreamCode)
  if (status === 503 && !isOverload) return 'api_error'
  return types[status] ?? (status < 500 ? 'invalid_request_error' : 'api_error')
}

/** Anthropic's error body. It has no field for the parameter, so the message begins with it. */
export function errorBody(error: GatewayError, requestId?: string): object {
  const { details } = error
  const message = knownWords(error)
  const param = details.param === undefined ? undefined : paramOf(details.param)
  const named = param === undefined || message.includes(param)
  return {
    type: 'error',
    error: {
      type: typeOf(error),
      message: named ? message : `${param}: ${message}`,
      ...(details.readable === undefined ? {} : { details: details.readable }),
    },
    ...(requestId === undefined ? {} : { request_id: requestId }),
  }
}

/**
 * The API has no code for a prompt that is too long: clients that then compact the conversation look for these words, which other
 * upstreams do not use.
 */
function knownWords({ code, message, publicCode }: GatewayError): string {
  const isOthers = code === 'upstream_rejected' && publicCode === 'context_length_exceeded'
  const isKnown = /prompt is too long|exceed context limit/i.test(message)
  return isOthers && !isKnown ? `prompt is too long: ${message}` : message
}

/** Canonical field names and their counterparts in the Messages API. */
const names: Readonly<Record<string, string>> = {
  user: 'metadata.user_id',
  response_format: 'output_config.format',
  reasoning_effort: 'output_config.effort',
  thinking_budget: 'thinking.budget_tokens',
  parallel_tool_calls: 'tool_choice.disable_parallel_tool_use',
  max_completion_tokens: 'max_tokens',
}

/** Only canonical paths contain `.function`; their indexes count the caller's own tools, and then Anthropic's that it runs. */
function pathOfTool(rest: string, tools: CountTokensRequest['tools'] | undefined): string {
  const [, place, inner = ''] = /^\[(\d+)\]\.function(.*)$/.exec(rest) ?? []
  if (place === undefined) return `tools${rest}`
  const own = (tools ?? []).flatMap((tool, index) => (isOwn(tool) ? [`tools[${index}]`] : []))
  const found = [...own, ...pathsOfCallersTools(serverTools(tools))][Number(place)]
  return (found ?? `tools[${place}]`) + inner.replace('.parameters', '.input_schema')
}

/** Found only in canonical message paths. */
const canonicalTail = /\.(image_url|file|input_audio|video_url|tool_calls|tool_call_id|refusal)\b/

/**
 * Converts the path of a canonical field to the Messages API; paths in that API are returned unchanged. Messages are split and
 * moved when they are translated, so for paths into them only the field is certain.
 */
export function paramOf(canonical: string, request?: unknown): string {
  // The request was validated with the format's schema.
  const { tools } = objectOf(request) as Partial<CountTokensRequest>
  const server = pathOfServerTool(canonical, () => serverTools(tools))
  if (server !== undefined) return server
  const search = pathOfSearch(canonical, () => searchPath(tools), searchWords)
  if (search !== undefined) return search
  const field = /^[a-z_]+/.exec(canonical)?.[0] ?? canonical
  const rest = canonical.slice(field.length)
  if (field === 'messages') return canonicalTail.test(rest) ? field : canonical
  if (field === 'tools') return pathOfTool(rest, tools)
  if (field === 'stop') return `stop_sequences${rest}`
  if (field === 'tool_choice') return field + rest.replace('.function', '')
  return names[field] ?? canonical
}
