import type { ChatRequest } from '@sluice/contract'
import type { Codec, CodecContext, StreamCodec } from '../protocol.ts'
import { type FittedTools, fitTools, type ToolRule } from './fit-tools.ts'
import { createCallRestorer, restoredReply } from './restore-calls.ts'

/**
 * A chat codec that sees only tools which its target takes: the names fit, and free-form tools are functions where the
 * target knows no others. Its answers name the tools as the caller does.
 */
export function withToolRule(codec: Codec<'chat'>, rule: ToolRule): Codec<'chat'> {
  const { stream } = codec
  return {
    ...codec,
    encode: (request, context) => codec.encode(fitted(request, rule, context).request, context),
    decode(received, context, request) {
      const { request: sent, changes } = quietly(request, rule, context)
      const decoded = codec.decode(received, context, sent)
      return changes ? { ...decoded, reply: restoredReply(decoded.reply, changes) } : decoded
    },
    ...(stream && { stream: restoringStream(stream, rule) }),
  }
}

/** A gateway like this one does it itself, for the model that is behind it. */
function fitted(request: ChatRequest, rule: ToolRule, context: CodecContext): FittedTools {
  return context.isGateway === true ? { request } : fitTools(request, rule, context)
}

/** What was left out is said where the request is written. */
function quietly(request: ChatRequest, rule: ToolRule, context: CodecContext): FittedTools {
  return fitted(request, rule, { ...context, leftOut: () => {} })
}

function restoringStream(stream: StreamCodec<'chat'>, rule: ToolRule): StreamCodec<'chat'> {
  return {
    ...stream,
    reader(context, request) {
      const { request: sent, changes } = quietly(request, rule, context)
      const inner = stream.reader(context, sent)
      if (changes === undefined) return inner
      const restorer = createCallRestorer(changes)
      return {
        read: (event) => restorer.read(inner.read(event)),
        end: () => [...restorer.read(inner.end()), ...restorer.end()],
      }
    },
  }
}
