import type { Codec } from '../protocol.ts'
import { withChatStops } from '../stops/with-stop-rule.ts'
import { usualNames } from '../tools/tool-names.ts'
import { withToolRule } from '../tools/with-tool-rule.ts'
import { wholeCalls } from '../whole-calls.ts'
import { decodeChat } from './chat-reply.ts'
import { chatBody } from './chat-request.ts'
import { createChatReader } from './chat-stream.ts'
import { createChatWatcher } from './watcher.ts'

const translated = withToolRule(
  {
    encode(request, context) {
      return {
        method: 'POST',
        path: '/v2/chat',
        body: { kind: 'json', value: chatBody(request, context) },
      }
    },
    decode: decodeChat,
    singleChoice: true,
    stream: { reader: wholeCalls(createChatReader), watcher: createChatWatcher },
  },
  usualNames,
)

/** Cohere API v2, chat (https://docs.cohere.com/v2/reference/chat). */
export const chat: Codec<'chat'> = withChatStops(translated, () => ({ most: 5 }))
