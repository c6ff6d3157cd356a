import type { ChatRequest } from '@sluice/contract'
import { functionsAsTools, usesFunctions } from '../../legacy-functions.ts'
import type { CodecContext } from '../../protocol.ts'
import { refuseFields } from '../../unsupported-fields.ts'
import type { GenerateContentRequest } from '../generate-content.ts'
import { generationConfig } from './generation-config.ts'
import { encodeMessages } from './messages.ts'
import { callingConfig, toolsOf } from './tools.ts'

/** https://ai.google.dev/api/generate-content: the model and whether to stream are in the address. */
export function chatBody(given: ChatRequest, context: CodecContext): GenerateContentRequest {
  const request = usesFunctions(given)
    ? { ...functionsAsTools(given), parallel_tool_calls: null }
    : functionsAsTools(given)
  refuseFields(request, ['logit_bias', 'verbosity'], context)
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
  refuseFields(request, ['service_tier'], context)
  return undefined
}
