import {
  type Fields,
  isObject,
  listOf,
  objectOf,
  type ServerSentEvent,
  someText,
  type Usage,
} from '@sluice/contract'
import type { StreamWatcher, Verdict } from '../../protocol.ts'
import { readContent, readReasoning } from './content.ts'
import { eventObject } from '../../read-json.ts'
import { failureOf } from './finish-reasons.ts'
import { errorIn, upstreamError } from '../../failure.ts'
import { usageIn } from '../../usage.ts'

/** Watches a stream of chat or text completion chunks (OpenAI API; the stream ends with `[DONE]`). */
export function watchCompletion(): StreamWatcher {
  return new CompletionWatcher()
}

class CompletionWatcher implements StreamWatcher {
  usageOnly = false
  #usage: Usage | undefined
  readonly #open = new Set<unknown>()

  see(event: ServerSentEvent): Verdict {
    this.usageOnly = false
    if (event.data.trim() === '[DONE]') return 'terminal'
    const chunk = eventObject(event)
    if (chunk === undefined) return event.event === 'error' ? upstreamError(event.data) : 'garbage'
    const error = errorIn(chunk)
    if (error !== undefined) return upstreamError(error)
    if (event.event === 'error') return upstreamError(chunk)
    const usage = usageIn(chunk)
    if (usage !== undefined) this.#usage = usage
    const choices = listOf(chunk['choices']).filter(isObject)
    this.usageOnly = usage !== undefined && choices.length === 0
    return this.#judge(choices)
  }

  usage(): Usage | undefined {
    return this.#usage
  }

  /** The answer is whole when every choice that began has a finish reason. */
  #judge(choices: readonly Fields[]): Verdict {
    let finished = false
    for (const choice of choices) {
      const reason = choice['finish_reason']
      const failure = failureOf(reason)
      if (failure !== undefined) return failure
      const index = choice['index'] ?? 0
      if (someText(reason) === undefined) {
        this.#open.add(index)
        continue
      }
      this.#open.delete(index)
      finished = true
    }
    if (finished && this.#open.size === 0) return 'finish'
    return choices.some(hasContent) ? 'content' : 'other'
  }
}

function hasContent(choice: Fields): boolean {
  if (someText(choice['text']) !== undefined) return true
  const delta = objectOf(choice['delta'] ?? choice['message'])
  const { text, reasoning } = readContent(delta['content'])
  return (
    text !== '' ||
    reasoning !== '' ||
    readReasoning(delta) !== '' ||
    someText(delta['refusal']) !== undefined ||
    listOf(delta['tool_calls']).length > 0 ||
    isObject(delta['function_call']) ||
    isObject(delta['audio']) ||
    listOf(delta['images']).length > 0
  )
}
