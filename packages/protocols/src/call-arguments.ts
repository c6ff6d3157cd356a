import {
  assertDepth,
  type Fields,
  isObject,
  isTooDeep,
  JsonSurvey,
  parseJson,
} from '@sluice/contract'

/** The arguments of a call as text. Models write nothing or `null` for tools without parameters; both mean an empty object. */
export function argumentsText(text: string): string {
  const said = text.trim()
  return said === '' || said === 'null' ? '{}' : text
}

/** Whether a piece of arguments may still turn out to be empty. */
export function mayBeNone(text: string): boolean {
  return 'null'.startsWith(text.trim())
}

/** Represents arguments that are not a JSON object by their text, without guessing their meaning. */
export function unreadArguments(text: string): Fields {
  return { raw_arguments: text }
}

/**
 * The arguments of a call in the history as an object, which upstreams other than OpenAI require. Invalid arguments of a model
 * are kept as text, so that the conversation can continue. Throws `invalid_request` if they are nested too deeply.
 */
export function readArguments(text: string, param: string): Fields {
  const value = parsed(argumentsText(text))
  assertDepth(value, param)
  return isObject(value) ? value : unreadArguments(text)
}

/** Arguments of at most this length are cheap to parse, whatever they contain. */
const plainLength = 256 * 1024
/** The limit for requests: a call with more could not be returned in the history. */
const unitsMax = 500_000

/** Whether arguments are too expensive to parse: they have more values than a request may have. */
export function isTooMuch(text: string): boolean {
  if (text.length <= plainLength) return false
  const survey = new JsonSurvey(Buffer.from(text), Number.POSITIVE_INFINITY)
  while (!survey.isDone && survey.units <= unitsMax) survey.advance(plainLength)
  return survey.units > unitsMax
}

/**
 * The arguments of a call in a response as an object; undefined if they are not an object, are nested too deeply or have too
 * many values.
 */
export function answeredArguments(text: string): Fields | undefined {
  if (text.trim() === '') return {}
  const value = isTooMuch(text) ? undefined : parsed(text)
  return isObject(value) && !isTooDeep(value) ? value : undefined
}

/** Undefined for invalid JSON. */
function parsed(text: string): unknown {
  try {
    return parseJson(text)
  } catch {
    return undefined
  }
}
