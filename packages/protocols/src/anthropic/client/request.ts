import {
  type ChatRequest,
  type Fields,
  GatewayError,
  invalidRequest,
  isObject,
  type Message,
} from '@sluice/contract'
import { applyFormatDecisions, type FormatDecisions } from '../../decisions.ts'
import { isNeutral } from '../../neutral-values.ts'
import type { FormatContext } from '../../protocol.ts'
import { canonicalMessages } from './messages.ts'
import {
  type CountTokensRequest,
  type MessagesRequest,
  MessagesRequest as MessagesSchema,
} from './schema.ts'
import { isStrictSchema } from './strict-schema.ts'
import { offeredTools } from './tools.ts'

const decisions: FormatDecisions<MessagesRequest> = {
  model: 'sent',
  messages: 'sent',
  system: 'sent',
  tools: 'sent',
  tool_choice: 'sent',
  thinking: 'sent',
  output_config: 'sent',
  output_format: 'sent',
  mcp_servers: 'refused',
  max_tokens: 'sent',
  temperature: 'sent',
  top_p: 'sent',
  top_k: 'sent',
  stop_sequences: 'sent',
  stream: 'sent',
  metadata: 'sent',
  service_tier: 'sent',
  container: 'refused',
  inference_geo: 'refused',
  cache_control: 'hint',
}

/**
 * Converts a Messages request to the canonical form. Features that only Anthropic supports are refused with their path: its
 * own tools, MCP servers, containers, regions. Those that only save cost or shorten the context (`context_management`,
 * `speed`, automatic caching) have no meaning elsewhere and are left out.
 */
export function toCanonical(request: MessagesRequest, context: Context): ChatRequest {
  if (request.max_tokens === 0)
    throw invalidRequest("'max_tokens' must be at least 1", 'max_tokens')
  applyFormatDecisions(MessagesSchema, request, decisions, context)
  const { stop_sequences: stop, metadata, service_tier: tier } = request
  return {
    ...canonicalPrompt(request, context),
    // Both limits include thinking; OpenAI's own models refuse the older name.
    max_completion_tokens: request.max_tokens,
    ...copied(request, ['temperature', 'top_p', 'top_k', 'stream']),
    ...(stop?.length ? { stop } : {}),
    ...(metadata?.user_id == null ? {} : { user: metadata.user_id }),
    ...(tier === 'standard_only' ? { service_tier: 'default' } : {}),
  }
}

type Context = Pick<FormatContext, 'headers' | 'leftOut' | 'unsupported'>

/** The fields that `count_tokens` counts: everything that makes up the prompt. */
export function canonicalPrompt(request: CountTokensRequest, context: Context): ChatRequest {
  return {
    model: request.model,
    messages: [
      ...systemMessages(request.system),
      ...request.messages.flatMap((message, index) =>
        canonicalMessages(message, `messages[${index}]`),
      ),
    ],
    ...offeredTools(request, context),
    ...thinking(request, context),
    ...outputConfig(request, context),
  }
}

function copied(
  request: MessagesRequest,
  names: readonly ('temperature' | 'top_p' | 'top_k' | 'stream')[],
): Partial<ChatRequest> {
  return Object.fromEntries(
    names.flatMap((name) => (request[name] == null ? [] : [[name, request[name]]])),
  )
}

function systemMessages(system: CountTokensRequest['system']): readonly Message[] {
  if (system == null || system.length === 0) return []
  if (typeof system === 'string') return [{ role: 'system', content: system }]
  return [
    {
      role: 'system',
      content: system.map(({ text, cache_control: control }) => ({
        type: 'text' as const,
        text,
        ...(control == null ? {} : { cache_control: control }),
      })),
    },
  ]
}

/** A budget is kept; 0 disables thinking and -1 leaves it to the model. */
function thinking(request: CountTokensRequest, context: Context): Partial<ChatRequest> {
  const { thinking: given } = request
  if (given == null) return {}
  if (given.type === 'disabled') return { thinking_budget: 0 }
  if (given.type === 'adaptive') return { thinking_budget: -1 }
  if (given.type === 'between_tools') {
    context.leftOut('thinking.type', 'between_tools is known to Anthropic itself only')
    return {}
  }
  const { budget_tokens: budget } = given
  if (budget === undefined)
    throw new GatewayError(
      'missing_parameter',
      "Missing required parameter: 'thinking.budget_tokens'",
      { param: 'thinking.budget_tokens' },
    )
  if ('max_tokens' in request && typeof request.max_tokens === 'number')
    if (budget >= request.max_tokens && !thinksBetweenCalls(request, context))
      throw invalidRequest(
        "'max_tokens' must be greater than 'thinking.budget_tokens'",
        'thinking.budget_tokens',
      )
  return { thinking_budget: budget }
}

/**
 * With interleaved thinking the budget applies to the whole turn and may exceed the limit of each response (Claude docs,
 * interleaved thinking).
 */
function thinksBetweenCalls({ tools }: CountTokensRequest, { headers }: Context): boolean {
  const beta = headers['anthropic-beta'] ?? ''
  return beta.includes('interleaved-thinking') && (tools?.length ?? 0) > 0
}

function outputConfig(request: CountTokensRequest, { leftOut }: Context): Partial<ChatRequest> {
  const { output_config: config, output_format: older } = request
  const effort = config?.effort
  const format = config?.format ?? (isSchemaFormat(older) ? older : undefined)
  if (!isSchemaFormat(older) && !isNeutral('output_format', older)) leftOut('output_format')
  return {
    ...(effort == null ? {} : { reasoning_effort: effort }),
    ...(format == null
      ? {}
      : {
          response_format: {
            type: 'json_schema' as const,
            json_schema: {
              name: 'response',
              schema: format.schema,
              // OpenAI refuses `strict` for schemas that are not closed.
              ...(isStrictSchema(format.schema) ? { strict: true } : {}),
            },
          },
        }),
  }
}

function isSchemaFormat(
  format: Fields | null | undefined,
): format is { readonly schema: Record<string, unknown> } {
  return format?.['type'] === 'json_schema' && isObject(format['schema'])
}
