import type { ChatRequest } from '@sluice/contract'
import { effortOf } from '../efforts.ts'
import type { ClaudeModel } from '../families/claude.ts'
import type { CodecContext } from '../protocol.ts'

/** The thinking options of the request, as Claude's API names them. */
export interface Thinking {
  readonly thinking?: { readonly type: string; readonly budget_tokens?: number }
  readonly effort?: string
}

/** Whether the request switches thinking on. */
export function thinks({ thinking }: Thinking): boolean {
  return thinking?.type === 'enabled' || thinking?.type === 'adaptive'
}

/** Whether a call can be forced: not while the model thinks with a budget, and never for the newest models. */
export function mayForceCall(model: ClaudeModel, { thinking }: Thinking): boolean {
  return model.forcedTools && thinking?.type !== 'enabled'
}

/** Budgets in tokens for models that do not support efforts. Anthropic's minimum is 1,024. */
const budgets: Readonly<Record<string, number>> = {
  minimal: 1024,
  low: 2048,
  medium: 8192,
  high: 16_384,
  xhigh: 24_576,
  max: 28_672,
}
export const budgetMin = 1024

/**
 * Translates `reasoning_effort` and `thinking_budget` into `thinking` and `output_config.effort`, whichever the model
 * supports.
 *
 * Within a tool loop that began without thinking, Claude cannot start to think. Thinking is not requested there; the API
 * itself would ignore the option (Claude docs, extended thinking: toggling thinking modes).
 */
export function encodeThinking(
  request: ChatRequest,
  model: ClaudeModel,
  context: CodecContext,
): Thinking {
  const chosen = chosenThinking(request, model, context)
  const budget = chosen.thinking?.budget_tokens
  const most = certainMax(model, context)
  if (budget === undefined || budget < most) return chosen
  const written = request.thinking_budget == null ? 'reasoning_effort' : 'thinking_budget'
  context.leftOut(written, 'this model writes no more than that')
  return { ...chosen, thinking: enabled(most - 1) }
}

function chosenThinking(request: ChatRequest, model: ClaudeModel, context: CodecContext): Thinking {
  const { thinking_budget: budget, reasoning_effort: effort } = request
  if (budget === 0 || (budget == null && effort === 'none')) return off(request, model, context)
  if (budget == null && effort == null) return {}
  if (model.thinking === 'none') {
    context.leftOut(budget == null ? 'reasoning_effort' : 'thinking_budget')
    return {}
  }
  if (budget == null && context.effortWithoutThinking === true) {
    if (model.thinking === 'budget')
      context.leftOut('reasoning_effort', 'this model knows no effort')
    return encodeEffort(request, model)
  }
  if (budget != null && budget > 0) return byBudget(request, budget, model)
  if (model.thinking !== 'budget') return adaptive(request, model)
  if (beganWithoutThinking(request)) return {}
  return { thinking: enabled(budgetFor(effort)) }
}

/** The budget for an effort; that of a medium one for none and for an unknown one. */
export function budgetFor(effort: unknown): number {
  return (
    (typeof effort === 'string' ? budgets[effort] : undefined) ?? budgets['medium'] ?? budgetMin
  )
}

function enabled(budget: number): NonNullable<Thinking['thinking']> {
  return { type: 'enabled', budget_tokens: budget }
}

function off(request: ChatRequest, model: ClaudeModel, context: CodecContext): Thinking {
  if (model.thinking === 'none') return {}
  const effort = encodeEffort(request, model)
  if (model.off === undefined) {
    const param = request.thinking_budget === 0 ? 'thinking_budget' : 'reasoning_effort'
    context.leftOut(param, 'this model always thinks')
    return effort
  }
  return { thinking: { type: model.off }, ...effort }
}

function byBudget(request: ChatRequest, budget: number, model: ClaudeModel): Thinking {
  if (model.thinking === 'adaptive') {
    const effort = request.reasoning_effort ?? effortOf(budget)
    return adaptive(
      { ...request, ...(effort === undefined ? {} : { reasoning_effort: effort }) },
      model,
    )
  }
  if (beganWithoutThinking(request)) return {}
  const enough = Math.max(budget, budgetMin)
  return { thinking: enabled(enough), ...encodeEffort(request, model) }
}

/** The newest models show their thinking only when the request asks for it. */
function adaptive(request: ChatRequest, model: ClaudeModel): Thinking {
  return {
    thinking: {
      type: 'adaptive',
      ...(model.thinking === 'adaptive' ? { display: 'summarized' } : {}),
    },
    ...encodeEffort(request, model),
  }
}

function encodeEffort(
  { reasoning_effort: effort }: ChatRequest,
  { thinking }: ClaudeModel,
): { readonly effort?: string } {
  if (effort == null || effort === 'none' || thinking === 'budget') return {}
  if (effort === 'minimal') return { effort: 'low' }
  // The nearest effort that the model supports.
  return { effort: effort === 'xhigh' && thinking === 'either' ? 'high' : effort }
}

/** A user message after the results belongs to the same step: Claude reads them as one message. */
function beganWithoutThinking({ messages }: ChatRequest): boolean {
  const at = messages.findLastIndex(({ role }) => role === 'assistant')
  const isStep = messages.slice(at + 1).some(({ role }) => role === 'tool')
  if (!isStep) return false
  return !messages[at]?.thinking_blocks?.some(
    ({ type, signature }) => type === 'redacted_thinking' || (type === 'thinking' && signature),
  )
}

/** The greatest limit of the output that is known to be accepted. */
export function outputMax(
  { maxTokens }: Pick<ClaudeModel, 'maxTokens'>,
  { outputTokensMax }: Pick<CodecContext, 'outputTokensMax'>,
): number {
  return Math.min(maxTokens, outputTokensMax ?? maxTokens)
}

/**
 * The limit for the output. Thinking counts as output, so a limit that the thinking budget would use up is raised by the
 * budget, and this is reported.
 */
export function outputLimit(
  asked: number,
  budget: number,
  { model, context }: { readonly model: ClaudeModel; readonly context: CodecContext },
): number {
  if (budget < asked) return asked
  context.leftOut('max_completion_tokens', 'thinking takes more than that')
  return Math.max(budget + 1, Math.min(outputMax(model, context), budget + asked))
}

/** The least limit of the output that is known to be rejected as too great, less one. */
function certainMax({ isAssumed, maxTokens }: ClaudeModel, context: CodecContext): number {
  return context.outputTokensMax ?? (isAssumed === true ? Number.POSITIVE_INFINITY : maxTokens)
}
