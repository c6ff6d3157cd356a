import {
  type Fields,
  formatJson,
  isObject,
  listOf,
  objectOf,
  type PlainForm,
  someText,
} from '@sluice/contract'
import { textBytesIn } from '../../event-text.ts'
import { errorIn, upstreamError } from '../../failure.ts'
import { endWithoutReason } from '../../finished.ts'
import type { StreamWatcher, Verdict } from '../../protocol.ts'
import { eventObject, LatestUsage } from '../../read-json.ts'
import { usageIn } from '../../usage.ts'
import { readContent, readReasoning } from './content.ts'
import { ExecutedTools } from './executed-tools.ts'
import { failureOf } from './finish-reasons.ts'
import { spokenIn } from './named.ts'
import { StreamedArguments } from './no-arguments.ts'

const texts = [
  'content',
  'text',
  'thinking',
  'reasoning',
  'reasoning_content',
  'arguments',
  'input',
  'refusal',
  'transcript',
] as const
const countText = textBytesIn(...texts)

const plain: PlainForm = {
  texts,
  members: {
    error: 'none',
    service_tier: 'any',
    type: 'never',
    object: { words: ['chat.completion.chunk', 'text_completion'], isOptional: true },
    usage: {
      usage: { prompt_tokens: 'count', completion_tokens: 'count', total_tokens: 'count' },
    },
    x_groq: 'none',
    choices: {
      single: {
        index: 'choice',
        finish_reason: 'none',
        usage: 'none',
        message: 'none',
        text: 'text',
        delta: {
          object: {
            content: 'text',
            reasoning_content: 'text',
            // It is given its other name, too.
            reasoning: 'none',
            reasoning_details: 'none',
            refusal: 'text',
            tool_calls: {
              calls: {
                index: 'call',
                function: { object: { arguments: 'text' } },
              },
            },
            function_call: 'none',
            audio: 'none',
            images: 'none',
            executed_tools: 'none',
          },
        },
      },
    },
  },
}

/** OpenRouter repeats the content of `reasoning` in its details. */
function textBytes(data: string): number {
  const again = data.indexOf('"reasoning_details":')
  return countText(again >= 0 && data.includes('"reasoning":') ? data.slice(0, again) : data)
}

/** Watches a stream of chat or text completion chunks (OpenAI API; the stream ends with `[DONE]`). */
export function createCompletionWatcher(): StreamWatcher {
  const ends = new ChoiceEnds()
  const calls = new StreamedArguments()
  let corrected: string | undefined
  let usageOnly = false
  const used = new LatestUsage(usageIn)
  const executed = new ExecutedTools()
  const made = new Set<string>()

  return {
    see(event) {
      usageOnly = false
      corrected = undefined
      if (event.data.trim() === '[DONE]') return ends.areAll ? 'terminal' : endWithoutReason()
      const chunk = eventObject(event)
      if (chunk === undefined)
        return event.event === 'error' ? upstreamError(event.data) : 'garbage'
      const error = errorIn(chunk)
      if (error !== undefined) return upstreamError(error)
      if (event.event === 'error') return upstreamError(chunk)
      const hasUsage = used.see(chunk)
      const choices = listOf(chunk['choices']).filter(isObject)
      usageOnly = hasUsage && choices.length === 0
      executed.see(choices)
      for (const { delta } of choices) {
        const id = spokenIn(delta)
        if (id !== undefined) made.add(id)
      }
      corrected = mended(chunk, choices, calls)
      return ends.judge(choices)
    },
    plain,
    pass(events) {
      const { choiceIndexes, callIndexes } = events
      if (!calls.haveBegun(choiceIndexes, callIndexes)) return false
      for (const index of choiceIndexes) ends.begin(index)
      used.keep(events.usage)
      return true
    },
    usage: () => used.value && executed.in(used.value),
    made: () => [...made],
    textBytes,
    get repaired() {
      return corrected
    },
    get usageOnly() {
      return usageOnly
    },
  }
}

/** The chunk's JSON with what the upstream left out; undefined if nothing is missing. */
function mended(
  chunk: Fields,
  choices: readonly Fields[],
  calls: StreamedArguments,
): string | undefined {
  let isChanged = false
  const corrected = choices.map((choice) => {
    const result = withNamedReasoning(calls.mend(choice), 'delta')
    isChanged ||= result !== choice
    return result
  })
  return isChanged ? formatJson({ ...chunk, choices: corrected }) : undefined
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

  /** A choice has come without a reason. */
  begin(index: unknown): void {
    if (!this.#done.has(index)) this.#open.add(index)
  }

  judge(choices: readonly Fields[]): Verdict {
    let finished = false
    for (const choice of choices) {
      const reason = choice['finish_reason']
      const failure = failureOf(reason)
      if (failure !== undefined) return failure
      const index = choice['index'] ?? 0
      if (someText(reason) === undefined) {
        this.begin(index)
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

// vLLM, Groq and OpenRouter call reasoning `reasoning`, where callers of chat completions expect `reasoning_content`. In bodies that
// are sent unchanged otherwise it gets that name too.

/** The choice with the reasoning of its message under both names; the same choice if nothing is missing. */
export function withNamedReasoning(choice: Fields, member: 'message' | 'delta'): Fields {
  const inner = objectOf(choice[member])
  return lacksName(inner)
    ? { ...choice, [member]: { ...inner, reasoning_content: inner['reasoning'] } }
    : choice
}

/** Whether a message or a delta has reasoning under the other name alone. */
export function lacksName(inner: unknown): boolean {
  return (
    isObject(inner) &&
    someText(inner['reasoning']) !== undefined &&
    inner['reasoning_content'] == null
  )
}
