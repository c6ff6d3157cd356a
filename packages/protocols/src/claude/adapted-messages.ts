import { countOf, isObject, listOf, objectOf, textOf } from '@sluice/contract'
import { effortOf } from '../efforts.ts'
import { type ClaudeModel, knownClaude } from '../families/claude.ts'
import { limitsOf, loweredLimits } from '../output-limit.ts'
import type { Change, NativeTarget } from '../native-target.ts'
import type { Inspected } from '../protocol.ts'
import { claudeStops, takesStops } from '../stops/stop-rule.ts'
import { objectTools } from '../tools/object-tools.ts'
import { heldFormats, heldTools, holdsFormats } from './held-schemas.ts'
import { refusedSampling } from './sampling.ts'
import { budgetFor, budgetMin, mayForceCall } from './thinking.ts'

/**
 * Whether a Claude model understands a Messages request, changed by `adaptedMessages`. What it cannot do itself is done or
 * translated by the gateway: stopping at white space, going on behind a last message of its own, and formats without schemas.
 * Models of other makers count as understanding everything.
 */
export function fitsClaude(request: unknown, name: string): boolean {
  const { stop_sequences: stops, messages, tools, output_config: config } = objectOf(request)
  if (!takesStops(stops, claudeStops)) return false
  const model = knownClaude(name)
  if (model === undefined) return true
  if (!model.prefill && objectOf(listOf(messages).at(-1))['role'] === 'assistant') return false
  if (model.structured) return holdsFormats(request)
  const isStrict = listOf(tools).some((tool) => objectOf(tool)['strict'] === true)
  return (
    !isStrict && objectOf(config)['format'] == null && !isObject(objectOf(request)['output_format'])
  )
}

/**
 * What a Claude model does not accept in a Messages request, and the form in which it does (Claude docs, adaptive thinking,
 * effort, migration guides). A request to a model of another maker is changed only if its maximum is known.
 */
export function adaptedMessages(
  request: unknown,
  { isPlain }: Inspected,
  target: NativeTarget,
): readonly Change[] {
  const lowered = loweredLimits(request, limitsOf.maxTokens, target)
  const model = knownClaude(target.family)
  if (isPlain || model === undefined) return lowered
  const sampling = refusedSampling(request, model).map((field): Change => {
    target.leftOut(field, 'the model rejects it here')
    return { path: [field], value: undefined }
  })
  const limit = countOf(lowered[0]?.value) ?? countOf(objectOf(request)['max_tokens'])
  return [
    ...lowered,
    ...sampling,
    ...adaptedThinking(request, target, { isLowered: lowered.length > 0, limit }),
    ...freeChoice(request, model, target),
    ...schemasOf(request, model, target),
  ]
}

/** The same for a request to count tokens, which has neither limits nor sampling. */
export function adaptedCount(
  request: unknown,
  _found: Inspected,
  target: NativeTarget,
): readonly Change[] {
  const model = knownClaude(target.family)
  return [
    ...adaptedThinking(request, target, { isLowered: false, limit: undefined }),
    ...(model === undefined ? [] : schemasOf(request, model, target)),
  ]
}

function schemasOf(request: unknown, model: ClaudeModel, target: NativeTarget): readonly Change[] {
  if (!isObject(request)) return []
  return [
    ...objectTools(request, 'messages', target),
    ...(model.structured ? [...heldTools(request, target), ...heldFormats(request, target)] : []),
  ]
}

interface Room {
  /** The limit of the output that is sent. */
  readonly limit: number | undefined
  /** Whether it is less than the caller's, so that the caller's budget may not fit into it. */
  readonly isLowered: boolean
}

function adaptedThinking(request: unknown, target: NativeTarget, room: Room): readonly Change[] {
  const { thinking, output_config: config } = objectOf(request)
  const model = knownClaude(target.family)
  if (model === undefined || (thinking == null && config == null)) return []
  const effort = objectOf(config)['effort']
  return [
    ...(thinking == null ? [] : thinkingOf(request, model, target, room)),
    ...(effort == null ? [] : effortOfModel(effort, model, target)),
  ]
}

