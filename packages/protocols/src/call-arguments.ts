import { assertDepth, type Fields, invalidRequest, isObject, parseJson } from '@sluice/contract'

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

/**
 * The arguments of a call in the history as the object that upstreams other than OpenAI's take. Throws
 * `invalid_request` for text that is no JSON object: what was called is not guessed.
 */
export function readArguments(text: string, param: string): Fields {
  const value = parsed(argumentsText(text))
  assertDepth(value, param)
  if (isObject(value)) return value
  throw invalidRequest('The arguments of a tool call must be a JSON object', param)
}

/** Undefined for what is no JSON, which is refused like anything else that is no object. */
function parsed(text: string): unknown {
  try {
    return parseJson(text)
  } catch {
    return undefined
  }
}
