import { type Fields, isObject } from '@sluice/contract'
import {
  endReason,
  type FormatMessages,
  type MessagePart,
  messagesIn,
  type PlainMessage,
  partsIn,
  streamedMessages,
  textPart,
} from '../../format-messages.ts'

export const plainMessages: FormatMessages = {
  asked: ({ contents, systemInstruction: system }) => ({
    messages: messagesIn(contents, messageOf),
    system: partsIn(isObject(system) ? system['parts'] : system, partOf),
  }),
  answered: ({ candidates }) =>
    messagesIn(candidates, ({ content, finishReason }) => ({
      ...messageOf(isObject(content) ? content : {}),
      ...endReason(finishReason),
    })),
  streamed: (texts) =>
    streamedMessages(texts, {
      choice: /^candidates\[(\d+)/,
      reasoning: /think|reason/,
      calls: /arguments|input$/,
    }),
  endField: 'finishReason',
}

function messageOf({ role, parts }: Fields): PlainMessage {
  const own = typeof role === 'string' ? role : 'user'
  return { role: own === 'model' ? 'assistant' : own, parts: partsIn(parts, partOf) }
}

function partOf({
  text,
  thought,
  functionCall,
  functionResponse,
}: Fields): MessagePart | undefined {
  if (isObject(functionCall))
    return { type: 'tool_call', name: functionCall['name'], arguments: functionCall['args'] }
  if (isObject(functionResponse)) {
    const { name, response } = functionResponse
    return { type: 'tool_call_response', name, response }
  }
  if (typeof text !== 'string') return undefined
  return thought === true ? { type: 'reasoning', content: text } : textPart(text)
}
