import { type DefaultParameters, objectOf } from '@sluice/contract'
import { type Defaulted, type Place, placedDefaults } from '../../placed-defaults.ts'
import { snakeCase } from '../letter-case.ts'
import { spelled } from '../spelling.ts'
import { configNames } from './config.ts'

const config = 'generationConfig'

/** The parameters as fields of a generationConfig. */
export function contentDefaults(request: unknown, defaults: DefaultParameters): Defaulted {
  const fields = objectOf(request)
  const outer = spelled(fields, config)
  const inner = objectOf(fields[outer])
  const placed = (name: string, written?: Place['written']): Place => ({
    path: [outer, spelled(inner, name)],
    also: [[outer, snakeCase(name)]],
    ...(written && { written }),
  })
  const own = configNames.map(([name, canonical]) => [canonical, placed(name)] as const)
  const { reasoning_effort: effort, ...rest } = defaults
  // Gemini takes either a level or a budget.
  const isLevel = effort !== undefined && rest.thinking_budget === undefined
  return placedDefaults(request, isLevel ? { ...rest, reasoning_effort: effort } : rest, {
    ...Object.fromEntries(own),
    stop: placed('stopSequences'),
    logprobs: placed('responseLogprobs'),
    top_logprobs: placed('logprobs'),
    reasoning_effort: placed('thinkingConfig', levelOf),
    thinking_budget: placed('thinkingConfig', (budget) => ({ thinkingBudget: budget })),
  })
}

/** Gemini's levels end at `high`; only a budget switches thinking off (Gemini API, thinking guide). */
function levelOf(effort: unknown) {
  if (effort === 'none') return { thinkingBudget: 0 }
  const level = effort === 'xhigh' || effort === 'max' ? 'high' : String(effort)
  return { thinkingLevel: level.toUpperCase() }
}
