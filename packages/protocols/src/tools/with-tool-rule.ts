import type { ChatRequest, ServerTool } from '@sluice/contract'
import { assertShortArguments, lookedThroughMin } from '../call-arguments.ts'
import type { Codec, CodecContext, StreamCodec, StreamReader } from '../protocol.ts'
import { eventJson } from '../read-json.ts'
import { withCutCalls } from '../whole-calls.ts'
import { withAnsweredCalls } from './answered-calls.ts'
import { withCallersFunctions } from './callers-tools.ts'
import { type FittedTools, fitTools, type ToolRule } from './fit-tools.ts'
import { createCallRestorer, restoredReply } from './restore-calls.ts'
import { createCallUnfolder, unfoldableTools, unfoldedReply } from './unfold-calls.ts'

/**
 * Wraps a chat codec so that it gets only tools that its target accepts: the names are valid, free-form tools are functions if
 * the target supports no others, as are tools that another provider defined for the caller to run, and every call is followed
 * by its result. In its responses, tools have the caller's names,
 * and combined calls are split into single ones.
 */
export function withToolRule(codec: Codec<'chat'>, rule: ToolRule): Codec<'chat'> {
  const { stream } = codec
  return {
    ...codec,
    encode(given, reports) {
      const offering = withFunctions(given, rule, reports, reports)
      if (reports.isGateway === true) return codec.encode(offering, reports)
      const { request, context } = withAnsweredCalls(offering, reports)
      return codec.encode(fitTools(request, rule, context).request, context)
    },
    decode(received, context, request) {
      if (received.bytes.length > lookedThroughMin) assertShortArguments(received.json())
      const { request: sent, changes } = quietly(request, rule, context)
      const decoded = codec.decode(received, context, sent)
      const offered = unfoldableTools(sent)
      const single = offered ? unfoldedReply(decoded.reply, offered) : decoded.reply
      const restored = changes ? restoredReply(single, changes) : single
      const reply = withCutCalls(restored)
      return reply === decoded.reply ? decoded : { ...decoded, reply }
    },
    ...(stream && { stream: restoringStream(stream, rule) }),
  }
}

/** Without reports: what was left out is reported when the request is encoded. */
function quietly(given: ChatRequest, rule: ToolRule, context: CodecContext): FittedTools {
  const request = withFunctions(given, rule, context)
  // An upstream that is a gateway like this one does it itself, for the model behind it.
  if (context.isGateway === true) return { request }
  return fitTools(request, rule, { ...context, leftOut: () => {} })
}

function withFunctions(
  request: ChatRequest,
  { takesCallersTools }: ToolRule,
  context: CodecContext,
  reports?: CodecContext,
): ChatRequest {
  const takes = (api: ServerTool['api']) => takesCallersTools?.(api, context) === true
  return withCallersFunctions(request, takes, reports)
}

function restoringStream(stream: StreamCodec<'chat'>, rule: ToolRule): StreamCodec<'chat'> {
  return {
    ...stream,
    reader(context, request) {
      const { request: sent, changes } = quietly(request, rule, context)
      const inner = bounded(stream.reader(context, sent))
      const offered = unfoldableTools(sent)
      const unfolder = offered && createCallUnfolder(offered)
      const restorer = changes && createCallRestorer(changes)
      if (!unfolder && !restorer) return inner
      const layers = [unfolder, restorer].filter((layer) => layer !== undefined)
      return {
        read: (event) => layers.reduce((steps, layer) => layer.read(steps), inner.read(event)),
        end: () =>
          layers.reduce((steps, layer) => [...layer.read(steps), ...layer.end()], inner.end()),
      }
    },
  }
}

function bounded(reader: StreamReader<'chat'>): StreamReader<'chat'> {
  return {
    read(event) {
      if (event.data.length > lookedThroughMin) assertShortArguments(eventJson(event))
      return reader.read(event)
    },
    end: () => reader.end(),
  }
}
