import {
  type Fields,
  listOf,
  objectOf,
  type ServerSentEvent,
  someText,
  type Usage,
} from '@sluice/contract'
import { endWithoutReason } from '../../finished.ts'
import type { StreamWatcher, Verdict } from '../../protocol.ts'
import { eventObject } from '../../read-json.ts'
import { createUsageReading } from '../usage.ts'
import { upstreamError } from './failure.ts'
import { filesOf, madeByMessage } from './named.ts'

/** Watches the events of a streamed message; unknown types pass. */
export function createChatWatcher(): StreamWatcher {
  const usage = createUsageReading()
  let isFinished = false
  const made: string[] = []
  return {
    see(event: ServerSentEvent): Verdict {
      const data = eventObject(event)
      if (data === undefined) return event.event === 'error' ? upstreamError(undefined) : 'garbage'
      if (data['type'] === 'message_start') usage.add(objectOf(data['message'])['usage'])
      if (data['type'] === 'message_delta') {
        usage.add(data['usage'])
        made.push(...madeByMessage(objectOf(data['delta'])))
      } else if (data['type'] === 'content_block_start')
        made.push(...filesOf(data['content_block']))
      isFinished ||= givesReason(data)
      if (data['type'] === 'message_stop' && !isFinished) return endWithoutReason()
      return judge(event, data)
    },
    usage: (): Usage | undefined => usage.read(),
    made: () => made,
  }
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
