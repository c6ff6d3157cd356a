import type { ChatRequest, Fields } from '@sluice/contract'
import { createCacheBreakpoints } from '../../claude/cache-breakpoints.ts'
import { closedSchema } from '../../claude/closed-schema.ts'
import { outputLimit, outputMax } from '../../claude/limits.ts'
import { type ClaudeCall, claudeSampling } from '../../claude/sampling.ts'
import { encodeThinking, mayForceCall, type Thinking } from '../../claude/thinking.ts'
import { applyDecisions, type Decisions } from '../../decisions.ts'
import { claudeModel, type ClaudeModel } from '../../families/claude.ts'
import { fittedId } from '../../fitted-id.ts'
import type { CodecContext } from '../../protocol.ts'
import { usualChat } from '../../usual-decisions.ts'
import { encodeMessages } from './messages.ts'
import { encodeToolChoice, encodeTools, type ToolBlock } from './tools.ts'

type Body = Readonly<Record<string, unknown>>

/** How the Messages API handles each canonical field. */
const decisions: Decisions<'chat'> = {
  ...usualChat,
  n: 'gateway',
  presence_penalty: 'hint',
  frequency_penalty: 'hint',
  logprobs: 'refused',
  top_logprobs: 'refused',
  user: 'sent',
  safety_identifier: 'sent',
  parallel_tool_calls: 'sent',
  seed: 'hint',
  modalities: 'refused',
  audio: 'refused',
  web_search_options: 'sent',
  server_tools: 'sent',
  service_tier: 'sent',
  thinking_budget: 'sent',
  cache_control: 'sent',
}

/** Encodes a chat request as the body of `POST /v1/messages` (Messages API reference). */
export function messagesBody(request: ChatRequest, context: CodecContext): Body {
  const model = claudeModel(context.model)
  applyDecisions('chat', request, decisions, context)
  const thinking = encodeThinking(request, model, context)
  const call = { context, model, thinking }
  const breakpoint = createCacheBreakpoints(context)
  const json = jsonAnswer(request, model, context.leftOut)
  const tools = encodeTools(request, { context, model, breakpoint })
  const answerTool = json?.by === 'tool' && mayForceCall(model, thinking) ? [json.tool] : []
  const { system, turns } = encodeMessages(request.messages, context, breakpoint)
  return {
    model: context.model,
    max_tokens: maxTokens(request, call),
    ...(system.length > 0 ? { system } : {}),
    messages: turns,
    ...claudeSampling(request, call),
    ...(request.stop?.length ? { stop_sequences: request.stop } : {}),
    ...(tools.length + answerTool.length > 0 ? { tools: [...tools, ...answerTool] } : {}),
    ...toolChoice(request, json, call),
    ...(thinking.thinking === undefined ? {} : { thinking: thinking.thinking }),
    ...outputConfig(json, thinking),
    ...metadata(request, context),
    ...serviceTier(request, context),
    ...(request.stream === true ? { stream: true } : {}),
  }
}

/** The name of the tool used for JSON output; undefined if there is none. */
export function answerToolName(request: ChatRequest, name: string): string | undefined {
  const json = jsonAnswer(request, claudeModel(name))
  return json?.by === 'tool' ? json.tool.name : undefined
}

/** The field is required; its default is the model's own maximum. */
function maxTokens(request: ChatRequest, { context, model, thinking }: ClaudeCall): number {
  const { max_completion_tokens: asked } = request
  const budget = thinking.thinking?.budget_tokens ?? 0
  return asked == null
    ? Math.max(outputMax(model, context), budget + 1)
    : outputLimit(asked, budget, { model, context })
}

function toolChoice(request: ChatRequest, json: JsonAnswer | undefined, call: ClaudeCall): Body {
  const { context, model, thinking } = call
  const forced = mayForceCall(model, thinking)
  if (json?.by !== 'tool') {
    const choice = encodeToolChoice(request, { context, mayForce: forced })
    const { tools: own, server_tools: server, web_search_options: search } = request
    const tools = own?.length || server?.length || search != null
    return choice === undefined || !tools ? {} : { tool_choice: choice }
  }
  if (!forced) {
    context.unsupported('response_format', 'this model cannot be held to this format here')
    return {}
  }
  // Among several tools the model may call another one first, but it must call one.
  const others = request.tools?.length && request.tool_choice !== 'none'
  const choice = others ? { type: 'any' } : { type: 'tool', name: json.tool.name }
  return { tool_choice: { ...choice, disable_parallel_tool_use: true } }
}

function outputConfig(json: JsonAnswer | undefined, { effort }: Thinking): Body {
  const config = {
    ...(effort === undefined ? {} : { effort }),
    ...(json?.by === 'format' ? { format: { type: 'json_schema', schema: json.schema } } : {}),
  }
  return Object.keys(config).length > 0 ? { output_config: config } : {}
}

const userIdCharactersMax = 256

/** The API has only one field for both. */
function metadata({ safety_identifier: id, user }: ChatRequest, context: CodecContext): Body {
  const userId = id ?? user
  if (id != null && user != null) context.leftOut('user')
  return userId == null ? {} : { metadata: { user_id: fittedId(userId, userIdCharactersMax) } }
}

function serviceTier({ service_tier: tier }: ChatRequest, context: CodecContext): Body {
  if (tier == null || tier === 'auto') return {}
  if (tier === 'default' || tier === 'standard_only') return { service_tier: 'standard_only' }
  context.leftOut('service_tier')
  return {}
}

/**
 * How JSON output is enforced: by `output_config.format` if the model supports it and accepts the schema; otherwise by a tool
 * that must be called with the response as its input, which is unwrapped when the response is read.
 */
type JsonAnswer =
  | { readonly by: 'format'; readonly schema: object }
  | { readonly by: 'tool'; readonly tool: ToolBlock }

function jsonAnswer(
  request: ChatRequest,
  model: ClaudeModel,
  leftOut: (param: string) => void = () => {},
): JsonAnswer | undefined {
  const { response_format: format } = request
  if (format == null || format.type === 'text') return undefined
  if (format.type === 'json_object') return byTool(request, { schema: {} })
  const { schema, description } = format.json_schema
  const closed = model.structured
    ? closedSchema(schema, 'response_format.json_schema.schema', leftOut)
    : undefined
  if (closed !== undefined) return { by: 'format', schema: closed }
  return byTool(request, { schema, description })
}

function byTool(
  request: ChatRequest,
  {
    schema,
    description,
  }: { readonly schema: Fields; readonly description?: string | null | undefined },
): JsonAnswer | undefined {
  if (forcesCall(request)) return undefined
  return {
    by: 'tool',
    tool: {
      name: freeName(request),
      description: `Give the answer by calling this tool.${description == null ? '' : ` ${description}`}`,
      input_schema: { type: 'object', ...schema },
    },
  }
}

/** If the caller forces a call, the response is that call and not JSON. */
function forcesCall({ tool_choice: choice }: ChatRequest): boolean {
  if (choice == null) return false
  if (typeof choice === 'string') return choice === 'required'
  return choice.type !== 'allowed_tools' || choice.allowed_tools?.mode === 'required'
}

function freeName({ tools }: ChatRequest): string {
  const taken = new Set((tools ?? []).map((tool) => tool.function?.name))
  let name = 'answer_in_json'
  while (taken.has(name)) name += '_'
  return name
}
