import { type Fields, isObject, objectOf } from '@sluice/contract'
import { chatFamily } from '../../families/chat-models.ts'
import { isNeutral } from '../../neutral-values.ts'

/**
 * Advisory fields in a request to one of OpenAI's own models that the model rejects, as it does while it reasons (reasoning
 * guide; "Unsupported parameter: 'temperature' is not supported with this model").
 */
export function refusedAtChat(request: unknown, model: string): readonly string[] {
  if (!isObject(request)) return []
  const given = askedFor(request, advisory)
  if (given.length === 0 || !reasons(model, request['reasoning_effort'])) return []
  const lacks: readonly string[] = chatFamily(model).lacks
  return given.filter((name) => lacks.includes(name))
}

const advisory = [
  'temperature',
  'top_p',
  'presence_penalty',
  'frequency_penalty',
  'parallel_tool_calls',
] as const

/** The same at `/responses`, where there are no penalties. */
export function refusedAtResponses(request: unknown, model: string): readonly string[] {
  if (!isObject(request)) return []
  const given = askedFor(request, ['temperature', 'top_p'])
  if (given.length === 0 || !reasons(model, objectOf(request['reasoning'])['effort'])) return []
  return given
}

function askedFor(request: Fields, names: readonly string[]): readonly string[] {
  return names.filter((name) => !isNeutral(name, request[name]))
}

/** Whether one of OpenAI's models reasons for this request. Some reason only if the request asks for it. */
function reasons(model: string, effort: unknown): boolean {
  const { lacks, efforts } = chatFamily(model)
  const mayAnswerAtOnce = efforts?.includes('none') === true
  return lacks.includes('temperature') && !(mayAnswerAtOnce && (effort ?? 'none') === 'none')
}
