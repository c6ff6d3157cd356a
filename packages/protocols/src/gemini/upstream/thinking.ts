import type { ChatRequest, Fields } from '@sluice/contract'
import { type Effort, nearestEffort } from '../../efforts.ts'
import { thinkingLevelsOf, thinkingStyleOf } from '../../families/gemini.ts'
import type { CodecContext } from '../../protocol.ts'

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

/** The limits of Gemini 2.5 Pro. Flash ends at 24,576, as in `budgets`, and its thinking can be switched off. */
const proBudgetMin = 128
const proBudgetMax = 32_768

/** The model decides itself. */
const ownChoice = -1

/**
 * How much to think: `thinking_budget` in tokens, or `reasoning_effort`, which takes precedence over a budget that is left to
 * the model. Thoughts are requested whenever thinking is. Undefined leaves everything to the model.
 */
export function thinkingConfig(request: ChatRequest, context: Reports): Fields | undefined {
  const { thinking_budget: budget, reasoning_effort: effort } = request
  const style = thinkingStyleOf(context.family)
  if (budget != null && (budget !== ownChoice || effort == null)) {
    if (style !== 'none') return budgetIn(budget, context)
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

type Reports = Pick<CodecContext, 'family' | 'leftOut'>

function levelOf(effort: Effort, context: Reports): Fields {
  const known = thinkingLevelsOf(context.family)
  if (effort === 'none') alwaysThinks(context)
  // Between two levels at the same distance, the higher one is chosen, as at Google's OpenAI-compatible endpoint.
  const level = effort === 'none' ? known[0] : nearestEffort(effort, known.toReversed())
  return withThoughts({ thinkingLevel: level?.toUpperCase() }, effort !== 'none')
}

function budgetOf(effort: Effort, context: Reports): Fields | undefined {
  if (effort === 'none' && isPro(context)) {
    alwaysThinks(context)
    return { thinkingBudget: proBudgetMin }
  }
  const isMost = effort === 'xhigh' || effort === 'max'
  const budget = isPro(context) && isMost ? proBudgetMax : budgets[effort]
  return withThoughts({ thinkingBudget: budget }, budget !== 0)
}

function budgetIn(budget: number, context: Reports): Fields {
  const most = isPro(context) ? proBudgetMax : budgets.max
  if (budget !== 0) return withThoughts({ thinkingBudget: Math.min(budget, most) }, true)
  if (!isPro(context)) return { thinkingBudget: 0 }
  context.leftOut('thinking_budget', 'the model always thinks')
  return { thinkingBudget: proBudgetMin }
}

/** Reports that thinking cannot be switched off; the nearest level is requested instead. */
function alwaysThinks({ leftOut }: Reports): void {
  leftOut('reasoning_effort', 'the model always thinks')
}

function isPro({ family }: Reports): boolean {
  return /-pro\b/i.test(family)
}

function withThoughts(config: Fields, thinks: boolean): Fields {
  return thinks ? { ...config, includeThoughts: true } : config
}
