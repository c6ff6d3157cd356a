import {
  type ChatChunk,
  countOf,
  type Fields,
  GatewayError,
  objectOf,
  someText,
  type Step,
  textOf,
  type Usage,
} from '@sluice/contract'
import { type ChatChunks, createChatChunks } from '../chat-chunks.ts'
import { eventObject } from '../read-json.ts'
import type { StreamCodec, StreamReader, StreamWatcher, Verdict } from '../protocol.ts'
import { finishFailure, finishReason } from './finish-reasons.ts'
import { readLogprobs } from './logprobs.ts'
import { readUsage } from './usage.ts'

/**
 * Events named by `type` in their data: message-start, content-start, content-delta, content-end, tool-plan-delta,
 * tool-call-start, tool-call-delta, tool-call-end, citation-start, citation-end, message-end with reason and usage.
 */
export const chatStream: StreamCodec<'chat'> = {
  reader: (context) => createReader(createChatChunks(context)),
  watcher: createWatcher,
}

type Steps = readonly Step<ChatChunk>[]

function messageOf(body: Fields): Fields {
  return objectOf(objectOf(body['delta'])['message'])
}

function createReader(chunks: ChatChunks): StreamReader<'chat'> {
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

function createWatcher(): StreamWatcher {
  let usage: Usage | undefined
  return {
    see(event) {
      if (event.data === '[DONE]') return 'other'
      const body = eventObject(event)
      if (body === undefined) return 'garbage'
      const delta = objectOf(body['delta'])
      usage = readUsage(delta['usage']) ?? usage
      return verdictOf(body, delta)
    },
    usage: () => usage,
  }
}

function verdictOf(body: Fields, delta: Fields): Verdict {
  const message = objectOf(delta['message'])
  switch (body['type']) {
    case 'tool-call-start':
      return 'content'
    case 'content-start':
    case 'content-delta': {
      const { text, thinking } = objectOf(message['content'])
      return (someText(text) ?? someText(thinking)) === undefined ? 'other' : 'content'
    }
    case 'tool-plan-delta':
      return someText(message['tool_plan']) === undefined ? 'other' : 'content'
    case 'message-end':
      return streamError(delta) ?? 'terminal'
    case undefined:
      // What is no event is Cohere's error body.
      return typeof body['message'] === 'string'
        ? new GatewayError('upstream_unavailable', body['message'])
        : 'garbage'
    default:
      return 'other'
  }
}

function streamError(delta: Fields): GatewayError | undefined {
  const failed = finishFailure(delta['finish_reason'])
  const message = someText(delta['error'])
  return failed === undefined || message === undefined
    ? failed
    : new GatewayError(failed.code, message, failed.details)
}
