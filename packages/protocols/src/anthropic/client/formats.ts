import { objectOf } from '@sluice/contract'
import { anthropicHeaders } from '../../format-headers.ts'
import type { ClientFormat } from '../../client-format.ts'
import { textsNamed } from '../../streamed-texts.ts'
import { errorBody, paramOf } from './error.ts'
import { measureMessages } from './measure.ts'
import { pathInMessages } from './message-paths.ts'
import { fromCanonical } from './reply.ts'
import { plainMessages } from './plain-messages.ts'
import { checkMessages, countedPrompt, toCanonical } from './request.ts'
import { respellMessages } from './respell.ts'
import { CountTokensReply, CountTokensRequest, MessagesReply, MessagesRequest } from './schema.ts'
import { createChatWriter } from './stream.ts'
import { writeEvent } from './write-event.ts'

/** Chat for clients of Anthropic's Messages API (https://platform.claude.com/docs/en/api/messages). */
export const messages: ClientFormat<'chat'> = {
  id: 'messages',
  operation: 'chat',
  summary: 'Create a message',
  tag: 'Messages',
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
  measure: measureMessages,
  outputLimit: {
    of(request) {
      const { max_tokens: limit } = objectOf(request)
      // 0 only fills the cache.
      return typeof limit === 'number' ? limit : undefined
    },
    set: (_request, tokens) => ({ path: ['max_tokens'], value: tokens }),
  },
  continues: 'none',
  textsOf: textsNamed('text', 'thinking', 'partial_json', 'content', 'name'),
  messages: plainMessages,
  respell: respellMessages,
  // The schema has validated the request before these are called.
  check: (request) => checkMessages(request as MessagesRequest),
  toCanonical: (request, context) => toCanonical(request as MessagesRequest, context),
  fromCanonical: (reply, request, context) =>
    fromCanonical(reply, request as MessagesRequest, context),
  writer: (request, context) => createChatWriter(request as MessagesRequest, context),
  error: errorBody,
  headers: anthropicHeaders,
  terminal: writeEvent({ type: 'message_stop' }),
  paramOf: (canonical, request) =>
    pathInMessages(canonical, request) ?? paramOf(canonical, request),
  prefixOf(request) {
    const { tools, system, messages } = request as MessagesRequest
    return [tools, system, messages.slice(0, 2)]
  },
}

/** Counts the prompt tokens of a message (Messages API reference, Count tokens in a Message). */
export const messagesCountTokens: ClientFormat<'chat'> = {
  id: 'messagesCountTokens',
  operation: 'chat',
  summary: 'Count the tokens of a message',
  tag: 'Messages',
  paths: ['/v1/messages/count_tokens'],
  request: CountTokensRequest,
  reply: CountTokensReply,
  example: { model: 'builtin-chat', messages: [{ role: 'user', content: 'What is 6 times 7?' }] },
  respell: respellMessages,
  measure: measureMessages,
  outputLimit: 'none',
  continues: 'none',
  textsOf: 'none',
  messages: 'none',
  // The schema has validated the request before these are called.
  check: (request) => checkMessages(request as CountTokensRequest),
  toCanonical: (request, context) => countedPrompt(request as CountTokensRequest, context),
  fromCanonical: ({ usage }) => ({ input_tokens: usage.prompt_tokens }),
  counted: (tokens) => ({ input_tokens: tokens }),
  error: errorBody,
  headers: anthropicHeaders,
  paramOf: (canonical, request) =>
    pathInMessages(canonical, request) ?? paramOf(canonical, request),
}
