import { type ChatChunk, countOf, type Fields, objectOf, type Step, textOf } from '@sluice/contract'
import { createChatChunks } from '../chat-chunks.ts'
import type { CodecContext, StreamReader } from '../protocol.ts'
import { eventObject } from '../read-json.ts'
import { finishReason } from './finish-reasons.ts'
import { readLogprobs } from './logprobs.ts'
import { readUsage } from './usage.ts'

type Steps = readonly Step<ChatChunk>[]

function messageOf(body: Fields): Fields {
  return objectOf(objectOf(body['delta'])['message'])
}

/**
 * Reads events named by `type` in their data: message-start, content-start, content-delta, content-end,
 * tool-plan-delta, tool-call-start, tool-call-delta, tool-call-end, citation-start, citation-end, message-end with
 * reason and usage.
 */
export function createChatReader(context: CodecContext): StreamReader<'chat'> {
  const chunks = createChatChunks(context)
  /** Cohere's index of a call to ours, and whether it has arguments yet. */
  const calls = new Map<number, { readonly slot: number; empty: boolean }>()

  function startCall(index: number, call: Fields): Steps {
    const called = objectOf(call['function'])
    const text = textOf(called['arguments'])
    const slot = calls.size
    calls.set(index, { slot, empty: text === '' })
    const head = { name: textOf(called['name']), arguments: text }
    const id = textOf(call['id'])
    return chunks.delta({ tool_calls: [{ index: slot, id, type: 'function', function: head }] })
  }

  function argumentsOf(index: number, text: string): Steps {
    const call = calls.get(index)
    if (call === undefined || text === '') return []
    call.empty = false
    return chunks.delta({ tool_calls: [{ index: call.slot, function: { arguments: text } }] })
  }

  function content({ text, thinking }: Fields, logprobs: unknown): Steps {
    const said = textOf(text)
    const thought = textOf(thinking)
    return [
      ...(thought === '' ? [] : chunks.delta({ reasoning_content: thought })),
      ...(said === '' ? [] : chunks.delta({ content: said }, readLogprobs(logprobs))),
    ]
  }

  function finish(delta: Fields): Steps {
    const usage = readUsage(delta['usage'])
    return [
      ...chunks.finish(finishReason(delta['finish_reason'], calls.size > 0)),
      ...(usage === undefined ? [] : [{ usage }]),
    ]
  }

  return {
    read(event) {
      const body = eventObject(event) ?? {}
      const index = countOf(body['index']) ?? 0
      const message = messageOf(body)
      switch (body['type']) {
        case 'content-start':
        case 'content-delta':
          return content(objectOf(message['content']), body['logprobs'])
        case 'tool-plan-delta': {
          const plan = textOf(message['tool_plan'])
          return plan === '' ? [] : chunks.delta({ reasoning_content: plan })
        }
        case 'tool-call-start':
          return startCall(index, objectOf(message['tool_calls']))
        case 'tool-call-delta': {
          const called = objectOf(objectOf(message['tool_calls'])['function'])
          return argumentsOf(index, textOf(called['arguments']))
        }
        case 'tool-call-end':
          return calls.get(index)?.empty === true ? argumentsOf(index, '{}') : []
        case 'message-end':
          return finish(objectOf(body['delta']))
        default:
          return []
      }
    },
    end: () => [],
  }
}
