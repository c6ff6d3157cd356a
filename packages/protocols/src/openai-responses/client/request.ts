import { type ChatRequest, type Fields, GatewayError, type Message } from '@sluice/contract'
import { messagesOf } from './messages.ts'
import type { ResponsesRequest } from './schema.ts'
import { responseNotFound } from './history.ts'
import { wrappedFormat } from '../text-format.ts'
import { withoutSearch, wrappedChoice, wrappedTool } from '../tools.ts'

const lacking = [
  'background',
  'conversation',
  'prompt',
  'context_management',
  'moderation',
] as const

/** A Responses request as the canonical chat request. Throws where it asks for what chat cannot say. */
export function canonicalOf(request: ResponsesRequest): ChatRequest {
  refuseLacking(request)
  const { instructions, reasoning, text } = request
  const { tools, search } = withoutSearch(request.tools ?? [])
  const head = instructions == null ? [] : [{ role: 'system' as const, content: instructions }]
  const format = text?.format == null ? undefined : wrappedFormat(text.format)
  const messages: Message[] = [...head, ...messagesOf(request.input)]
  return withoutNulls(request.model, messages, {
    tools: tools.length > 0 ? tools.map(({ tool, path }) => wrappedTool(tool, path)) : null,
    web_search_options: search,
    tool_choice: request.tool_choice == null ? null : wrappedChoice(request.tool_choice),
    parallel_tool_calls: request.parallel_tool_calls,
    response_format: format,
    verbosity: text?.verbosity,
    reasoning_effort: reasoning?.effort,
    max_completion_tokens: request.max_output_tokens,
    temperature: request.temperature,
    top_p: request.top_p,
    ...logprobs(request),
    stream: request.stream,
    user: request.user,
    safety_identifier: request.safety_identifier,
    prompt_cache_key: request.prompt_cache_key,
    service_tier: request.service_tier,
    metadata: request.metadata,
  })
}

function refuseLacking(request: ResponsesRequest): void {
  for (const name of lacking)
    if (request[name] != null && request[name] !== false)
      throw new GatewayError('unsupported_parameter', `${name} is not supported`, { param: name })
  if (request.truncation === 'auto')
    throw new GatewayError('unsupported_value', 'truncation auto is not supported', {
      param: 'truncation',
    })
  // The conversation so far is put before the input where the response is known; what is left here is unknown.
  if (request.previous_response_id != null) throw responseNotFound(request.previous_response_id)
}

function logprobs({ include, top_logprobs: top }: ResponsesRequest): Fields {
  if (include?.includes('message.output_text.logprobs') !== true) return {}
  return { logprobs: true, top_logprobs: top }
}

function withoutNulls(model: string, messages: Message[], fields: Fields): ChatRequest {
  const given = Object.entries(fields).filter(([, value]) => value !== null && value !== undefined)
  return { model, messages, ...Object.fromEntries(given) }
}

/** Chat's fields in this format's words; what has no counterpart came from the input. */
const params: Readonly<Record<string, string>> = {
  max_completion_tokens: 'max_output_tokens',
  max_tokens: 'max_output_tokens',
  reasoning_effort: 'reasoning.effort',
  verbosity: 'text.verbosity',
  response_format: 'text.format',
  logprobs: 'include',
  messages: 'input',
  web_search_options: 'tools',
}

/** The path in this format of a canonical field. Messages are gathered from items, so their indexes are not kept. */
export function paramOf(canonical: string): string {
  const name = /^[a-z_]+/.exec(canonical)?.[0] ?? canonical
  if (name === 'messages') return 'input'
  const rest = canonical.slice(name.length)
  if (name === 'tools') return `tools${rest.replace(/\.(function|custom)(?=\.)/, '')}`
  if (name === 'response_format') return `text.format${rest.replace('.json_schema', '')}`
  return `${params[name] ?? name}${rest}`
}
