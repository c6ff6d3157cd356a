import {
  type ChatChunk,
  countOf,
  type Fields,
  objectOf,
  someText,
  type Step,
  textOf,
} from '@sluice/contract'
import { createChatChunks } from '../chat-chunks.ts'
import { assertCut } from '../finished.ts'
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
  /** Cohere's index of a call to ours. */
  const calls = new Map<number, number>()
  /** Calls that have not ended. */
  const open = new Set<number>()

  function startCall(index: number, call: Fields): Steps {
    const called = objectOf(call['function'])
    const name = someText(called['name'])
    if (name === undefined) return []
    const slot = calls.size
    calls.set(index, slot)
    open.add(index)
    const head = { name, arguments: textOf(called['arguments']) }
    const id = textOf(call['id'])
    return chunks.delta({ tool_calls: [{ index: slot, id, type: 'function', function: head }] })
  }

  function argumentsOf(index: number, text: string): Steps {
    const slot = calls.get(index)
    if (slot === undefined || text === '') return []
    return chunks.delta({ tool_calls: [{ index: slot, function: { arguments: text } }] })
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
    const reason = finishReason(delta['finish_reason'], calls.size > 0)
    if (open.size > 0) assertCut(reason)
    return [...chunks.finish(reason), ...(usage === undefined ? [] : [{ usage }])]
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
        case 'tool-plan-delta':
          return content({ thinking: message['tool_plan'] }, undefined)
        case 'tool-call-start':
          return startCall(index, objectOf(message['tool_calls']))
        case 'tool-call-delta': {
          const called = objectOf(objectOf(message['tool_calls'])['function'])
          return argumentsOf(index, textOf(called['arguments']))
        }
        case 'tool-call-end':
          open.delete(index)
          return []
        case 'message-end':
          return finish(objectOf(body['delta']))
        default:
          return []
      }
    },
    end: () => [],
  }
}
