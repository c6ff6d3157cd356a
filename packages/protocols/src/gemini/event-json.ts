import { type Fields, isObject, objectOf, parseJson, type ServerSentEvent } from '@sluice/contract'

/** The watcher and the reader see the same event one after the other; the document is parsed once. */
const parsed = new WeakMap<ServerSentEvent, Fields | undefined>()

/**
 * One fragment of a stream as an object; undefined when it is something else. Errors come wrapped in an array
 * sometimes, so an array stands for its first element.
 */
export function fragmentOf(event: ServerSentEvent): Fields | undefined {
  if (parsed.has(event)) return parsed.get(event)
  const value = parse(event.data)
  const fragment = Array.isArray(value) ? objectOf(value[0]) : value
  const result = isObject(fragment) ? fragment : undefined
  parsed.set(event, result)
  return result
}

function parse(text: string): unknown {
  try {
    return parseJson(text)
  } catch {
    return undefined
  }
}
