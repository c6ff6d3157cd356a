import type { Fields } from '@sluice/contract'
import {
  callPart,
  endReason,
  type FormatMessages,
  type MessagePart,
  messagesIn,
  type PlainMessage,
  partsIn,
  streamedMessages,
  textPart,
} from '../../format-messages.ts'
import { type EventTexts, textsNamed } from '../../streamed-texts.ts'

export const plainMessages: FormatMessages = {
  asked: ({ input, instructions }) => ({
    messages:
      typeof input === 'string'
        ? [{ role: 'user', parts: [textPart(input)] }]
        : messagesIn(input, messageOf),
    system: partsIn(instructions, partOf),
  }),
  answered({ output, status }) {
    if (!Array.isArray(output)) return []
    const parts = messagesIn(output, messageOf).flatMap((message) => message.parts)
    return [{ role: 'assistant', parts, ...endReason(status) }]
  },
  // Only of a stream that was cut before the event with the whole response.
  streamed: (texts) => streamedMessages(texts, { reasoning: /reason/, calls: /arguments$/ }),
  endField: 'none',
}

/** Items that are not messages become one with a single part. */
function messageOf(item: Fields): PlainMessage {
  const { role, type, content } = item
  const isItem = typeof type === 'string' && role === undefined && type !== 'message'
  return {
    role: typeof role === 'string' ? role : type === undefined ? 'user' : 'assistant',
    parts: partsIn(isItem ? item : content, partOf),
  }
}

function partOf({ type, refusal, ...item }: Fields): MessagePart | undefined {
  if (type === 'function_call') return callPart({ ...item, id: item['call_id'] })
  if (type === 'function_call_output')
    return { type: 'tool_call_response', id: item['call_id'], response: item['output'] }
  return type === 'refusal' ? textPart(String(refusal)) : undefined
}

const pieces = textsNamed('delta')

/** The last event holds the whole response; those before it that do not end in `.delta` repeat texts. */
export function textsOf(event: Fields): EventTexts {
  const { type, response } = event
  if (typeof type !== 'string') return []
  if (/^response\.(?:completed|incomplete|failed)$/.test(type) && response !== undefined)
    return { whole: response }
  return type.endsWith('.delta') ? pieces(event) : []
}
