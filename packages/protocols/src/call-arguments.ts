import {
  assertDepth,
  type Fields,
  GatewayError,
  isObject,
  isTooDeep,
  JsonSurvey,
  parsedJson,
} from '@sluice/contract'

/** The arguments of a call as text. Models write nothing or `null` for tools without parameters; both mean an empty object. */
export function argumentsText(text: string): string {
  const trimmed = text.trim()
  return trimmed === '' || trimmed === 'null' ? '{}' : text
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
  const value = parsedJson(argumentsText(text))
  assertDepth(value, param)
  return isObject(value) ? value : unreadArguments(text)
}

/** Arguments of at most this length are cheap to parse, whatever they contain. */
const plainLength = 256 * 1024
/** Longer arguments are not parsed, in UTF-16 units: ten times what the longest output of a model holds. */
const lengthMax = 8 * 1024 * 1024
/** Arguments with more units of JsonSurvey are not parsed either: half of what a request may have. */
const unitsMax = 250_000

/** Whether arguments are too expensive to parse: they are too long, or have too many values. */
export function isTooMuch(text: string): boolean {
  if (text.length <= plainLength) return false
  if (text.length > lengthMax) return true
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
  const value = isTooMuch(text) ? undefined : parsedJson(text)
  return isObject(value) && !isTooDeep(value) ? value : undefined
}

/** Names of the arguments of calls in the responses of the providers. */
const argumentNames: ReadonlySet<string> = new Set(['args', 'arguments', 'input', 'parameters'])
/** What a value and a name cost beside their texts, in UTF-16 units. Objects with many names cost most. */
const valueLength = 8
const nameLength = 120

/**
 * Throws `upstream_garbled` if the arguments of all calls in a response or an event, as text or as objects, are longer than
 * any model writes: their translation cannot be divided between turns of the event loop.
 */
export function assertShortArguments(response: unknown): void {
  let remaining = lengthMax
  // A list, since a response may be nested deeper than functions may call themselves.
  const open: { readonly value: unknown; readonly isArgument: boolean }[] = []
  const see = (value: unknown, isArgument: boolean): void => {
    if (isArgument) remaining -= valueLength + (typeof value === 'string' ? value.length : 0)
    if (remaining < 0)
      throw new GatewayError(
        'upstream_garbled',
        'The tool call arguments of the upstream’s response are too long',
      )
    if (typeof value === 'object' && value !== null) open.push({ value, isArgument })
  }
  see(response, false)
  for (let node = open.pop(); node; node = open.pop()) {
    const { value, isArgument } = node
    if (Array.isArray(value)) for (const item of value) see(item, isArgument)
    else if (isObject(value))
      // Not Object.entries, which would copy all of them first.
      for (const name in value) {
        if (isArgument) remaining -= nameLength + name.length
        see(value[name], isArgument || argumentNames.has(name))
      }
  }
}

/** The size from which a response or an event is looked through by `assertShortArguments`, in bytes or UTF-16 units. */
export const lookedThroughMin = 256 * 1024
