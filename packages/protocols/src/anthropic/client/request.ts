import {
  type ChatRequest,
  GatewayError,
  invalidRequest,
  type Message,
  type Tool,
} from '@sluice/contract'
import { applyFormatDecisions, type FormatDecisions } from '../../decisions.ts'
import type { FormatContext } from '../../protocol.ts'
import { canonicalMessages } from './messages.ts'
import {
  type CountTokensRequest,
  type MessagesRequest,
  MessagesRequest as MessagesSchema,
  type Tool as ClientTool,
} from './schema.ts'
import { isStrictSchema } from './strict-schema.ts'

const decisions: FormatDecisions<MessagesRequest> = {
  model: 'sent',
  messages: 'sent',
  system: 'sent',
  tools: 'sent',
  tool_choice: 'sent',
  thinking: 'sent',
  output_config: 'sent',
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
 * A Messages request in the canonical form. What only Anthropic itself can do is refused by its path: its own tools,
 * MCP servers, containers, a region. What only saves money or keeps a context short (`context_management`, `speed`,
 * automatic caching) has no meaning elsewhere and is left out.
 */
export function toCanonical(
  request: MessagesRequest,
  context: Pick<FormatContext, 'leftOut'>,
): ChatRequest {
  if (request.max_tokens === 0)
    throw invalidRequest("'max_tokens' must be at least 1", 'max_tokens')
  applyFormatDecisions(MessagesSchema, request, decisions, context)
  const { stop_sequences: stop, metadata, service_tier: tier } = request
  return {
    ...canonicalPrompt(request),
    // Both limits count thinking; OpenAI's own models refuse the older name.
    max_completion_tokens: request.max_tokens,
    ...copied(request, ['temperature', 'top_p', 'top_k', 'stream']),
    ...(stop?.length ? { stop } : {}),
    ...(metadata?.user_id == null ? {} : { user: metadata.user_id }),
    ...(tier === 'standard_only' ? { service_tier: 'default' } : {}),
  }
}

/** What is counted by `count_tokens`: everything that makes up the prompt. */
export function canonicalPrompt(request: CountTokensRequest): ChatRequest {
  if (request.mcp_servers?.length)
    throw unsupported('mcp_servers', 'mcp_servers reach only Anthropic itself')
  return {
    model: request.model,
    messages: [
      ...systemMessages(request.system),
      ...request.messages.flatMap((message, index) =>
        canonicalMessages(message, `messages[${index}]`),
      ),
    ],
    ...tools(request),
    ...thinking(request),
    ...outputConfig(request.output_config),
  }
}

function unsupported(param: string, message: string): GatewayError {
  return new GatewayError('unsupported_parameter', message, { param })
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

function tools(request: CountTokensRequest): Partial<ChatRequest> {
  const { tool_choice: choice } = request
  const given = (request.tools ?? []).map((tool, index) => canonicalTool(tool, `tools[${index}]`))
  return {
    ...(given.length > 0 ? { tools: given } : {}),
    ...(choice == null ? {} : { tool_choice: canonicalChoice(choice) }),
    ...(choice?.disable_parallel_tool_use === true ? { parallel_tool_calls: false } : {}),
  }
}

function canonicalTool(tool: ClientTool, path: string): Tool {
  const { type, name, description, input_schema: schema, strict } = tool
  if (type != null && type !== 'custom')
    throw unsupported(`${path}.type`, `Tools of type ${type} run only at Anthropic itself`)
  for (const field of ['name', 'input_schema'] as const)
    if (tool[field] == null)
      throw new GatewayError(
        'missing_parameter',
        `Missing required parameter: '${path}.${field}'`,
        { param: `${path}.${field}` },
      )
  if (tool.defer_loading === true || tool.allowed_callers?.some((caller) => caller !== 'direct'))
    throw unsupported(path, 'Only Anthropic itself loads tools later or calls them from code')
  if (tool.input_examples?.length)
    throw unsupported(`${path}.input_examples`, 'Only Anthropic itself takes examples of input')
  return {
    type: 'function',
    function: {
      name: name ?? '',
      ...(description == null ? {} : { description }),
      ...(schema == null ? {} : { parameters: schema }),
      ...(strict == null ? {} : { strict }),
    },
    ...(tool.cache_control == null ? {} : { cache_control: tool.cache_control }),
  }
}

function canonicalChoice({
  type,
  name,
}: NonNullable<CountTokensRequest['tool_choice']>): NonNullable<ChatRequest['tool_choice']> {
  if (type === 'any') return 'required'
  if (type !== 'tool') return type
  if (name === undefined)
    throw new GatewayError('missing_parameter', "Missing required parameter: 'tool_choice.name'", {
      param: 'tool_choice.name',
    })
  return { type: 'function', function: { name } }
}

/** A budget stays a budget; 0 is off and -1 leaves it to the model. */
function thinking(request: CountTokensRequest): Partial<ChatRequest> {
  const { thinking: given } = request
  if (given == null) return {}
  if (given.type === 'disabled') return { thinking_budget: 0 }
  if (given.type === 'adaptive') return { thinking_budget: -1 }
  if (given.type === 'between_tools')
    throw unsupported('thinking.type', 'between_tools is known to Anthropic itself only')
  const { budget_tokens: budget } = given
  if (budget === undefined)
    throw new GatewayError(
      'missing_parameter',
      "Missing required parameter: 'thinking.budget_tokens'",
      { param: 'thinking.budget_tokens' },
    )
  if ('max_tokens' in request && typeof request.max_tokens === 'number')
    if (budget >= request.max_tokens)
      throw invalidRequest(
        "'max_tokens' must be greater than 'thinking.budget_tokens'",
        'thinking.budget_tokens',
      )
  return { thinking_budget: budget }
}

function outputConfig(config: CountTokensRequest['output_config']): Partial<ChatRequest> {
  const { effort, format } = config ?? {}
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
              // OpenAI refuses `strict` for a schema that leaves anything open.
              ...(isStrictSchema(format.schema) ? { strict: true } : {}),
            },
          },
        }),
  }
}
