import {
  type ChatRequest,
  type Fields,
  GatewayError,
  invalidRequest,
  isObject,
  listOf,
  type Message,
  objectOf,
} from '@sluice/contract'
import type { FormatContext } from '../../client-format.ts'
import { askedBetas, thinksBetweenCalls } from '../../claude/betas.ts'
import { applyFormatDecisions, type FormatDecisions } from '../../decisions.ts'
import { missingParameter } from '../../missing-parameter.ts'
import { isNeutral } from '../../neutral-values.ts'
import { accountHeaders } from '../account-headers.ts'
import { canonicalMessages } from './messages.ts'
import {
  type CountTokensRequest,
  CountTokensRequest as CountTokensSchema,
  type MessagesRequest,
  MessagesRequest as MessagesSchema,
} from './schema.ts'
import { offeredTools } from './tools.ts'

const countDecisions: FormatDecisions<CountTokensRequest> = {
  model: 'sent',
  messages: 'sent',
  system: 'sent',
  tools: 'sent',
  tool_choice: 'sent',
  thinking: 'sent',
  output_config: 'sent',
  output_format: 'sent',
  thread: 'sent',
  mcp_servers: 'refused',
  billing_policy: 'sent',
  // Only save cost or time, or shorten the context.
  cache_control: 'hint',
  context_management: 'hint',
  speed: 'hint',
  // Counting ignores it (Claude docs, Count tokens in a Message).
  compaction: 'hint',
}

const decisions: FormatDecisions<MessagesRequest> = {
  ...countDecisions,
  // The response is then a summary of the conversation.
  compaction: 'refused',
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
  // Why the cache missed, in addition to the response.
  diagnostics: 'hint',
  // Other models of Anthropic for what a model declines; without them a declined request stays declined.
  fallbacks: 'hint',
  fallback_credit_token: 'hint',
}

/**
 * Converts a Messages request to the canonical form. Features that only Anthropic supports are refused with their path: its
 * own tools, MCP servers, containers, regions. Those that only save cost or shorten the context (`context_management`,
 * `speed`, automatic caching) have no meaning elsewhere and are left out.
 */
export function toCanonical(request: MessagesRequest, context: Context): ChatRequest {
  refuseThread(request)
  for (const name of accountHeaders) if (context.headers[name] !== undefined) context.leftOut(name)
  if (request.max_tokens === 0)
    throw invalidRequest("'max_tokens' must be at least 1", 'max_tokens')
  // First, so that a block of an unknown kind is named by its kind and not by one of its fields.
  const prompt = canonicalPrompt(request, context)
  applyFormatDecisions(MessagesSchema, request, decisions, context)
  reportUnsupportedBilling(request, context)
  const { stop_sequences: stop, metadata, service_tier: tier } = request
  return {
    ...prompt,
    // Both limits include thinking; OpenAI's own models refuse the older name.
    max_completion_tokens: request.max_tokens,
    ...copied(request, ['temperature', 'top_p', 'top_k', 'stream']),
    ...(stop?.length ? { stop } : {}),
    ...(metadata?.user_id == null ? {} : { user: metadata.user_id }),
    ...(tier === 'standard_only' ? { service_tier: 'default' } : {}),
  }
}

/** Only a thread can go on without a new message. */
export function checkMessages({ messages, thread }: CountTokensRequest): void {
  if (messages.length === 0 && thread == null)
    throw invalidRequest("'messages' must have at least 1 item", 'messages')
}

type Context = Pick<FormatContext, 'headers' | 'leftOut' | 'unsupported'>

/** The same for a request to count tokens. */
export function countedPrompt(request: CountTokensRequest, context: Context): ChatRequest {
  refuseThread(request)
  const prompt = canonicalPrompt(request, context)
  applyFormatDecisions(CountTokensSchema, request, countDecisions, context)
  reportUnsupportedBilling(request, context)
  return prompt
}

/**
 * Refuses a request of a thread, whatever `unsupported` says: a client takes any other response as a sign that the server
 * keeps the conversation, and sends only new messages from then on. On this error Anthropic's SDKs send the whole conversation
 * (their ThreadUnsupportedRequestErrorDetails).
 */
function refuseThread({ thread }: CountTokensRequest): void {
  if (thread == null) return
  throw new GatewayError(
    'unsupported_parameter',
    "'thread' is not supported for this model: send the whole conversation without it",
    {
      param: 'thread',
      readable: { error_code: 'thread_unsupported_request', unsupported: ['thread'] },
    },
  )
}

/** A caller whose customer is to pay is refused and not billed instead (Claude docs, billing policy). */
function reportUnsupportedBilling(
  { billing_policy: policy }: CountTokensRequest,
  { unsupported }: Context,
): void {
  if (!isNeutral('billing_policy', policy) && objectOf(policy)['bill_to'] !== 'self')
    unsupported('billing_policy')
}

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
  if (budget === undefined) throw missingParameter('thinking.budget_tokens')
  if ('max_tokens' in request && typeof request.max_tokens === 'number')
    if (budget >= request.max_tokens && !thinksBetweenCalls(request, askedBetas(context)))
      throw invalidRequest(
        "'max_tokens' must be greater than 'thinking.budget_tokens'",
        'thinking.budget_tokens',
      )
  return { thinking_budget: budget }
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

/**
 * Whether OpenAI would accept the schema with `strict: true`: every object closed and every property required (OpenAI
 * structured outputs guide, supported schemas).
 */
function isStrictSchema(schema: unknown): boolean {
  if (Array.isArray(schema)) return schema.every(isStrictSchema)
  if (!isObject(schema)) return true
  const { properties } = schema
  if (schema['type'] === 'object' || isObject(properties)) {
    const required = new Set(listOf(schema['required']))
    const names = isObject(properties) ? Object.keys(properties) : []
    if (schema['additionalProperties'] !== false) return false
    if (!names.every((name) => required.has(name))) return false
  }
  const inner = isObject(properties) ? Object.values(properties) : []
  return [...inner, ...Object.entries(schema).map(innerSchema)].every(isStrictSchema)
}

function innerSchema([key, value]: readonly [string, unknown]): unknown {
  if (key === '$defs' || key === 'definitions') return isObject(value) ? Object.values(value) : []
  return key === 'items' || key === 'anyOf' ? value : []
}
