import type { Codec } from '../../protocol.ts'
import { claudeStops } from '../../stops/stop-rule.ts'
import { withChatStops } from '../../stops/with-stop-rule.ts'
import { withToolRule } from '../../tools/with-tool-rule.ts'
import { wholeCalls } from '../../whole-calls.ts'
import { decodeChat } from './chat-reply.ts'
import { messagesBody } from './chat-request.ts'
import { createChatReader } from './chat-stream.ts'
import { betasOf } from './tools.ts'
import { createChatWatcher } from './watcher.ts'

const translated = withToolRule(
  {
    encode(request, context) {
      const value = messagesBody(request, context)
      const betas = betasOf(value)
      return {
        method: 'POST',
        path: '/v1/messages',
        ...(betas.length === 0 ? {} : { headers: { 'anthropic-beta': betas.join(',') } }),
        body: { kind: 'json', value },
      }
    },
    decode: decodeChat,
    singleChoice: true,
    stream: { reader: wholeCalls(createChatReader), watcher: createChatWatcher },
  },
  { fits: /^[a-zA-Z0-9_-]{1,128}$/, charactersMax: 128 },
)

/** Chat with Anthropic's Messages API (https://platform.claude.com/docs/en/api/messages). */
export const chat: Codec<'chat'> = withChatStops(translated, () => claudeStops)
