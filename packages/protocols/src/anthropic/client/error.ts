import { type GatewayError, objectOf } from '@sluice/contract'
import { pathOfSearch } from '../../search-domains.ts'
import { pathOfServerTool } from '../../tools/offered-server-tools.ts'
import type { CountTokensRequest } from './schema.ts'
import { isOwn, searchPath, searchWords, serverTools } from './tools.ts'

/** Error types by status (Claude docs, API errors). */
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

/** Anthropic's error body. It has no field for a path, so the message begins with it. */
export function errorBody(error: GatewayError, requestId?: string): object {
  const { status, message, details } = error
  const param = details.param === undefined ? undefined : paramOf(details.param)
  const named = param === undefined || message.includes(param)
  return {
    type: 'error',
    error: {
      type: types[status] ?? (status < 500 ? 'invalid_request_error' : 'api_error'),
      message: named ? message : `${param}: ${message}`,
    },
    ...(requestId === undefined ? {} : { request_id: requestId }),
  }
}

/** Canonical fields by what they are called in the Messages API. */
const names: Readonly<Record<string, string>> = {
  user: 'metadata.user_id',
  response_format: 'output_config.format',
  reasoning_effort: 'output_config.effort',
  thinking_budget: 'thinking.budget_tokens',
  parallel_tool_calls: 'tool_choice.disable_parallel_tool_use',
  max_completion_tokens: 'max_tokens',
}

/** Only canonical paths hold `.function`, and count the caller's own tools alone. */
function pathOfTool(rest: string, tools: CountTokensRequest['tools'] | undefined): string {
  const [, place, inner = ''] = /^\[(\d+)\]\.function(.*)$/.exec(rest) ?? []
  if (place === undefined) return `tools${rest}`
  const own = (tools ?? []).flatMap((tool, index) => (isOwn(tool) ? [index] : []))
  return `tools[${own[Number(place)] ?? place}]${inner.replace('.parameters', '.input_schema')}`
}

/** What only canonical paths into messages hold. */
const canonicalTail = /\.(image_url|file|input_audio|video_url|tool_calls|tool_call_id|refusal)\b/

/**
 * The path of a canonical field in the Messages API; paths that are its own already stay. Messages are split and moved
 * on the way to the canonical form, so that of a path into them only the field is sure.
 */
export function paramOf(canonical: string, request?: unknown): string {
  // The schema of the format has been applied.
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
  return names[field] ?? canonical
}
