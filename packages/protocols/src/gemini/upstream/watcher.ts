import {
  type Fields,
  isObject,
  listOf,
  objectOf,
  type ServerSentEvent,
  someText,
  type Usage,
} from '@sluice/contract'
import { textBytesIn } from '../../event-text.ts'
import type { StreamWatcher, Verdict } from '../../protocol.ts'
import { eventJson } from '../../read-json.ts'
import { failureOf } from '../finish-reasons.ts'
import { ServerToolCounter } from '../content-usage.ts'
import { readUsage } from '../usage.ts'
import { hasContent } from './candidate.ts'
import { blockReasonOf } from './chat-reply.ts'
import { errorIn, upstreamError } from './failure.ts'

/** `stringValue` is a piece of arguments. */
const textBytes = textBytesIn('text', 'args', 'stringValue')

/**
 * Watches streamGenerateContent. It has no final event: the response is complete when every candidate that began has a
 * finishReason, and a stream that ends before was cut.
 */
export function createChatWatcher(): StreamWatcher {
  let usage: Usage | undefined
  let hasBegun = false
  const counter = new ServerToolCounter()
  const open = new Set<unknown>()

  function judge(fragment: Readonly<Record<string, unknown>>): Verdict {
    let finished = false
    const candidates = listOf(fragment['candidates']).filter(isObject)
    for (const candidate of candidates) {
      const failure = failureOf(candidate)
      if (failure !== undefined) return failure
      const index = candidate['index'] ?? 0
      if (someText(candidate['finishReason']) === undefined) {
        open.add(index)
        continue
      }
      open.delete(index)
      finished = true
    }
    if (finished && open.size === 0) return 'finish'
    if (candidates.some(hasContent)) return 'content'
    return blockReasonOf(fragment) === undefined ? 'other' : 'finish'
  }

  return {
    see(event: ServerSentEvent): Verdict {
      const fragment = fragmentOf(event)
      if (fragment === undefined) return event.data.trim() === '[DONE]' ? 'other' : 'garbage'
      // Later fragments may be empty, but a stream that begins with an empty one is not a response.
      if (!hasBegun && Object.keys(fragment).length === 0) return 'garbage'
      hasBegun = true
      const error = errorIn(fragment)
      if (error !== undefined) return upstreamError(error)
      counter.add(fragment)
      usage = readUsage(fragment['usageMetadata']) ?? usage
      return judge(fragment)
    },
    usage: () => usage && counter.in(usage),
    textBytes,
  }
}

/**
 * One fragment of a stream as an object; undefined for anything else. Errors are sometimes wrapped in an array, so an array is
 * read as its first element.
 */
export function fragmentOf(event: ServerSentEvent): Fields | undefined {
  const value = eventJson(event)
  if (Array.isArray(value)) return objectOf(value[0])
  return isObject(value) ? value : undefined
}
