import type { ChatRequest, Fields } from '@sluice/contract'
import { askedBetas, thinksBetweenCalls } from '../../claude/betas.ts'
import { createCacheBreakpoints } from '../../claude/cache-breakpoints.ts'
import {
  encodeThinking,
  mayForceCall,
  outputLimit,
  outputMax,
  type Thinking,
} from '../../claude/thinking.ts'
import { type ClaudeCall, claudeSampling } from '../../claude/sampling.ts'
import { encodeToolChoice } from '../../claude/tool-choice.ts'
import { applyDecisions, type Decisions } from '../../decisions.ts'
import { claudeModel } from '../../families/claude.ts'
import { demandsReasoning } from '../../families/returned-reasoning.ts'
import { fittedId } from '../../fitted-id.ts'
import { reportLostReasoning } from '../../lost-reasoning.ts'
import type { CodecContext } from '../../protocol.ts'
import { usualChat } from '../../usual-decisions.ts'
import { type JsonAnswer, jsonAnswer } from './json-answer.ts'
import { encodeMessages, keptReasoning } from './messages.ts'
import { withThoughts } from './thoughts.ts'
import { encodeTools } from './tools.ts'

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
export function messagesBody(request: ChatRequest, context: CodecContext): Fields {
  const model = claudeModel(context.family)
  applyDecisions('chat', request, decisions, context)
  reportLostReasoning(request, keptReasoning(context.family), context)
  const thinking = encodeThinking(request, model, context)
  const call = { context, model, thinking }
  const breakpoint = createCacheBreakpoints(context)
  const json = jsonAnswer(request, model, context.leftOut)
  const tools = encodeTools(request, { context, model, breakpoint })
  const answerTool = json?.by === 'tool' && mayForceCall(model, thinking) ? [json.tool] : []
  const { system, turns } = encodeMessages(request.messages, context, { breakpoint, tools })
  return {
    model: context.model,
    max_tokens: maxTokens(request, call),
    ...(system.length > 0 ? { system } : {}),
    messages: demandsReasoning(context.family) ? withThoughts(turns, thinking.thinking) : turns,
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

/** The field is required; its default is the model's own maximum. */
function maxTokens(request: ChatRequest, { context, model, thinking }: ClaudeCall): number {
  const { max_completion_tokens: asked } = request
  const budget = thinking.thinking?.budget_tokens ?? 0
  if (asked != null && thinksBetweenCalls(request, askedBetas(context))) return asked
  return asked == null
    ? Math.max(outputMax(model, context), budget + 1)
    : outputLimit(asked, budget, { model, context })
}

function toolChoice(request: ChatRequest, json: JsonAnswer | undefined, call: ClaudeCall): Fields {
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

function outputConfig(json: JsonAnswer | undefined, { effort }: Thinking): Fields {
  const config = {
    ...(effort === undefined ? {} : { effort }),
    ...(json?.by === 'format' ? { format: { type: 'json_schema', schema: json.schema } } : {}),
  }
  return Object.keys(config).length > 0 ? { output_config: config } : {}
}

const userIdCharactersMax = 256

/** The API has only one field for both. */
function metadata({ safety_identifier: id, user }: ChatRequest, context: CodecContext): Fields {
  const userId = id ?? user
  if (id != null && user != null) context.leftOut('user')
  return userId == null ? {} : { metadata: { user_id: fittedId(userId, userIdCharactersMax) } }
}

function serviceTier({ service_tier: tier }: ChatRequest, context: CodecContext): Fields {
  if (tier == null || tier === 'auto') return {}
  if (tier === 'default' || tier === 'standard_only') return { service_tier: 'standard_only' }
  context.leftOut('service_tier')
  return {}
}
