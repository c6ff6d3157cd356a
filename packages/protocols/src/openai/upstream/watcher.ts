import { type Fields, isObject, listOf, objectOf, someText, type Usage } from '@sluice/contract'
import { textBytesIn } from '../../event-text.ts'
import { errorIn, upstreamError } from '../../failure.ts'
import { endWithoutReason } from '../../finished.ts'
import type { StreamWatcher, Verdict } from '../../protocol.ts'
import { eventObject } from '../../read-json.ts'
import { RepeatedEvent } from '../../repeated-event.ts'
import { usageIn } from '../../usage.ts'
import { readContent, readReasoning } from './content.ts'
import { ExecutedTools } from './executed-tools.ts'
import { failureOf } from './finish-reasons.ts'
import { spokenIn } from './named.ts'
import { StreamedArguments } from './no-arguments.ts'

const countText = textBytesIn(
  'content',
  'text',
  'thinking',
  'reasoning',
  'reasoning_content',
  'arguments',
  'input',
  'refusal',
  'transcript',
)

/** OpenRouter repeats the content of `reasoning` in its details. */
function textBytes(data: string): number {
  const again = data.indexOf('"reasoning_details":')
  return countText(again >= 0 && data.includes('"reasoning":') ? data.slice(0, again) : data)
}

/** Watches a stream of chat or text completion chunks (OpenAI API; the stream ends with `[DONE]`). */
export function createCompletionWatcher(): StreamWatcher {
  const ends = new ChoiceEnds()
  const repeated = new RepeatedEvent()
  const calls = new StreamedArguments()
  let corrected: string | undefined
  let usageOnly = false
  let used: Usage | undefined
  const executed = new ExecutedTools()
  const made = new Set<string>()

  return {
    see(event) {
      usageOnly = false
      corrected = undefined
      if (repeated.matches(event)) return 'content'
      repeated.forget()
      if (event.data.trim() === '[DONE]') return ends.areAll ? 'terminal' : endWithoutReason()
      const chunk = eventObject(event)
      if (chunk === undefined)
        return event.event === 'error' ? upstreamError(event.data) : 'garbage'
      const error = errorIn(chunk)
      if (error !== undefined) return upstreamError(error)
      if (event.event === 'error') return upstreamError(chunk)
      const usage = usageIn(chunk)
      if (usage !== undefined) used = usage
      const choices = listOf(chunk['choices']).filter(isObject)
      usageOnly = usage !== undefined && choices.length === 0
      executed.see(choices)
      for (const { delta } of choices) {
        const id = spokenIn(delta)
        if (id !== undefined) made.add(id)
      }
      corrected = calls.mend(chunk, choices)
      const verdict = ends.judge(choices)
      if (verdict === 'content' && usage === undefined) repeated.keep(event)
      return verdict
    },
    repeats(block) {
      if (!repeated.matchesBlock(block)) return false
      usageOnly = false
      corrected = undefined
      return true
    },
    usage: () => used && executed.in(used),
    made: () => [...made],
    textBytes,
    get mended() {
      return corrected
    },
    get usageOnly() {
      return usageOnly
    },
  }
}

/** How the choices of a stream end. */
class ChoiceEnds {
  readonly #open = new Set<unknown>()
  /** OpenRouter sends the usage in a chunk that repeats a finished choice, without a reason. */
  readonly #done = new Set<unknown>()

  /** Whether every choice that began has a finish reason. */
  get areAll(): boolean {
    return this.#done.size > 0 && this.#open.size === 0
  }

  judge(choices: readonly Fields[]): Verdict {
    let finished = false
    for (const choice of choices) {
      const reason = choice['finish_reason']
      const failure = failureOf(reason)
      if (failure !== undefined) return failure
      const index = choice['index'] ?? 0
      if (someText(reason) === undefined) {
        if (!this.#done.has(index)) this.#open.add(index)
        continue
      }
      this.#open.delete(index)
      this.#done.add(index)
      finished = true
    }
    if (finished && this.#open.size === 0) return 'finish'
    return choices.some(hasContent) ? 'content' : 'other'
  }
}

function hasContent(choice: Fields): boolean {
  if (someText(choice['text']) !== undefined) return true
  const delta = objectOf(choice['delta'] ?? choice['message'])
  if (someText(delta['content']) !== undefined) return true
  const { text, reasoning, unread } = readContent(delta['content'])
  return (
    text !== '' ||
    reasoning !== '' ||
    unread.length > 0 ||
    readReasoning(delta) !== '' ||
    someText(delta['refusal']) !== undefined ||
    listOf(delta['tool_calls']).length > 0 ||
    isObject(delta['function_call']) ||
    isObject(delta['audio']) ||
    listOf(delta['images']).length > 0
  )
}
