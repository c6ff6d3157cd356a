import {
  isObject,
  listOf,
  type PlainForm,
  type ServerSentEvent,
  someText,
  type Fields,
} from '@sluice/contract'
import { textBytesIn } from '../../event-text.ts'
import type { StreamWatcher, Verdict } from '../../protocol.ts'
import { LatestUsage } from '../../read-json.ts'
import { failureOf, blockReasonOf } from '../finish-reasons.ts'
import { readUsage, ServerToolCounter } from '../usage.ts'
import { fragmentOf, hasContent } from './candidate.ts'
import { errorIn, upstreamError } from './failure.ts'

/** `stringValue` is a piece of arguments. */
const texts = ['text', 'args', 'stringValue'] as const
const textBytes = textBytesIn(...texts)

const plain: PlainForm = {
  texts,
  members: {
    error: 'none',
    candidates: {
      single: {
        index: 'choice',
        finishReason: 'none',
        groundingMetadata: 'never',
        urlContextMetadata: 'never',
        content: { object: { parts: { single: { text: 'text' } } } },
      },
    },
    usageMetadata: {
      usage: {
        promptTokenCount: 'count',
        candidatesTokenCount: 'count',
        thoughtsTokenCount: 'count',
      },
    },
  },
}

/**
 * Watches streamGenerateContent. It has no final event: the response is complete when every candidate that began has a
 * finishReason, and a stream that ends before was cut.
 */
export function createChatWatcher(): StreamWatcher {
  const usage = new LatestUsage((fragment) => readUsage(fragment['usageMetadata']))
  let hasBegun = false
  const counter = new ServerToolCounter()
  const open = new Set<unknown>()

  function judge(fragment: Fields): Verdict {
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
      usage.see(fragment)
      return judge(fragment)
    },
    plain,
    pass(events) {
      hasBegun = true
      for (const index of events.choiceIndexes) open.add(index)
      usage.keep(events.usage)
      return true
    },
    usage: () => usage.value && counter.in(usage.value),
    textBytes,
  }
}
