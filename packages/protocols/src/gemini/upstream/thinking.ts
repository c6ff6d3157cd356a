import type { ChatRequest } from '@sluice/contract'
import type { CodecContext } from '../../protocol.ts'
import { thinkingStyleOf } from './model-generation.ts'

type Effort = NonNullable<ChatRequest['reasoning_effort']>

/** Gemini 3 and later; the model takes the nearest level it has (Gemini API, thinking guide). */
const levels: Readonly<Partial<Record<Effort, string>>> = {
  minimal: 'MINIMAL',
  low: 'LOW',
  medium: 'MEDIUM',
  high: 'HIGH',
}

/** Gemini 2.5: the budgets of Google's own OpenAI-compatible endpoint (Gemini API, OpenAI compatibility). */
const budgets: Readonly<Record<Effort, number>> = {
  none: 0,
  minimal: 1024,
  low: 1024,
  medium: 8192,
  high: 24_576,
  xhigh: 24_576,
  max: 24_576,
}

/** The largest budget of Gemini 2.5 Pro; Flash ends at 24,576, which `budgets` uses. */
const proBudgetMax = 32_768

/**
 * How much to think: `thinking_budget` in tokens, or `reasoning_effort`. Thoughts are asked for wherever thinking is.
 * Undefined leaves it to the model.
 */
export function thinkingConfig(
  request: ChatRequest,
  context: Pick<CodecContext, 'model' | 'unsupported' | 'leftOut'>,
): Readonly<Record<string, unknown>> | undefined {
  const { thinking_budget: budget, reasoning_effort: effort } = request
  const style = thinkingStyleOf(context.model)
  if (budget != null) {
    if (style !== 'none') return withThoughts({ thinkingBudget: budget }, budget !== 0)
    if (budget > 0) context.leftOut('thinking_budget')
    return undefined
  }
  if (effort == null) return undefined
  switch (style) {
    case 'none':
      if (effort !== 'none') context.leftOut('reasoning_effort')
      return undefined
    case 'level':
      return levelOf(effort, context)
    case 'budget':
      return budgetOf(effort, context)
  }
}

function levelOf(
  effort: Effort,
  context: Pick<CodecContext, 'unsupported'>,
): Readonly<Record<string, unknown>> | undefined {
  const level = levels[effort]
  if (level !== undefined) return withThoughts({ thinkingLevel: level }, true)
  context.unsupported(
    'reasoning_effort',
    effort === 'none' ? 'the model always thinks' : 'the highest level is high',
  )
  return undefined
}

function budgetOf(
  effort: Effort,
  { model, unsupported }: Pick<CodecContext, 'model' | 'unsupported'>,
): Readonly<Record<string, unknown>> | undefined {
  const isPro = /-pro\b/i.test(model)
  if (effort === 'none' && isPro) {
    unsupported('reasoning_effort', 'the model always thinks')
    return undefined
  }
  const isMost = effort === 'xhigh' || effort === 'max'
  const budget = isPro && isMost ? proBudgetMax : budgets[effort]
  return withThoughts({ thinkingBudget: budget }, budget !== 0)
}

function withThoughts(
  config: Readonly<Record<string, unknown>>,
  thinks: boolean,
): Readonly<Record<string, unknown>> {
  return thinks ? { ...config, includeThoughts: true } : config
}
