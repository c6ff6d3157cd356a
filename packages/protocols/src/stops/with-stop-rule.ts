import type { EventOf, ReplyOf, RequestOf, Step } from '@sluice/contract'
import type { Codec, CodecContext, StreamReader } from '../protocol.ts'
import { ChatCutter, cutChatReply } from './cut-chat.ts'
import { CompletionCutter, cutCompletion } from './cut-completion.ts'
import { type StopRule, sentStops, takesStops } from './stop-rule.ts'

type Writing = 'chat' | 'complete'

/** The rule for a model by its name; undefined if it accepts any sequences. */
export type StopRuleOf = (model: string) => StopRule | undefined

/** How responses of an operation are cut. */
interface Cutting<O extends Writing> {
  reply(reply: ReplyOf<O>, words: readonly string[]): ReplyOf<O>
  stream(words: readonly string[]): {
    read(steps: readonly Step<EventOf<O>>[]): readonly Step<EventOf<O>>[]
    end(): readonly Step<EventOf<O>>[]
  }
}

const chatCutting: Cutting<'chat'> = {
  reply: cutChatReply,
  stream: (words) => new ChatCutter(words),
}
const completionCutting: Cutting<'complete'> = {
  reply: cutCompletion,
  stream: (words) => new CompletionCutter(words),
}

/**
 * Wraps a codec so that the text ends at every stop sequence of a request, though its target stops only at those that the rule
 * accepts. These are sent; if there are others, the response is searched for all of them and cut at the first one. The usage
 * is what the upstream reports for all that it has written.
 */
export function withChatStops(codec: Codec<'chat'>, ruleOf: StopRuleOf): Codec<'chat'> {
  return withStops(codec, chatCutting, ruleOf)
}

/** The same for text completions. With `echo`, the prompt is part of the text, and nothing is cut. */
export function withCompletionStops(
  codec: Codec<'complete'>,
  ruleOf: StopRuleOf,
): Codec<'complete'> {
  return withStops(codec, completionCutting, ruleOf)
}

/** The request as it is sent, and the sequences that the response is searched for; none if the target does it. */
interface Searched<O extends Writing> {
  readonly request: RequestOf<O>
  readonly words: readonly string[]
}

function withStops<O extends Writing>(
  codec: Codec<O>,
  cutting: Cutting<O>,
  ruleOf: StopRuleOf,
): Codec<O> {
  const { stream } = codec
  const searched = (request: RequestOf<O>, context: CodecContext): Searched<O> => {
    const { stop } = request
    // Another gateway does it for its own targets.
    const rule = context.isGateway === true ? undefined : ruleOf(context.family)
    const isEchoed = 'echo' in request && request.echo === true
    if (stop == null || rule === undefined || isEchoed || takesStops(stop, rule))
      return { request, words: [] }
    return { request: { ...request, stop: [...sentStops(stop, rule)] }, words: stop }
  }
  return {
    ...codec,
    encode: (given, context) => codec.encode(searched(given, context).request, context),
    decode(received, context, given) {
      const { request, words } = searched(given, context)
      const decoded = codec.decode(received, context, request)
      return words.length === 0
        ? decoded
        : { ...decoded, reply: cutting.reply(decoded.reply, words) }
    },
    ...(stream && {
      stream: {
        ...stream,
        reader(context, given): StreamReader<O> {
          const { request, words } = searched(given, context)
          const inner = stream.reader(context, request)
          if (words.length === 0) return inner
          const cutter = cutting.stream(words)
          return {
            read: (event) => cutter.read(inner.read(event)),
            end: () => [...cutter.read(inner.end()), ...cutter.end()],
          }
        },
      },
    }),
  }
}
