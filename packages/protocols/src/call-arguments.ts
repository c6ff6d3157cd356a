import { type Fields, invalidRequest, isObject, parseJson } from '@sluice/contract'

/**
 * The arguments of a call in the history as the object that upstreams other than OpenAI's take; '' means none. Throws
 * `invalid_request` for text that is no JSON object: what was called is not guessed.
 */
export function readArguments(text: string, param: string): Fields {
  if (text.trim() === '') return {}
  try {
    const value = parseJson(text)
    if (isObject(value)) return value
  } catch {
    // Refused below, like any other text that is no object.
  }
  throw invalidRequest('The arguments of a tool call must be a JSON object', param)
}
