import { jsonRequest } from '../json-request.ts'
import { mediaToFetch } from '../media-addresses.ts'
import type { Codec } from '../protocol.ts'
import { usualNames } from '../tools/tool-names.ts'
import { claudeStops } from '../stops/stop-rule.ts'
import { withChatStops } from '../stops/with-stop-rule.ts'
import { withToolRule } from '../tools/with-tool-rule.ts'
import { wholeCalls } from '../whole-calls.ts'
import { decodeChat } from './chat-reply.ts'
import { chatBody } from './chat-request.ts'
import { ConverseReader } from './chat-stream.ts'
import { mustBeFetched } from './media.ts'
import { modelFamily } from './model-family.ts'
import { createChatWatcher } from './watcher.ts'

const translated = withToolRule(
  {
    encode(request, context) {
      const verb = request.stream === true ? 'converse-stream' : 'converse'
      const path = `/model/${encodeURIComponent(context.model)}/${verb}`
      return jsonRequest(path, chatBody(request, context))
    },
    decode: decodeChat,
    singleChoice: true,
    media: (request) => mediaToFetch(request, mustBeFetched),
    stream: {
      framing: 'aws-event-stream',
      reader: wholeCalls((context, request) => new ConverseReader(context, request)),
      watcher: createChatWatcher,
    },
  },
  usualNames,
)

/**
 * Converse and ConverseStream (Amazon Bedrock API reference). The model is percent-encoded in the path. Fields of a vendor's
 * models are sent as `additionalModelRequestFields`. Structured output uses a tool that the model must call.
 */
export const chat: Codec<'chat'> = withChatStops(translated, (model) =>
  modelFamily(model) === 'anthropic' ? claudeStops : undefined,
)
