import { isObject, listOf, type ServerSentEvent, someText, type Usage } from '@sluice/contract'
import type { StreamWatcher, Verdict } from '../protocol.ts'
import { hasContent } from './candidate.ts'
import { blockReasonOf } from './chat-reply.ts'
import { fragmentOf } from './event-json.ts'
import { errorIn, upstreamError } from './failure.ts'
import { failureOf } from './finish-reasons.ts'
import { readUsage } from './usage.ts'

/**
 * Watches streamGenerateContent. There is no terminal event: the answer is whole when every candidate that began has
 * a finishReason, and an end before that is a cut.
 */
export function watchContent(): StreamWatcher {
  let usage: Usage | undefined
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
      const error = errorIn(fragment)
      if (error !== undefined) return upstreamError(error)
      usage = readUsage(fragment['usageMetadata']) ?? usage
      return judge(fragment)
    },
    usage: () => usage,
  }
}

/** For formats that are not streamed. */
export function watchNothing(): StreamWatcher {
  return { see: () => 'other', usage: () => undefined }
}
