import type { ChatRequest } from '@sluice/contract'
import type { Codec } from '../../protocol.ts'
import { withChatStops } from '../../stops/with-stop-rule.ts'
import { withToolRule } from '../../tools/with-tool-rule.ts'
import type { AddressOf } from './address.ts'
import { decodeChat } from './chat-reply.ts'
import { chatBody } from './chat-request.ts'
import { createChatReader } from './chat-stream.ts'
import { geminiStops } from '../stop-rule.ts'
import { mediaAddress, mustBeFetched } from './media-part.ts'
import { createChatWatcher } from './watcher.ts'

/**
 * Chat completions through generateContent (https://ai.google.dev/api/generate-content). The greatest differences: the model's
 * role is `model`, tool results name their function, arguments and results are objects, and a stream ends without a final
 * event; instead, its finishReason says that it is complete.
 */
export function geminiChat(address: AddressOf): Codec<'chat'> {
  const codec = withToolRule(
    {
      encode: (request, context) => ({
        method: 'POST',
        path:
          request.stream === true
            ? `${address(context.model, 'streamGenerateContent', context.settings)}?alt=sse`
            : address(context.model, 'generateContent', context.settings),
        body: { kind: 'json', value: chatBody(request, context) },
      }),
      decode: decodeChat,
      stream: { reader: createChatReader, watcher: createChatWatcher },
      media: mediaToFetch,
    },
    toolRule,
  )
  return withChatStops(codec, () => geminiStops)
}

/** Names start with a letter or an underscore (https://ai.google.dev/api/caching#FunctionDeclaration). */
const toolRule = { fits: /^[a-zA-Z_][a-zA-Z0-9_.:-]{0,127}$/, charactersMax: 128 }

/** Gemini fetches only Google's own addresses; everything else must be sent inline. */
function mediaToFetch({ messages }: ChatRequest): readonly { url: string; param: string }[] {
  return messages.flatMap(({ content }, message) =>
    typeof content === 'string' || content == null
      ? []
      : content.flatMap((part, index) => {
          const address = mediaAddress(part, `messages[${message}].content[${index}]`)
          return address !== undefined && mustBeFetched(address.url) ? [address] : []
        }),
  )
}
