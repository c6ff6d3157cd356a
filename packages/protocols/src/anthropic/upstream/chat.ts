import { jsonRequest } from '../../json-request.ts'
import { askedBetas, betaHeader } from '../../claude/betas.ts'
import type { Codec } from '../../protocol.ts'
import { claudeStops } from '../../stops/stop-rule.ts'
import { withChatStops } from '../../stops/with-stop-rule.ts'
import { withToolRule } from '../../tools/with-tool-rule.ts'
import { wholeCalls } from '../../whole-calls.ts'
import { decodeChat } from './chat-reply.ts'
import { messagesBody } from './chat-request.ts'
import { MessageReader } from './chat-stream.ts'
import { betasOf } from './tools.ts'
import { createChatWatcher } from './watcher.ts'

const translated = withToolRule(
  {
    encode(request, context) {
      const value = messagesBody(request, context)
      const betas = new Set([...askedBetas(context), ...betasOf(value)])
      const headers = betas.size === 0 ? undefined : { [betaHeader]: [...betas].join(',') }
      return jsonRequest('/v1/messages', value, headers)
    },
    decode: decodeChat,
    singleChoice: true,
    stream: {
      reader: wholeCalls((context, request) => new MessageReader(context, request)),
      watcher: createChatWatcher,
    },
  },
  {
    fits: /^[a-zA-Z0-9_-]{1,128}$/,
    charactersMax: 128,
    takesCallersTools: (api) => api === 'anthropic',
  },
)

/** Chat with Anthropic's Messages API (https://platform.claude.com/docs/en/api/messages). */
export const chat: Codec<'chat'> = withChatStops(translated, () => claudeStops)
