import { chatFamily } from '../../families/chat-models.ts'
import type { Codec } from '../../protocol.ts'
import { usualNames } from '../../tools/tool-names.ts'
import { withChatStops } from '../../stops/with-stop-rule.ts'
import type { ToolRule } from '../../tools/fit-tools.ts'
import { withToolRule } from '../../tools/with-tool-rule.ts'
import { wholeCalls } from '../../whole-calls.ts'
import { decodeChat } from './chat-reply.ts'
import { chatBody, fileAddresses } from './chat-request.ts'
import { createChatReader } from './chat-stream.ts'
import type { ChatOptions } from './options.ts'
import { chatStops } from './stops.ts'
import { createCompletionWatcher } from './watcher.ts'

const toolRule = {
  ...usualNames,
  takesCustom: (model: string) => chatFamily(model).takesCustomTools === true,
  // A gateway like this one takes each provider's tools in their own form.
  takesCallersTools: (_, { isGateway }) => isGateway === true,
} satisfies ToolRule

/**
 * Chat completions (https://platform.openai.com/docs/api-reference/chat). The canonical form is OpenAI's own, so the request
 * is sent almost unchanged. Responses are read leniently, because many upstreams only resemble OpenAI.
 */
export function openaiChat(options: ChatOptions = {}): Codec<'chat'> {
  const codec = withToolRule(
    {
      encode: (request, context) => ({
        method: 'POST',
        path: '/chat/completions',
        body: { kind: 'json', value: chatBody(request, context, options) },
      }),
      decode: decodeChat,
      stream: { reader: wholeCalls(createChatReader), watcher: createCompletionWatcher },
      media: fileAddresses,
    },
    toolRule,
  )
  return withChatStops(codec, chatStops(options))
}
