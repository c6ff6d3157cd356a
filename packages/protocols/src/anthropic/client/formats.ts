import { objectOf } from '@sluice/contract'
import { anthropicHeaders } from '../../format-headers.ts'
import { isReasoningPath } from '../../message-places.ts'
import type { ClientFormat } from '../../client-format.ts'
import { textsNamed } from '../../streamed-texts.ts'
import { messageDefaults } from './default-places.ts'
import { errorBody, paramOf } from './error.ts'
import { measureMessages } from './measure.ts'
import { pathInMessages } from './message-paths.ts'
import { fromCanonical } from './reply.ts'
import { plainMessages } from './plain-messages.ts'
import { checkMessages, countedPrompt, toCanonical } from './request.ts'
import { respellMessages } from './respell.ts'
import { CountTokensReply, CountTokensRequest, MessagesReply, MessagesRequest } from './schema.ts'
import { MessageWriter } from './stream.ts'
import { writeEvent } from './block-writer.ts'

/** What both formats have in common. */
const ofMessages = {
  operation: 'chat',
  tag: 'Messages',
  measure: measureMessages,
  continues: 'none',
  respell: respellMessages,
  // The schema has validated the request before this is called.
  check: (request: unknown) => checkMessages(request as CountTokensRequest),
  error: errorBody,
  headers: anthropicHeaders,
  paramOf: (canonical: string, request: unknown) =>
    pathInMessages(canonical, request) ??
    (isReasoningPath(canonical) ? undefined : paramOf(canonical, request)),
} as const

/** Chat for clients of Anthropic's Messages API (https://platform.claude.com/docs/en/api/messages). */
export const messages: ClientFormat<'chat'> = {
  ...ofMessages,
  id: 'messages',
  summary: 'Create a message',
  paths: ['/v1/messages'],
  effortWithoutThinking: true,
  takesOutline: true,
  request: MessagesRequest,
  reply: MessagesReply,
  example: {
    model: 'builtin-chat',
    max_tokens: 256,
    messages: [{ role: 'user', content: 'What is 6 times 7?' }],
  },
  outputLimit: {
    of(request) {
      const { max_tokens: limit } = objectOf(request)
      // 0 only fills the cache.
      return typeof limit === 'number' ? limit : undefined
    },
    set: (_request, tokens) => ({ path: ['max_tokens'], value: tokens }),
  },
  defaulted: messageDefaults,
  textsOf: textsNamed('text', 'thinking', 'partial_json', 'content', 'name'),
  messages: plainMessages,
  // The schema has validated the request before these are called.
  toCanonical: (request, context) => toCanonical(request as MessagesRequest, context),
  fromCanonical: (reply, request, context) =>
    fromCanonical(reply, request as MessagesRequest, context),
  writer: (request, context) => new MessageWriter(request as MessagesRequest, context),
  terminal: writeEvent({ type: 'message_stop' }),
  prefixOf(request) {
    const { tools, system, messages } = request as MessagesRequest
    return [tools, system, messages.slice(0, 2)]
  },
}

/** Counts the prompt tokens of a message (Messages API reference, Count tokens in a Message). */
export const messagesCountTokens: ClientFormat<'chat'> = {
  ...ofMessages,
  id: 'messagesCountTokens',
  summary: 'Count the tokens of a message',
  paths: ['/v1/messages/count_tokens'],
  request: CountTokensRequest,
  reply: CountTokensReply,
  example: { model: 'builtin-chat', messages: [{ role: 'user', content: 'What is 6 times 7?' }] },
  outputLimit: 'none',
  textsOf: 'none',
  messages: 'none',
  toCanonical: (request, context) => countedPrompt(request as CountTokensRequest, context),
  fromCanonical: ({ usage }) => ({ input_tokens: usage.prompt_tokens }),
  counted: (tokens) => ({ input_tokens: tokens }),
}
