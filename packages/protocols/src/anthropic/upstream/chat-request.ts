import { type ChatRequest, GatewayError } from '@sluice/contract'
import type { CodecContext } from '../../protocol.ts'
import { asksFor, refuseFields } from '../../unsupported-fields.ts'
import { createCacheBreakpoints } from '../../claude/cache-breakpoints.ts'
import { functionsAsTools } from '../../legacy-functions.ts'
import { encodeMessages } from './messages.ts'
import { type ClaudeModel, claudeModel } from '../../claude/model-family.ts'
import { type JsonAnswer, jsonAnswer } from './structured-output.ts'
import { encodeThinking, type Thinking } from '../../claude/thinking.ts'
import { encodeToolChoice, encodeTools } from './tools.ts'

type Body = Readonly<Record<string, unknown>>

interface Writing {
  readonly context: CodecContext
  readonly model: ClaudeModel
  readonly thinking: Thinking
}

/** Fields of a chat request that the Messages API has no word for. `n` is the gateway's to fan out. */
const unknownFields = [
  'frequency_penalty',
  'presence_penalty',
  'logit_bias',
  'logprobs',
  'top_logprobs',
  'seed',
  'verbosity',
  'modalities',
  'audio',
] as const

/** A chat request as the body of `POST /v1/messages` (Messages API reference). */
export function messagesBody(given: ChatRequest, context: CodecContext): Body {
  const request = functionsAsTools(given)
  const model = claudeModel(context.model)
  refuseFields(request, unknownFields, context)
  const thinking = encodeThinking(request, model, context)
  const writing = { context, model, thinking }
  const breakpoint = createCacheBreakpoints()
  const json = jsonAnswer(request, model)
  const tools = encodeTools(request, { context, model, breakpoint })
  const answerTool = json?.by === 'tool' && mayForce(writing) ? [json.tool] : []
  const { system, turns } = encodeMessages(request.messages, context, breakpoint)
  return {
    model: context.model,
    max_tokens: maxTokens(request, writing),
    ...(system.length > 0 ? { system } : {}),
    messages: turns,
    ...sampling(request, writing),
    ...stopSequences(request, context),
    ...(tools.length + answerTool.length > 0 ? { tools: [...tools, ...answerTool] } : {}),
    ...toolChoice(request, json, writing),
    ...(thinking.thinking === undefined ? {} : { thinking: thinking.thinking }),
    ...outputConfig(json, thinking),
    ...metadata(request),
    ...serviceTier(request, context),
    ...(request.stream === true ? { stream: true } : {}),
  }
}

/** The tool that holds the answer to JSON, by its name; undefined where none was sent. */
export function answerToolName(given: ChatRequest, name: string): string | undefined {
  const json = jsonAnswer(functionsAsTools(given), claudeModel(name))
  return json?.by === 'tool' ? json.tool.name : undefined
}

function mayForce({ model, thinking }: Writing): boolean {
  return model.forcedTools && thinking.thinking?.type !== 'enabled'
}

/** Thinking counts as output, so a limit that its budget would use up is raised by the budget. */
function maxTokens(request: ChatRequest, { model, thinking }: Writing): number {
  const asked = request.max_completion_tokens ?? request.max_tokens
  const budget = thinking.thinking?.budget_tokens ?? 0
  if (asked == null) return Math.max(model.maxTokens, budget + 1)
  if (budget < asked) return asked
  return Math.max(budget + 1, Math.min(model.maxTokens, budget + asked))
}

/** Anthropic ends at temperature 1, wants 1 while a model thinks, and its newest models take only the defaults. */
function sampling(request: ChatRequest, { context, model, thinking }: Writing): Body {
  const { temperature, top_p: topP, top_k: topK } = request
  if (temperature != null && temperature > 1)
    throw new GatewayError('unsupported_value', 'Claude takes a temperature from 0 to 1', {
      param: 'temperature',
    })
  const type = thinking.thinking?.type
  const thinks = type === 'enabled' || type === 'adaptive'
  const fixed = model.sampling === 'none' || thinks
  const asked = (field: 'temperature' | 'top_p' | 'top_k', free: boolean): boolean => {
    if (!asksFor(request, field)) return false
    if (free) return true
    context.unsupported(field, 'this model takes only the default here')
    return false
  }
  const hasTemperature = asked('temperature', !fixed)
  const nucleus = model.sampling !== 'none' && (!thinks || (topP ?? 1) >= 0.95)
  const hasTopP = asked('top_p', nucleus && !(model.sampling === 'one' && hasTemperature))
  return {
    ...(hasTemperature ? { temperature } : {}),
    ...(hasTopP ? { top_p: topP } : {}),
    ...(asked('top_k', !fixed) ? { top_k: topK } : {}),
  }
}

/** Sequences of white space alone are refused by Anthropic. */
function stopSequences({ stop }: ChatRequest, context: CodecContext): Body {
  const given = typeof stop === 'string' ? [stop] : (stop ?? [])
  const words = given.filter((word) => word !== '')
  const blank = words.findIndex((word) => word.trim() === '')
  if (blank >= 0)
    context.unsupported(
      typeof stop === 'string' ? 'stop' : `stop[${given.indexOf(words[blank] ?? '')}]`,
      'Claude does not stop at white space',
    )
  const sequences = words.filter((word) => word.trim() !== '')
  return sequences.length > 0 ? { stop_sequences: sequences } : {}
}

function toolChoice(request: ChatRequest, json: JsonAnswer | undefined, writing: Writing): Body {
  const { context } = writing
  const forced = mayForce(writing)
  if (json?.by !== 'tool') {
    const choice = encodeToolChoice(request, { context, mayForce: forced })
    const tools = request.tools?.length || request.web_search_options != null
    return choice === undefined || !tools ? {} : { tool_choice: choice }
  }
  if (!forced) {
    context.unsupported('response_format', 'this model cannot be held to this format here')
    return {}
  }
  // Beside other tools the model may call one of those first; either way it must call something.
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

function metadata({ safety_identifier: id, user }: ChatRequest): Body {
  const userId = id ?? user
  return userId == null ? {} : { metadata: { user_id: userId } }
}

function serviceTier({ service_tier: tier }: ChatRequest, context: CodecContext): Body {
  if (tier == null || tier === 'auto') return {}
  if (tier === 'default' || tier === 'standard_only') return { service_tier: 'standard_only' }
  context.unsupported('service_tier')
  return {}
}
