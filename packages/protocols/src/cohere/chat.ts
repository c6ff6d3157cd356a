import { jsonRequest } from '../json-request.ts'
import type { Codec } from '../protocol.ts'
import { withChatStops } from '../stops/with-stop-rule.ts'
import { usualNames } from '../tools/tool-names.ts'
import { withToolRule } from '../tools/with-tool-rule.ts'
import { wholeCalls } from '../whole-calls.ts'
import { decodeChat } from './chat-reply.ts'
import { chatBody } from './chat-request.ts'
import { CohereReader } from './chat-stream.ts'
import { createChatWatcher } from './watcher.ts'

const translated = withToolRule(
  {
    encode: (request, context) => jsonRequest('/v2/chat', chatBody(request, context)),
    decode: decodeChat,
    singleChoice: true,
    stream: {
      reader: wholeCalls((context) => new CohereReader(context)),
      watcher: createChatWatcher,
    },
  },
  usualNames,
)

/** Cohere API v2, chat (https://docs.cohere.com/v2/reference/chat). */
export const chat: Codec<'chat'> = withChatStops(translated, () => ({ most: 5 }))
