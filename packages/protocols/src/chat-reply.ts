import {
  type AnswerMessage,
  type ChatReply,
  chatUsage,
  noUsage,
  type Usage,
} from '@sluice/contract'
import type { CodecContext, Decoded } from './protocol.ts'
import type { TextPlaces } from './text-places.ts'

/** What an upstream reports with its response besides the choices. */
interface ReportedFacts {
  readonly usage: Usage | undefined
  readonly tier?: string | undefined
  /** When it was made, in seconds since the epoch. Default: now. */
  readonly created?: number | undefined
}

/** What a model responded with. The lists may be empty. */
interface ModelAnswer {
  readonly content: string | null
  readonly refusal?: string | undefined
  readonly reasoning: string
  readonly blocks: NonNullable<AnswerMessage['thinking_blocks']>
  readonly calls: NonNullable<AnswerMessage['tool_calls']>
  readonly annotations?: NonNullable<AnswerMessage['annotations']>
  readonly serverCalls?: NonNullable<AnswerMessage['server_tool_calls']>
  readonly images?: NonNullable<AnswerMessage['images']>
  readonly textPlaces?: TextPlaces
}

/** The message of a response, without the fields that would be empty. */
export function answerMessage(answered: ModelAnswer): AnswerMessage {
  const { content, refusal, reasoning, blocks, calls } = answered
  const { annotations = [], serverCalls = [], images = [] } = answered
  return {
    role: 'assistant',
    content,
    refusal: refusal ?? null,
    ...(reasoning === '' ? {} : { reasoning_content: reasoning }),
    ...(blocks.length === 0 ? {} : { thinking_blocks: blocks }),
    ...(calls.length === 0 ? {} : { tool_calls: calls }),
    ...answered.textPlaces?.told(),
    ...(annotations.length === 0 ? {} : { annotations }),
    ...(serverCalls.length === 0 ? {} : { server_tool_calls: serverCalls }),
    ...(images.length === 0 ? {} : { images }),
  }
}

/** A whole response for an upstream that does not give its responses an id as chat completions have it. */
export function chatReply(
  choices: ChatReply['choices'],
  { usage, tier, created }: ReportedFacts,
  { newId, now, publicModel }: Pick<CodecContext, 'newId' | 'now' | 'publicModel'>,
): Decoded<'chat'> {
  return {
    reply: {
      id: newId('chatcmpl-'),
      object: 'chat.completion',
      created: created ?? Math.floor(now() / 1000),
      model: publicModel,
      choices,
      usage: chatUsage(usage ?? noUsage),
      system_fingerprint: null,
      ...(tier === undefined ? {} : { service_tier: tier }),
    },
    ...(usage === undefined ? {} : { usage }),
  }
}
