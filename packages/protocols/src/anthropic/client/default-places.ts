import { type DefaultParameters, listOf, objectOf } from '@sluice/contract'
import type { NewValue } from '../../native-target.ts'
import { type Defaulted, isGiven, placedDefaults, type Places } from '../../placed-defaults.ts'

const places: Places = {
  temperature: { path: ['temperature'] },
  top_p: { path: ['top_p'] },
  top_k: { path: ['top_k'] },
  stop: { path: ['stop_sequences'] },
  // Every request has a limit.
  max_completion_tokens: { path: ['max_tokens'] },
  user: { path: ['metadata', 'user_id'] },
}

/** A Messages request says with two objects how much to think, and a route with an effort or a budget. */
export function messageDefaults(request: unknown, defaults: DefaultParameters): Defaulted {
  const { reasoning_effort: effort, thinking_budget: budget, ...rest } = defaults
  const placed = placedDefaults(request, rest, places)
  const amount = {
    ...(effort === undefined ? {} : { reasoning_effort: effort }),
    ...(budget === undefined ? {} : { thinking_budget: budget }),
  }
  const isDecided = isGiven(request, ['thinking']) || isGiven(request, ['output_config', 'effort'])
  if (Object.keys(amount).length === 0 || isDecided || mayNotThink(request)) return placed
  const { changes, further } = placed
  const all = { ...placed.all, ...amount }
  const hasRoom = budget === undefined || budget < Number(objectOf(request)['max_tokens'])
  if (!hasRoom) return { all, changes, further: { ...further, ...amount } }
  const thinking = { path: ['thinking'], value: thinkingOf(effort, budget) } as const
  return { all, further, changes: [...changes, thinking, ...effortChange(request, effort)] }
}

/**
 * Whether the API refuses a request that thinks: with a forced call, and within a tool loop that began without thinking (Claude
 * docs, extended thinking: tool use).
 */
function mayNotThink(request: unknown): boolean {
  const { tool_choice: choice, messages } = objectOf(request)
  const type = objectOf(choice)['type']
  if (type === 'any' || type === 'tool') return true
  const turns = listOf(messages).map(objectOf)
  const last = turns.findLast(({ role }) => role === 'assistant')
  const isStep = listOf(turns.at(-1)?.['content']).some(isOfType('tool_result'))
  return isStep && !listOf(last?.['content']).some(isOfType('thinking', 'redacted_thinking'))
}

function isOfType(...types: readonly string[]): (block: unknown) => boolean {
  return (block) => types.some((type) => objectOf(block)['type'] === type)
}

function thinkingOf(effort: DefaultParameters['reasoning_effort'], budget: number | undefined) {
  if (budget === 0 || (budget === undefined && effort === 'none')) return { type: 'disabled' }
  if (budget === undefined || budget < 0) return { type: 'adaptive' }
  return { type: 'enabled', budget_tokens: budget }
}

function effortChange(
  request: unknown,
  effort: DefaultParameters['reasoning_effort'],
): readonly NewValue[] {
  if (effort === undefined || effort === 'none') return []
  const written = effort === 'minimal' ? 'low' : effort
  return objectOf(request)['output_config'] == null
    ? [{ path: ['output_config'], value: { effort: written } }]
    : [{ path: ['output_config', 'effort'], value: written }]
}
