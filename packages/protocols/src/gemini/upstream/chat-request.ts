import type { ChatRequest } from '@sluice/contract'
import { applyDecisions, type Decisions, lackField } from '../../decisions.ts'
import type { CodecContext } from '../../protocol.ts'
import { usualChat } from '../../usual-decisions.ts'
import type { GenerateContentRequest } from '../generate-content.ts'
import { generationConfig } from './generation-config.ts'
import { encodeMessages } from './messages.ts'
import { callingConfig, toolsOf } from './tools.ts'

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
  service_tier: 'sent',
  thinking_budget: 'sent',
}

/** https://ai.google.dev/api/generate-content: the model and whether to stream are in the address. */
export function chatBody(request: ChatRequest, context: CodecContext): GenerateContentRequest {
  applyDecisions('chat', request, decisions, context)
  const { contents, systemInstruction } = encodeMessages(request.messages, context)
  const tools = toolsOf(request, context)
  const calling = callingConfig(request, context)
  const config = generationConfig(request, context)
  const tier = serviceTier(request, context)
  return {
    ...(systemInstruction === undefined ? {} : { systemInstruction }),
    contents,
    ...(tools.length === 0 ? {} : { tools }),
    ...(calling === undefined ? {} : { toolConfig: { functionCallingConfig: calling } }),
    ...(config === undefined ? {} : { generationConfig: config }),
    ...(tier === undefined ? {} : { serviceTier: tier }),
  }
}

/** Gemini's own tiers; its standard is chat's default. */
function serviceTier(request: ChatRequest, context: CodecContext): string | undefined {
  const { service_tier: tier } = request
  if (tier === 'flex' || tier === 'priority') return tier
  lackField('service_tier', tier, context)
  return undefined
}
