import { type Fields, isObject, listOf, objectOf } from '@sluice/contract'
import { reportUnsupportedFields } from '../../decisions.ts'
import { readEffort } from '../../efforts.ts'
import { type ChatFamily, chatFamily, lackedAt, unknownFamily } from '../../families/chat-models.ts'
import { fittedUserIds } from '../../fitted-id.ts'
import { isNeutral } from '../../neutral-values.ts'
import { limitsOf, loweredLimits } from '../../output-limit.ts'
import type { Change, NativeTarget } from '../../native-target.ts'
import type { Inspected } from '../../protocol.ts'
import { wantsObject } from '../../tools/object-schema.ts'
import { objectTools } from '../../tools/object-tools.ts'
import { thinkingFields } from './thinking.ts'

/**
 * What a model of one of OpenAI's families does not accept in a chat request, and the form in which it does, as the codec
 * translates it. An unknown model counts as accepting everything up to its maximum.
 */
export function adaptedChat(
  request: unknown,
  { isPlain, isServer = false }: Pick<Inspected, 'isPlain'> & OfServer,
  target: NativeTarget,
): readonly Change[] {
  const limits = loweredLimits(request, limitsOf.chat, target)
  const family = chatFamily(target.family)
  if (isPlain || !isObject(request)) return limits
  const lowered = [...limits, ...adaptedTools(request, { isServer }, target)]
  if (family === unknownFamily) return lowered
  const lacked = lackedAt(family, request['reasoning_effort']).filter((field) => field !== 'stop')
  const { store, metadata } = request
  const notes = family.isOpenAIs === true && store !== true && !isNeutral('metadata', metadata)
  return [
    ...lowered,
    ...reportUnsupportedFields(request, notes ? [...lacked, 'metadata'] : lacked, target).map(
      removed,
    ),
    ...adaptedEffort(request, family, target),
    ...(family.isOpenAIs === true ? shortIds(request) : []),
  ]
}

interface OfServer {
  /** Whether the upstream is a server of one's own. Default false. */
  readonly isServer?: boolean
}

function adaptedTools(
  request: Fields,
  { isServer = false }: OfServer,
  target: NativeTarget,
): readonly Change[] {
  return isServer && !wantsObject(target.family) ? [] : objectTools(request, 'chat', target)
}

/** The same for a server of one's own. */
export function adaptedForServer(
  request: unknown,
  { isPlain }: Inspected,
  target: NativeTarget,
): readonly Change[] {
  return adaptedChat(request, { isPlain, isServer: true }, target)
}

/**
 * For upstreams that accept more than OpenAI does: only the limit, and an effort that the model has. What OpenAI's own models have
 * is for the upstream to know, which may take other efforts for them.
 */
export function adaptedCompatible(
  request: unknown,
  _found: Inspected,
  target: NativeTarget,
): readonly Change[] {
  if (!isObject(request)) return []
  const family = chatFamily(target.family)
  const { efforts, isOpenAIs = false } = family
  const isKnown = efforts !== undefined && (!isOpenAIs || efforts.length === 0)
  return [
    ...loweredLimits(request, limitsOf.chat, target),
    ...adaptedTools(request, { isServer: true }, target),
    ...(isKnown ? adaptedEffort(request, family, target) : []),
  ]
}

export function adaptedCompletion(
  request: unknown,
  _found: Inspected,
  target: NativeTarget,
): readonly Change[] {
  return loweredLimits(request, limitsOf.maxTokens, target)
}

function removed(field: string): Change {
  return { path: [field], value: undefined }
}

/** The effort as the codec sends it. */
function adaptedEffort(
  request: Fields,
  family: ChatFamily,
  target: NativeTarget,
): readonly Change[] {
  const { reasoning_effort: given } = request
  const tools = listOf(request['tools'])
  const asked = readEffort(given)
  if ((given ?? undefined) !== asked || (asked === undefined && tools.length === 0)) return []
  const place = { family, context: target }
  const { reasoning_effort: effort } = thinkingFields({ reasoning_effort: asked, tools }, place)
  return effort === asked ? [] : [{ path: ['reasoning_effort'], value: effort }]
}

function shortIds(request: Fields): readonly Change[] {
  return Object.entries(fittedUserIds(request)).flatMap(([field, id]) =>
    id === request[field] ? [] : [{ path: [field], value: id } as const],
  )
}

/** The same at `/responses`, where there are no penalties and every model accepts tools together with an effort. */
export function adaptedResponses(
  request: unknown,
  _found: Inspected,
  target: NativeTarget,
): readonly Change[] {
  if (!isObject(request)) return []
  const family = chatFamily(target.family)
  const { reasoning, text } = request
  const lacked = lackedAt(family, objectOf(reasoning)['effort'])
  const lacks = (['temperature', 'top_p', 'top_logprobs'] as const).filter((field) =>
    lacked.includes(field),
  )
  const { verbosity } = objectOf(text)
  const isWordy = lacked.includes('verbosity') && !isNeutral('verbosity', verbosity)
  if (isWordy) target.leftOut('text.verbosity', 'this model rejects it')
  return [
    ...loweredLimits(request, limitsOf.responses, target),
    ...objectTools(request, 'responses', target),
    ...reportUnsupportedFields(request, lacks, target).map(removed),
    ...(isWordy ? [{ path: ['text', 'verbosity'], value: undefined } as const] : []),
    ...adaptedReasoning(request, family, target),
    ...(family.isOpenAIs === true ? shortIds(request) : []),
  ]
}

const encrypted = 'reasoning.encrypted_content'

function adaptedReasoning(
  { reasoning, include }: Fields,
  family: ChatFamily,
  target: NativeTarget,
): readonly Change[] {
  const { effort: given } = objectOf(reasoning)
  const reasons = family.efforts?.length !== 0 || family.lacks.includes('temperature')
  if (!reasons) {
    const asked = Object.entries(objectOf(reasoning)).filter(([name, value]) =>
      name === 'effort' ? !isNeutral('reasoning_effort', value) : value != null,
    )
    for (const [name] of asked) target.leftOut(`reasoning.${name}`, 'this model does not reason')
    const words = listOf(include)
    const at = words.indexOf(encrypted)
    if (at >= 0) target.leftOut(`include[${at}]`, 'this model does not reason')
    return [
      ...(isObject(reasoning) ? [removed('reasoning')] : []),
      ...(at < 0
        ? []
        : [{ path: ['include'], value: words.filter((word) => word !== encrypted) } as const]),
    ]
  }
  const asked = readEffort(given)
  if (asked === undefined) return []
  const context = {
    ...target,
    leftOut: (_: string, reason?: string) => target.leftOut('reasoning.effort', reason),
  }
  const { reasoning_effort: effort } = thinkingFields(
    { reasoning_effort: asked },
    { family, context },
  )
  return effort === asked ? [] : [{ path: ['reasoning', 'effort'], value: effort }]
}
