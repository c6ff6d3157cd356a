import { type ChatRequest, type Fields, formatJson } from '@sluice/contract'
import { reportBetas } from '../../claude/betas.ts'
import { applyDecisions, type Decisions } from '../../decisions.ts'
import { reportUnsupported } from '../../report-unsupported.ts'
import { reportLostReasoning } from '../../lost-reasoning.ts'
import type { CodecContext } from '../../protocol.ts'
import { usualChat } from '../../usual-decisions.ts'
import type { GenerateContentRequest, Part } from '../generate-content.ts'
import { generationConfig, isOnlyTold } from './generation-config.ts'
import { encodeMessages, keptReasoning } from './messages.ts'
import { callingConfig, saysMix, toolsOf } from './tools.ts'

const decisions: Decisions<'chat'> = {
  ...usualChat,
  n: 'sent',
  presence_penalty: 'sent',
  frequency_penalty: 'sent',
  logprobs: 'sent',
  top_logprobs: 'sent',
  user: 'hint',
  safety_identifier: 'hint',
  parallel_tool_calls: 'sent',
  seed: 'sent',
  modalities: 'sent',
  audio: 'sent',
  web_search_options: 'sent',
  server_tools: 'sent',
  service_tier: 'sent',
  thinking_budget: 'sent',
  cache_control: 'hint',
}

/** https://ai.google.dev/api/generate-content: the model, and whether to stream, are in the address. */
export function chatBody(request: ChatRequest, context: CodecContext): GenerateContentRequest {
  applyDecisions('chat', request, decisions, context)
  reportLostReasoning(request, keptReasoning, context)
  reportBetas(context)
  const { contents, systemInstruction } = encodeMessages(request.messages, context)
  const system = [...(systemInstruction?.parts ?? []), ...toldFormat(request, context)]
  const tools = toolsOf(request, context)
  const toolConfig = toolConfigOf(request, tools, context)
  const config = generationConfig(request, context)
  const tier = serviceTier(request, context)
  return {
    ...(system.length === 0 ? {} : { systemInstruction: { parts: system } }),
    contents,
    ...(tools.length === 0 ? {} : { tools }),
    ...(toolConfig === undefined ? {} : { toolConfig }),
    ...(config === undefined ? {} : { generationConfig: config }),
    ...(tier === undefined ? {} : { serviceTier: tier }),
  }
}

function toolConfigOf(
  request: ChatRequest,
  tools: readonly Fields[],
  context: CodecContext,
): GenerateContentRequest['toolConfig'] {
  const calling = callingConfig(request, context)
  // Vertex, which has a project, does not have this field.
  const isMix = saysMix(tools) && context.settings['project'] === undefined
  if (calling === undefined && !isMix) return undefined
  return {
    ...(calling === undefined ? {} : { functionCallingConfig: calling }),
    ...(isMix ? { includeServerSideToolInvocations: true } : {}),
  }
}

/** The format of the response as an instruction, for models that cannot enforce it together with tools. */
function toldFormat(request: ChatRequest, { family: model }: CodecContext): readonly Part[] {
  const { response_format: format } = request
  if (!isOnlyTold(request, model)) return []
  const schema =
    format?.type === 'json_schema'
      ? ` that fits this JSON Schema: ${formatJson(format.json_schema.schema)}`
      : ''
  return [{ text: `Unless you call a function, answer with nothing but JSON${schema}.` }]
}

/** Gemini's own tiers; its standard tier is the default of chat completions. */
function serviceTier(request: ChatRequest, context: CodecContext): string | undefined {
  const { service_tier: tier } = request
  if (tier === 'flex' || tier === 'priority') return tier
  reportUnsupported('service_tier', tier, context)
  return undefined
}
