import {
  assertDepth,
  type Fields,
  isObject,
  isTooDeep,
  JsonSurvey,
  parseJson,
} from '@sluice/contract'

/**
 * The arguments of a call as text. Of tools without parameters models say nothing, or `null`; either means an empty
 * object.
 */
export function argumentsText(text: string): string {
  const said = text.trim()
  return said === '' || said === 'null' ? '{}' : text
}

/** True for a piece of arguments that may yet turn out to mean none. */
export function mayBeNone(text: string): boolean {
  return 'null'.startsWith(text.trim())
}

/** What stands for arguments that are no JSON object: the text as it is, for what was called is not guessed. */
export function unreadArguments(text: string): Fields {
  return { raw_arguments: text }
}

/**
 * The arguments of a call in the history as the object that upstreams other than OpenAI's take. A model may have made
 * none, and been told so; the conversation goes on. Throws `invalid_request` where they are too deep.
 */
export function readArguments(text: string, param: string): Fields {
  const value = parsed(argumentsText(text))
  assertDepth(value, param)
  return isObject(value) ? value : unreadArguments(text)
}

/** So many cost little, whatever they hold. */
const plainLength = 256 * 1024
/** As many units as a request may hold: of more, the call could not come back in the history. */
const unitsMax = 500_000

/** Whether parsing arguments would hold up everybody: they have more values than a conversation may have. */
export function isTooMuch(text: string): boolean {
  if (text.length <= plainLength) return false
  const survey = new JsonSurvey(Buffer.from(text), Number.POSITIVE_INFINITY)
  while (!survey.isDone && survey.units <= unitsMax) survey.advance(plainLength)
  return survey.units > unitsMax
}

/**
 * The arguments of a call in an answer as an object; undefined where they are none, are too deep or have too many
 * values to be taken apart.
 */
export function answeredArguments(text: string): Fields | undefined {
  if (text.trim() === '') return {}
  const value = isTooMuch(text) ? undefined : parsed(text)
  return isObject(value) && !isTooDeep(value) ? value : undefined
}

/** Undefined for what is no JSON. */
function parsed(text: string): unknown {
  try {
    return parseJson(text)
  } catch {
    return undefined
  }
}
