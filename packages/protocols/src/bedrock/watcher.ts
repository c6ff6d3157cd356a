import { type Fields, isObject, objectOf, someText, type Usage } from '@sluice/contract'
import { textBytesIn } from '../event-text.ts'
import { endWithoutReason } from '../finished.ts'
import type { StreamWatcher } from '../protocol.ts'
import { eventObject } from '../read-json.ts'
import { BlockFees, readUsage } from './usage.ts'
import { streamFailure } from './failure.ts'

const textBytes = textBytesIn('text', 'input')

/** Watches ConverseStream; the last frame is metadata after messageStop. */
export function createChatWatcher(): StreamWatcher {
  let usage: Usage | undefined
  let finished = false
  const fees = new BlockFees()
  return {
    see(event) {
      if (event.event === 'error') return streamFailure(event.data)
      const body = eventObject(event)
      if (body === undefined) return 'garbage'
      switch (event.event) {
        case 'contentBlockStart':
          fees.see(objectOf(body['start']))
          return isObject(objectOf(body['start'])['toolUse']) ? 'content' : 'other'
        case 'contentBlockDelta':
          return says(objectOf(body['delta'])) ? 'content' : 'other'
        case 'messageStop':
          if (someText(body['stopReason']) === undefined) return endWithoutReason()
          finished = true
          return 'finish'
        case 'metadata':
          usage = readUsage(body) ?? usage
          return finished ? 'terminal' : 'other'
        default:
          return 'other'
      }
    },
    usage: () => fees.in(usage),
    textBytes,
  }
}

/** Whether a caller would see something of it. */
function says({ text, toolUse, reasoningContent, image }: Fields): boolean {
  const { text: reasoning } = objectOf(reasoningContent)
  return (
    someText(text) !== undefined ||
    someText(reasoning) !== undefined ||
    isObject(image) ||
    someText(objectOf(toolUse)['input']) !== undefined
  )
}
