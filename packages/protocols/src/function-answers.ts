import type { ChatChunk, ChatReply, ChatRequest, FinishReason, Step } from '@sluice/contract'
import { functionsAsTools, usesFunctions } from './legacy-functions.ts'
import type { Codec, StreamCodec } from './protocol.ts'

/**
 * A chat codec that knows tools only, for callers of OpenAI's deprecated functions as well: asked in tools, answered in
 * `function_call`. Where the upstream calls several at once, the first is the answer, since there is room for one.
 */
export function withFunctions(codec: Codec<'chat'>): Codec<'chat'> {
  return {
    ...codec,
    encode: (request, context) => codec.encode(asTools(request), context),
    decode(received, context, request) {
      const decoded = codec.decode(received, context, asTools(request))
      return usesFunctions(request)
        ? { ...decoded, reply: withFunctionCalls(decoded.reply) }
        : decoded
    },
    ...(codec.stream === undefined ? {} : { stream: streamWithFunctions(codec.stream) }),
  }
}

/** One call at a time is what functions mean anyway; upstreams that cannot say so are not asked to. */
function asTools(request: ChatRequest): ChatRequest {
  const { parallel_tool_calls: parallel, ...tools } = functionsAsTools(request)
  return usesFunctions(request)
    ? tools
    : { ...tools, ...(parallel == null ? {} : { parallel_tool_calls: parallel }) }
}

function streamWithFunctions(stream: StreamCodec<'chat'>): StreamCodec<'chat'> {
  return {
    ...stream,
    reader(context, request) {
      const reader = stream.reader(context, asTools(request))
      if (!usesFunctions(request)) return reader
      return {
        read: (event) => reader.read(event).flatMap(asFunctionStep),
        end: () => reader.end().flatMap(asFunctionStep),
      }
    },
  }
}

function withFunctionCalls(reply: ChatReply): ChatReply {
  return {
    ...reply,
    choices: reply.choices.map((choice) => {
      const { tool_calls: calls, ...message } = choice.message
      const called = calls?.[0]?.function
      return {
        ...choice,
        message: { ...message, ...(called === undefined ? {} : { function_call: called }) },
        finish_reason: asFunctionReason(choice.finish_reason),
      }
    }),
  }
}

function asFunctionReason(reason: FinishReason): FinishReason {
  return reason === 'tool_calls' ? 'function_call' : reason
}

function asFunctionStep(step: Step<ChatChunk>): readonly Step<ChatChunk>[] {
  if (!('event' in step)) return [step]
  const choices = step.event.choices.flatMap((choice) => {
    const { tool_calls: calls, ...delta } = choice.delta
    const reason = choice.finish_reason === null ? null : asFunctionReason(choice.finish_reason)
    if (calls === undefined) return [{ ...choice, finish_reason: reason }]
    const first = calls.find(({ index }) => index === 0)?.function
    if (first === undefined) return []
    return [{ ...choice, delta: { ...delta, function_call: first }, finish_reason: reason }]
  })
  return choices.length === 0 ? [] : [{ event: { ...step.event, choices } }]
}