function thinkingOf(
  request: unknown,
  model: ClaudeModel,
  target: NativeTarget,
  room: Room,
): readonly Change[] {
  const { thinking, output_config: config } = objectOf(request)
  const { type, budget_tokens: budget, ...rest } = objectOf(thinking)
  const without = (reason: string): readonly Change[] => {
    target.leftOut('thinking', reason)
    return [{ path: ['thinking'], value: undefined }, ...withoutClearing(request, target)]
  }
  if (type === 'disabled') {
    if (model.off === 'between_tools')
      return [{ path: ['thinking'], value: { ...rest, type: model.off } }]
    const always = model.thinking !== 'none' && model.off === undefined
    return always ? without('this model always thinks') : []
  }
  if (type !== 'enabled' && type !== 'adaptive') return []
  if (model.thinking === 'none') return without('this model does not think')
  if (type === 'adaptive' && model.thinking === 'budget') {
    const { display, ...kept } = rest
    if (display === 'omitted') target.leftOut('thinking.display', 'this model shows its thinking')
    const own = Math.min(
      budgetFor(objectOf(config)['effort']),
      (room.limit ?? Number.POSITIVE_INFINITY) - 1,
    )
    if (own < budgetMin) return without('the limit of the output leaves no room for it')
    return [{ path: ['thinking'], value: { ...kept, type: 'enabled', budget_tokens: own } }]
  }
  if (type === 'enabled' && model.thinking === 'adaptive') {
    const effort = typeof budget === 'number' ? effortOf(budget) : undefined
    return [
      // Older models show their thinking by default.
      { path: ['thinking'], value: { display: 'summarized', ...rest, type: 'adaptive' } },
      ...(effort === undefined ? [] : withEffort(effort, config)),
    ]
  }
  const { limit, isLowered } = room
  if (!isLowered || limit === undefined || !(Number(budget) >= limit)) return []
  target.leftOut('thinking.budget_tokens', 'it must be less than max_tokens')
  return [{ path: ['thinking', 'budget_tokens'], value: Math.max(budgetMin, limit - 1) }]
}

/** Other members keep their bytes. */
function withEffort(effort: string, config: unknown): readonly Change[] {
  if (!isObject(config)) return [{ path: ['output_config'], value: { effort } }]
  return 'effort' in config ? [] : [{ path: ['output_config', 'effort'], value: effort }]
}

/** Thoughts are not cleared where there are none: "strategy requires `thinking` to be enabled or adaptive". */
function withoutClearing(request: unknown, target: NativeTarget): readonly Change[] {
  const management = objectOf(objectOf(request)['context_management'])
  const edits = listOf(management['edits'])
  const kept = edits.filter((edit) => !textOf(objectOf(edit)['type']).startsWith('clear_thinking'))
  if (kept.length === edits.length) return []
  target.leftOut('context_management', 'the model does not think here')
  const value = kept.length === 0 ? undefined : { ...management, edits: kept }
  return [{ path: ['context_management'], value }]
}

/** The newest models know all efforts; those before them no more than `high` or `max`. */
function effortOfModel(
  effort: unknown,
  model: ClaudeModel,
  target: NativeTarget,
): readonly Change[] {
  const path = ['output_config', 'effort'] as const
  if (!model.effort) {
    target.leftOut(path.join('.'), 'this model knows no effort')
    return [{ path, value: undefined }]
  }
  const isMore = effort === 'xhigh' || (effort === 'max' && model.thinking === 'budget')
  return isMore && model.thinking !== 'adaptive' ? [{ path, value: 'high' }] : []
}

function freeChoice(request: unknown, model: ClaudeModel, target: NativeTarget): readonly Change[] {
  const { tool_choice: choice, thinking } = objectOf(request)
  const { type } = objectOf(choice)
  if (type !== 'any' && type !== 'tool') return []
  const asked = objectOf(thinking)['type']
  // As it is sent: adaptive thinking becomes a budget where a model knows nothing else, and the reverse.
  const hasBudget =
    model.thinking === 'budget'
      ? asked === 'enabled' || asked === 'adaptive'
      : model.thinking === 'either' && asked === 'enabled'
  if (mayForceCall(model, hasBudget ? { thinking: { type: 'enabled' } } : {})) return []
  target.unsupported('tool_choice', 'this model cannot be made to call a tool here')
  return [{ path: ['tool_choice'], value: undefined }]
}
