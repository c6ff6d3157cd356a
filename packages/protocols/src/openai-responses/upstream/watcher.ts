import {
  type Fields,
  objectOf,
  type PlainForm,
  type ServerSentEvent,
  someText,
  type Usage,
} from '@sluice/contract'
import { repeatsText, textBytesIn } from '../../event-text.ts'
import { upstreamError } from '../../failure.ts'
import type { StreamWatcher, Verdict } from '../../protocol.ts'
import { eventObject } from '../../read-json.ts'
import { mendedResponse, StreamedArguments } from './no-arguments.ts'
import { callOf, failureIn, typeOf } from './output-items.ts'
import { responseUsage } from './response-usage.ts'

const texts = ['delta', 'text', 'content', 'arguments', 'input', 'refusal'] as const
const countText = textBytesIn(...texts)

const plain: PlainForm = {
  texts,
  members: {
    type: {
      words: [
        'response.output_text.delta',
        'response.refusal.delta',
        'response.reasoning_text.delta',
        'response.reasoning_summary_text.delta',
        'response.custom_tool_call_input.delta',
        'response.mcp_call_arguments.delta',
        'response.code_interpreter_call_code.delta',
      ],
      callWords: ['response.function_call_arguments.delta'],
    },
    output_index: 'call',
    response: 'never',
    delta: 'text',
  },
}

/** Watches a Responses stream (OpenAI API, ResponseStreamEvent). It ends with a whole response and without `[DONE]`. */
export function createChatWatcher(): StreamWatcher {
  let usage: Usage | undefined
  let whole: unknown
  let corrected: string | undefined
  const calls = new StreamedArguments()
  return {
    see(event) {
      corrected = undefined
      const data = eventObject(event)
      if (data === undefined) return withoutData(event)
      usage = responseUsage(objectOf(data['response'])) ?? usage
      const type = typeOf(event, data)
      corrected = calls.repair(type, data)
      const verdict = judge(type, data)
      if (verdict === 'terminal') {
        const response = objectOf(data['response'])
        whole = mendedResponse(response) ?? data['response']
      }
      return verdict
    },
    usage: () => usage,
    plain,
    pass: ({ callIndexes }) => calls.haveBegun(callIndexes),
    whole: () => whole,
    textBytes: (data) => (repeatsText(data) ? 0 : countText(data)),
    get repaired() {
      return corrected
    },
  }
}

function withoutData(event: ServerSentEvent): Verdict {
  if (event.data.trim() === '[DONE]') return 'terminal'
  return event.event === 'error' ? upstreamError(event.data) : 'garbage'
}

function judge(type: string, data: Fields): Verdict {
  switch (type) {
    case 'response.completed':
    case 'response.incomplete':
    case 'response.done':
      return 'terminal'
    case 'response.failed':
    case 'response.cancelled':
      return failureIn(objectOf(data['response']))
    case 'error':
      return upstreamError(data['error'] ?? data)
    case 'response.output_item.added':
      return callOf(objectOf(data['item'])) === undefined ? 'other' : 'content'
    case 'response.output_item.done':
      return objectOf(data['item'])['type'] === 'reasoning' ? 'other' : 'content'
    case '':
      return data['error'] == null ? 'other' : upstreamError(data['error'])
    default:
      return type.endsWith('.delta') && someText(data['delta']) !== undefined ? 'content' : 'other'
  }
}
