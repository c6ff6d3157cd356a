import type { ChatRequest, Fields } from '@sluice/contract'
import type { ClaudeCall } from '../claude/sampling.ts'
import { encodeThinking } from '../claude/thinking.ts'
import { asksFor, reportUnsupported } from '../decisions.ts'
import { claudeModel } from '../families/claude.ts'
import type { CodecContext } from '../protocol.ts'
import { isReasoningNova, modelFamily } from './model-family.ts'

/** The reasoning fields of the model's vendor, and their consequences for the rest of the request. */
export interface Reasoning {
  readonly fields: Fields
  /** Present for Claude models, whose rules then apply. */
  readonly claude?: ClaudeCall
}

const nothing: Reasoning = { fields: {} }

/** Claude's `thinking` and `output_config.effort`, Nova's `reasoningConfig`, OpenAI's `reasoning_effort`. */
export function encodeReasoning(request: ChatRequest, context: CodecContext): Reasoning {
  const family = modelFamily(context.model)
  if (family === 'anthropic') return claudeReasoning(request, context)
  reportUnsupported('thinking_budget', request.thinking_budget, context)
  if (family === 'openai' && request.reasoning_effort != null)
    return { fields: { reasoning_effort: request.reasoning_effort } }
  if (!asksFor(request, 'reasoning_effort')) return nothing
  if (family === 'nova' && isReasoningNova(context.model)) {
    const reasoningConfig = { type: 'enabled', maxReasoningEffort: novaEffort(request) }
    return { fields: { reasoningConfig } }
  }
  context.leftOut('reasoning_effort')
  return nothing
}

function novaEffort({ reasoning_effort: effort }: ChatRequest): string {
  if (effort === 'minimal' || effort === 'low') return 'low'
  return effort === 'medium' ? 'medium' : 'high'
}

function claudeReasoning(request: ChatRequest, context: CodecContext): Reasoning {
  const model = claudeModel(context.model)
  const thinking = encodeThinking(request, model, context)
  return {
    fields: {
      ...(thinking.thinking === undefined ? {} : { thinking: thinking.thinking }),
      ...(thinking.effort === undefined ? {} : { output_config: { effort: thinking.effort } }),
    },
    claude: { context, model, thinking },
  }
}
