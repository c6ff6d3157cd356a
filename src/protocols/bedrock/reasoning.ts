import type { ChatRequest } from '../../operations/chat.ts'
import type { CodecContext } from '../protocol.ts'
import { asksFor } from '../unsupported-fields.ts'
import { claudeGeneration, isReasoningNova, modelFamily } from './model-family.ts'

type Fields = Readonly<Record<string, unknown>>

/** Thinking budgets in tokens for Claude models that take no effort (3.7 to 4.5); the least Claude accepts is 1,024. */
const budgets: Readonly<Record<string, number>> = {
  minimal: 1024,
  low: 2048,
  medium: 8192,
  high: 16_384,
  xhigh: 24_576,
  max: 32_000,
}
const budgetMin = 1024

/**
 * How much a model shall think, in the words of its maker: Claude's `thinking` (a budget up to 4.5, adaptive with an
 * effort from 4.6), Nova's `reasoningConfig`, OpenAI's `reasoning_effort`.
 */
export function encodeReasoning(request: ChatRequest, context: CodecContext): Fields {
  switch (modelFamily(context.model)) {
    case 'anthropic':
      return claudeThinking(request, context)
    case 'openai':
      if (asksFor(request, 'thinking_budget')) context.unsupported('thinking_budget')
      return request.reasoning_effort == null ? {} : { reasoning_effort: request.reasoning_effort }
    case 'nova':
      if (asksFor(request, 'thinking_budget')) context.unsupported('thinking_budget')
      if (!asksFor(request, 'reasoning_effort')) return {}
      if (isReasoningNova(context.model))
        return {
          reasoningConfig: { type: 'enabled', maxReasoningEffort: novaEffort(request) },
        }
      break
    default:
      if (asksFor(request, 'thinking_budget')) context.unsupported('thinking_budget')
  }
  if (asksFor(request, 'reasoning_effort')) context.unsupported('reasoning_effort')
  return {}
}

/** True where the request switches Claude's thinking on. */
export function thinks(additional: Fields): boolean {
  return 'thinking' in additional
}

function novaEffort({ reasoning_effort: effort }: ChatRequest): string {
  if (effort === 'minimal' || effort === 'low') return 'low'
  return effort === 'medium' ? 'medium' : 'high'
}

function claudeThinking(request: ChatRequest, context: CodecContext): Fields {
  const { reasoning_effort: effort, thinking_budget: budget } = request
  const generation = claudeGeneration(context.model) ?? 4.6
  const wantsEffort = asksFor(request, 'reasoning_effort')
  if (budget === 0 || (budget == null && !wantsEffort)) return {}
  if (generation < 3.7) {
    context.unsupported(budget == null ? 'reasoning_effort' : 'thinking_budget')
    return {}
  }
  if (generation < 4.6) return enabledThinking(request, context)
  const config = wantsEffort
    ? { output_config: { effort: effort === 'minimal' ? 'low' : effort } }
    : {}
  if (budget != null && budget > 0) {
    if (generation < 4.7) return { thinking: { type: 'enabled', budget_tokens: budget }, ...config }
    context.unsupported('thinking_budget', 'this model chooses its own budget')
  }
  return { thinking: { type: 'adaptive' }, ...config }
}

function enabledThinking(request: ChatRequest, context: CodecContext): Fields {
  const { reasoning_effort: effort, thinking_budget: budget } = request
  if (budget != null && budget > 0) return { thinking: { type: 'enabled', budget_tokens: budget } }
  const wanted = budgets[effort ?? 'medium'] ?? budgetMin
  const most = (request.max_completion_tokens ?? request.max_tokens ?? Infinity) - 1
  if (most < budgetMin) {
    context.unsupported(
      budget == null ? 'reasoning_effort' : 'thinking_budget',
      `thinking needs more than ${budgetMin} tokens`,
    )
    return {}
  }
  return { thinking: { type: 'enabled', budget_tokens: Math.min(wanted, most) } }
}
