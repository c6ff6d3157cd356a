import { type Fields, GatewayError, objectOf, someText, type Usage } from '@sluice/contract'
import { textBytesIn } from '../event-text.ts'
import { endWithoutReason } from '../finished.ts'
import type { StreamWatcher, Verdict } from '../protocol.ts'
import { eventObject } from '../read-json.ts'
import { finishFailure } from './chat-reply.ts'
import { readUsage } from './usage.ts'

const textBytes = textBytesIn('text', 'content', 'thinking', 'tool_plan', 'arguments')

/** Watches a stream of Cohere's events. message-end is the last one. */
export function createChatWatcher(): StreamWatcher {
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
    textBytes,
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
      if (someText(delta['finish_reason']) === undefined) return endWithoutReason()
      return streamError(delta) ?? 'terminal'
    case undefined:
      // Data that is not an event is Cohere's error body.
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
