import type { ChatRequest, Fields, Tool } from '@sluice/contract'
import { reportBetas } from '../claude/betas.ts'
import { applyDecisions, asksFor, type Decisions } from '../decisions.ts'
import { reportLostReasoning } from '../lost-reasoning.ts'
import { reportUnsupported } from '../report-unsupported.ts'
import type { CodecContext } from '../protocol.ts'
import { isCombined, withObjectSchema } from '../tools/object-schema.ts'
import { allowedTools } from '../tools/tool-choice.ts'
import { usualChat } from '../usual-decisions.ts'
import { encodeMessages, keptReasoning } from './messages.ts'

const decisions: Decisions<'chat'> = {
  ...usualChat,
  n: 'gateway',
  presence_penalty: 'sent',
  frequency_penalty: 'sent',
  logprobs: 'sent',
  top_logprobs: 'refused',
  user: 'hint',
  safety_identifier: 'hint',
  parallel_tool_calls: 'hint',
  seed: 'sent',
  modalities: 'refused',
  audio: 'refused',
  web_search_options: 'refused',
  server_tools: 'refused',
  service_tier: 'hint',
  thinking_budget: 'sent',
  cache_control: 'hint',
}

/** A chat request as the body of `POST /v2/chat`. */
export function chatBody(request: ChatRequest, context: CodecContext): object {
  applyDecisions('chat', request, decisions, context)
  reportLostReasoning(request, keptReasoning, context)
  reportBetas(context)
  const { top_p: p, stop: stops, seed, max_completion_tokens: maxTokens } = request
  return {
    model: context.model,
    messages: encodeMessages(request, context),
    ...(request.stream === true ? { stream: true } : {}),
    ...(maxTokens == null ? {} : { max_tokens: maxTokens }),
    ...temperatureOf(request, context),
    ...(p == null ? {} : { p }),
    ...(asksFor(request, 'top_k') ? { k: request.top_k } : {}),
    ...(stops?.length ? { stop_sequences: stops } : {}),
    ...(seed == null ? {} : { seed }),
    ...penalty('presence_penalty', request, context),
    ...penalty('frequency_penalty', request, context),
    ...(request.logprobs === true ? { logprobs: true } : {}),
    ...encodeTools(request, context),
    ...responseFormat(request),
    ...thinking(request, context),
  }
}

function temperatureOf({ temperature }: ChatRequest, context: CodecContext): object {
  if (temperature == null) return {}
  if (temperature <= 1) return { temperature }
  context.leftOut('temperature', 'Cohere takes 0 to 1')
  return {}
}

/** Cohere accepts 0 to 1. */
function penalty(
  field: 'presence_penalty' | 'frequency_penalty',
  request: ChatRequest,
  context: CodecContext,
): object {
  const value = request[field]
  if (value == null || value === 0) return {}
  if (value > 0 && value <= 1) return { [field]: value }
  context.leftOut(field, 'Cohere takes 0 to 1')
  return {}
}

function responseFormat({ response_format: format }: ChatRequest): object {
  if (format == null || format.type === 'text') return {}
  return {
    response_format: {
      type: 'json_object',
      ...(format.type === 'json_schema' ? { json_schema: format.json_schema.schema } : {}),
    },
  }
}

/** Thinking budgets in tokens. `high` and above set no limit, which is Cohere's default. */
const budgets: Readonly<Record<string, number>> = { minimal: 512, low: 2048, medium: 8192 }

/** Reasoning models think unless the request switches it off; other models cannot think. */
function thinking(request: ChatRequest, context: CodecContext): object {
  const { reasoning_effort: effort, thinking_budget: budget } = request
  if (!context.family.includes('reasoning')) {
    reportUnsupported('reasoning_effort', effort, context)
    reportUnsupported('thinking_budget', budget, context)
    return {}
  }
  if (budget === 0 || (budget == null && effort === 'none'))
    return { thinking: { type: 'disabled' } }
  const tokens = budget != null && budget > 0 ? budget : budgets[effort ?? '']
  if (budget == null && effort == null) return {}
  return {
    thinking: { type: 'enabled', ...(tokens === undefined ? {} : { token_budget: tokens }) },
  }
}

/**
 * Tools and the tool choice. Cohere supports "must call" and "must not call"; a particular function is forced by offering only
 * that one.
 */
function encodeTools(request: ChatRequest, context: CodecContext): Fields {
  const { tools: declared = [], tool_choice: choice } = request
  const only = chosenNames(choice)
  const tools = (declared ?? []).flatMap((tool, index) => {
    const { function: called } = tool
    if (called === undefined || only?.has(called.name) === false) return []
    return [encodeTool(withObjectSchema(called, `tools[${index}].function`, context))]
  })
  if (tools.length === 0) return {}
  return { tools, ...strictTools(declared ?? [], context), ...toolChoice(choice) }
}

function encodeTool({ name, description, parameters }: NonNullable<Tool['function']>): Fields {
  return {
    type: 'function',
    function: {
      name,
      ...(description == null ? {} : { description }),
      // Cohere rejects a schema without a type.
      parameters: { type: 'object', ...(parameters ?? { properties: {} }) },
    },
  }
}

/** Strictness is a single switch for all tools. Alternatives cannot be enforced (Cohere docs, unsupported schema features). */
function strictTools(tools: readonly Tool[], context: CodecContext): Fields {
  const strict = tools.map((tool) => tool.function?.strict === true)
  const first = strict.indexOf(true)
  if (first === -1) return {}
  const isCombination = tools.some((tool) => isCombined(tool.function?.parameters))
  if (!strict.includes(false) && !isCombination) return { strict_tools: true }
  context.leftOut(
    `tools[${first}].function.strict`,
    isCombination
      ? 'alternatives cannot be enforced here'
      : 'at Cohere all tools are strict or none',
  )
  return {}
}

function toolChoice(choice: ChatRequest['tool_choice']): Fields {
  if (choice == null || choice === 'auto') return {}
  if (choice === 'none') return { tool_choice: 'NONE' }
  if (choice === 'required' || choice.type !== 'allowed_tools') return { tool_choice: 'REQUIRED' }
  return choice.allowed_tools?.mode === 'required' ? { tool_choice: 'REQUIRED' } : {}
}

function chosenNames(choice: ChatRequest['tool_choice']): ReadonlySet<string> | undefined {
  if (choice == null || typeof choice === 'string' || choice.type === 'allowed_tools')
    return allowedTools(choice)
  return new Set([choice.function?.name ?? ''])
}
