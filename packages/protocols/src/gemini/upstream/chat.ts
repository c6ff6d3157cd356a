import { mediaToFetch } from '../../media-addresses.ts'
import type { Codec } from '../../protocol.ts'
import { withChatStops } from '../../stops/with-stop-rule.ts'
import type { ToolRule } from '../../tools/fit-tools.ts'
import { withToolRule } from '../../tools/with-tool-rule.ts'
import { type AddressOf, callModel } from './address.ts'
import { decodeChat } from './chat-reply.ts'
import { chatBody } from './chat-request.ts'
import { ContentReader } from './chat-stream.ts'
import { geminiStops } from '../../stops/stop-rule.ts'
import { mustBeFetched } from './media-part.ts'
import { createChatWatcher } from './watcher.ts'

/**
 * Chat completions through generateContent (https://ai.google.dev/api/generate-content). The greatest differences: the model's
 * role is `model`, tool results name their function, arguments and results are objects, and a stream ends without a final
 * event; instead, its finishReason says that it is complete.
 */
export function geminiChat(address: AddressOf): Codec<'chat'> {
  const codec = withToolRule(
    {
      encode(request, context) {
        const method = request.stream === true ? 'streamGenerateContent?alt=sse' : 'generateContent'
        return callModel(address, method, chatBody(request, context), context)
      },
      decode: decodeChat,
      stream: { reader: (context) => new ContentReader(context), watcher: createChatWatcher },
      media: (request) => mediaToFetch(request, mustBeFetched),
    },
    toolRule,
  )
  return withChatStops(codec, () => geminiStops)
}

/** Names start with a letter or an underscore (https://ai.google.dev/api/caching#FunctionDeclaration). */
const toolRule: ToolRule = {
  fits: /^[a-zA-Z_][a-zA-Z0-9_.:-]{0,127}$/,
  charactersMax: 128,
  takesCallersTools: (api) => api === 'gemini',
}
