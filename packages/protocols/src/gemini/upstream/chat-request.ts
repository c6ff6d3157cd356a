import type { ChatRequest } from '@sluice/contract'
import { applyDecisions, type Decisions, lackField } from '../../decisions.ts'
import type { CodecContext } from '../../protocol.ts'
import type { GenerateContentRequest } from '../generate-content.ts'
import { generationConfig } from './generation-config.ts'
import { encodeMessages } from './messages.ts'
import { callingConfig, toolsOf } from './tools.ts'

const decisions: Decisions<'chat'> = {
  model: 'sent',
  messages: 'sent',
  temperature: 'sent',
  top_p: 'sent',
  top_k: 'sent',
  n: 'sent',
  stream: 'sent',
  stream_options: 'gateway',
  stop: 'sent',
  max_completion_tokens: 'sent',
  presence_penalty: 'sent',
  frequency_penalty: 'sent',
  logit_bias: 'refused',
  logprobs: 'sent',
  top_logprobs: 'sent',
  user: 'hint',
  safety_identifier: 'hint',
  prompt_cache_key: 'hint',
  tools: 'sent',
  tool_choice: 'sent',
  parallel_tool_calls: 'sent',
  response_format: 'sent',
  seed: 'sent',
  reasoning_effort: 'sent',
  verbosity: 'hint',
  modalities: 'sent',
  audio: 'sent',
  prediction: 'hint',
  web_search_options: 'sent',
  service_tier: 'sent',
  store: 'hint',
  metadata: 'hint',
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
