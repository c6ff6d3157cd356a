import { type Fields, isObject, objectOf } from '@sluice/contract'
import { readEffort } from '../../efforts.ts'
import { isKnownGemini, takesPenalties, thinkingStyleOf } from '../../families/gemini.ts'
import { isNeutral } from '../../neutral-values.ts'
import { limitsOf, loweredLimits } from '../../output-limit.ts'
import type { Change, NativeTarget } from '../../native-target.ts'
import type { Inspected } from '../../protocol.ts'
import { thinkingConfig } from './thinking.ts'

/**
 * What a Gemini model does not accept in its own format, and the form in which it does: limits, penalties, and how much to
 * think (Gemini API, thinking guide). Both spellings of a name are read; the caller's is kept.
 */
export function adaptedContents(
  request: unknown,
  _found: Inspected,
  target: NativeTarget,
): readonly Change[] {
  const lowered = loweredLimits(request, limitsOf.gemini, target)
  if (!isKnownGemini(target.model)) return lowered
  const name = nameIn(objectOf(request), ['generationConfig', 'generation_config'])
  if (name === undefined) return lowered
  const config = objectOf(objectOf(request)[name])
  return [...lowered, ...penalties(config, name, target), ...thinking(config, name, target)]
}

function nameIn(fields: Fields, names: readonly string[]): string | undefined {
  return names.find((name) => fields[name] != null)
}

function penalties(config: Fields, name: string, target: NativeTarget): readonly Change[] {
  if (takesPenalties(target.model)) return []
  const given = [
    ['presencePenalty', 'presence_penalty'],
    ['frequencyPenalty', 'frequency_penalty'],
  ].flatMap((names) => nameIn(config, names) ?? [])
  return given
    .filter((field) => !isNeutral('presence_penalty', config[field]))
    .map((field): Change => {
      target.leftOut(`${name}.${field}`, 'the model rejects it')
      return { path: [name, field], value: undefined }
    })
}

const levels = ['thinkingLevel', 'thinking_level']
const budgets = ['thinkingBudget', 'thinking_budget']

function thinking(config: Fields, name: string, target: NativeTarget): readonly Change[] {
  const own = nameIn(config, ['thinkingConfig', 'thinking_config'])
  const given = own === undefined ? undefined : config[own]
  if (own === undefined || !isObject(given)) return []
  const level = nameIn(given, levels)
  const budget = nameIn(given, budgets)
  const path = [name, own] as const
  if (thinkingStyleOf(target.model) === 'none') {
    if (level === undefined && !(Number(given[budget ?? '']) > 0)) return []
    target.leftOut(path.join('.'), 'the model does not think')
    return [{ path, value: undefined }]
  }
  // With both, the model itself has to say which one counts.
  if ((level === undefined) === (budget === undefined)) return []
  const written = level ?? budget ?? ''
  const effort = readEffort(String(given[written]).toLowerCase())
  const asked =
    level === undefined
      ? { thinking_budget: Number(given[written]) }
      : { reasoning_effort: effort ?? null }
  const fitted = thinkingConfig(
    { model: target.model, messages: [], ...asked },
    {
      model: target.model,
      leftOut: (_, reason) => target.leftOut(`${path.join('.')}.${written}`, reason),
    },
  )
  if (fitted === undefined) return []
  const { includeThoughts: _, ...amount } = fitted
  const isSame = Object.entries(amount).every(
    ([field, value]) =>
      camel(written) === field && String(given[written]).toUpperCase() === String(value),
  )
  if (isSame) return []
  const { [written]: _given, ...rest } = given
  return [{ path, value: { ...rest, ...amount } }]
}

function camel(name: string): string {
  return name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase())
}
