import { type Fields, isObject } from '@sluice/contract'
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

/** Messages of chat completions, with the reasoning of other upstreams and of this gateway. */
export const chatMessages: FormatMessages = {
  asked: ({ messages }) => ({ messages: messagesIn(messages, messageOf), system: [] }),
  answered: ({ choices }) => messagesIn(choices, choiceOf),
  streamed: (texts) =>
    streamedMessages(texts, {
      choice: /^choices\[(\d+)/,
      reasoning: /think|reason/,
      calls: /arguments|input$/,
    }),
  endField: 'finish_reason',
}

/** Prompts and texts of text completions. */
export const completionMessages: FormatMessages = {
  ...chatMessages,
  asked: ({ prompt }) => ({
    messages: prompt === undefined ? [] : [{ role: 'user', parts: partsIn(prompt, partOf) }],
    system: [],
  }),
}

function choiceOf({ message, text, finish_reason: reason }: Fields): PlainMessage {
  const own = isObject(message)
    ? messageOf(message)
    : { role: 'assistant', parts: partsIn(text, partOf) }
  return { ...own, ...endReason(reason) }
}

function messageOf(message: Fields): PlainMessage {
  const { role, content, tool_calls: calls, tool_call_id: answered } = message
  const reasoning = partsIn(message['reasoning_content'] ?? message['reasoning'], partOf)
  return {
    role: typeof role === 'string' ? role : 'user',
    parts: [
      ...reasoning.map((part) => ({ ...part, type: 'reasoning' })),
      ...(answered === undefined
        ? partsIn(content, partOf)
        : [{ type: 'tool_call_response', id: answered, response: content }]),
      ...(Array.isArray(calls) ? calls.filter(isObject).map(callOf) : []),
    ],
  }
}

function callOf({ id, function: called, ...rest }: Fields): MessagePart {
  return callPart({ ...(isObject(called) ? called : rest), id })
}

function partOf({ thinking, refusal }: Fields): MessagePart | undefined {
  if (typeof thinking === 'string') return { type: 'reasoning', content: thinking }
  return typeof refusal === 'string' ? textPart(refusal) : undefined
}
