import { type Fields, isObject, parseJson, type ServerSentEvent } from '@sluice/contract'

/** The watcher and the reader see the same event one after the other; the document is parsed once. */
const parsed = new WeakMap<ServerSentEvent, Fields | undefined>()

/** An event's data as a JSON object; undefined when it is something else. */
export function eventObject(event: ServerSentEvent): Fields | undefined {
  if (parsed.has(event)) return parsed.get(event)
  const value = parse(event.data)
  parsed.set(event, value)
  return value
}

function parse(text: string): Fields | undefined {
  try {
    const value = parseJson(text)
    return isObject(value) ? value : undefined
  } catch {
    return undefined
  }
}
