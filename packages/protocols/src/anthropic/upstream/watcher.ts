import {
  type Fields,
  isObject,
  listOf,
  objectOf,
  type PlainForm,
  type ServerSentEvent,
  someText,
  type Usage,
} from '@sluice/contract'
import { textBytesIn } from '../../event-text.ts'
import { betweenBlocks, endWithoutReason, isCut, withinCall } from '../../finished.ts'
import type { StreamWatcher, Verdict } from '../../protocol.ts'
import { eventObject } from '../../read-json.ts'
import { finishReason } from '../finish-reasons.ts'
import { createUsageReading } from '../usage.ts'
import { upstreamError } from './failure.ts'
import { continuable, filesOf, madeByMessage } from './named.ts'

const texts = ['text', 'thinking', 'partial_json', 'input', 'content'] as const
const textBytes = textBytesIn(...texts)

const plain: PlainForm = {
  texts,
  members: {
    type: { words: ['content_block_delta'] },
    index: 'any',
    message: 'any',
    content_block: 'any',
    delta: { object: { text: 'text', thinking: 'text', partial_json: 'text' } },
  },
}

/** Watches the events of a streamed message, which may belong to a thread; unknown types pass. */
export function createChatWatcher(isThread = false): StreamWatcher {
  const usage = createUsageReading()
  let isFinished = false
  const made: string[] = []
  const blocks = new OpenBlocks()
  return {
    see(event: ServerSentEvent): Verdict {
      const data = eventObject(event)
      if (data === undefined) return event.event === 'error' ? upstreamError(undefined) : 'garbage'
      if (data['type'] === 'message_start') {
        const message = objectOf(data['message'])
        usage.add(message['usage'])
        made.push(...continuable(isThread, message))
        for (const block of listOf(message['content']).filter(isObject)) usage.see(block)
      }
      if (data['type'] === 'message_delta') {
        usage.add(data['usage'])
        made.push(...madeByMessage(objectOf(data['delta'])))
      } else if (data['type'] === 'content_block_start') {
        usage.see(objectOf(data['content_block']))
        made.push(...filesOf(data['content_block']))
      }
      const torn = blocks.see(data)
      if (torn) return torn
      isFinished ||= givesReason(data)
      if (data['type'] === 'message_stop' && !isFinished) return endWithoutReason()
      return judge(event, data)
    },
    usage: (): Usage | undefined => usage.read(),
    made: () => made,
    textBytes,
    plain,
  }
}

/** Which blocks are open, so that a torn call does not reach a caller as a whole one. */
class OpenBlocks {
  /** The type of each by its index. */
  readonly #types = new Map<unknown, unknown>()

  /** An error if the event cannot follow while these blocks are open. */
  see({ type, index, content_block: block, delta }: Fields): Verdict | undefined {
    if (type === 'content_block_start') this.#types.set(index, objectOf(block)['type'])
    else if (type === 'content_block_stop') this.#types.delete(index)
    else if (this.#types.size === 0) return undefined
    else if (type === 'message_start') return betweenBlocks()
    else if (type === 'message_delta' && this.#isCalling())
      return endsWithinCall(objectOf(delta)['stop_reason'])
    return undefined
  }

  #isCalling(): boolean {
    return [...this.#types.values()].includes('tool_use')
  }
}

/** At its limit, an answer may end anywhere. */
function endsWithinCall(reason: unknown): Verdict | undefined {
  if (someText(reason) === undefined) return undefined
  return isCut(finishReason(reason, true)) ? undefined : withinCall()
}

function judge(event: ServerSentEvent, data: Fields): Verdict {
  switch (data['type']) {
    case 'message_start':
      return listOf(objectOf(data['message'])['content']).length > 0 ? 'content' : 'other'
    case 'content_block_start':
      return begins(objectOf(data['content_block'])) ? 'content' : 'other'
    case 'content_block_delta':
      return says(objectOf(data['delta'])) ? 'content' : 'other'
    case 'message_delta':
      return givesReason(data) ? 'finish' : 'other'
    case 'message_stop':
      return 'terminal'
    case 'error':
      return upstreamError(data['error'])
    default:
      if (event.event === 'error' || ('error' in data && !('type' in data)))
        return upstreamError(data['error'] ?? data)
      return typeof data['type'] === 'string' ? 'other' : 'garbage'
  }
}

/** Whether an event contains a stop reason. The start event does if it holds a whole message. */
function givesReason({ type, message, delta }: Fields): boolean {
  if (type !== 'message_start' && type !== 'message_delta') return false
  return someText(objectOf(type === 'message_start' ? message : delta)['stop_reason']) !== undefined
}

/** A call is visible when it begins; text and thinking only with their first characters. */
function begins(block: Fields): boolean {
  if (block['type'] === 'text') return someText(block['text']) !== undefined
  if (block['type'] === 'thinking') return someText(block['thinking']) !== undefined
  return true
}

function says(delta: Fields): boolean {
  return ['text', 'thinking', 'partial_json'].some((field) => someText(delta[field]) !== undefined)
}
