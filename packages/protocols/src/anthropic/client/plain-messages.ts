import type { Fields } from '@sluice/contract'
import {
  endReason,
  type FormatMessages,
  type MessagePart,
  messagesIn,
  type PlainMessage,
  partsIn,
  streamedMessages,
} from '../../format-messages.ts'

export const plainMessages: FormatMessages = {
  asked: ({ messages, system }) => ({
    messages: messagesIn(messages, messageOf),
    system: partsIn(system, partOf),
  }),
  answered: (response) =>
    response['content'] === undefined
      ? []
      : [{ ...messageOf(response), ...endReason(response['stop_reason']) }],
  streamed: (texts) => streamedMessages(texts, { reasoning: /think/, calls: /partial_json$/ }),
  endField: 'stop_reason',
}

function messageOf({ role, content }: Fields): PlainMessage {
  return { role: typeof role === 'string' ? role : 'user', parts: partsIn(content, partOf) }
}

function partOf({ type, thinking, ...block }: Fields): MessagePart | undefined {
  if (typeof thinking === 'string') return { type: 'reasoning', content: thinking }
  if (type === 'tool_use')
    return { type: 'tool_call', id: block['id'], name: block['name'], arguments: block['input'] }
  if (type === 'tool_result')
    return {
      type: 'tool_call_response',
      id: block['tool_use_id'],
      response: block['content'],
    }
  return undefined
}
