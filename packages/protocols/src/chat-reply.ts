import { type ChatReply, chatUsage, noUsage, type Usage } from '@sluice/contract'
import type { CodecContext, Decoded } from './protocol.ts'

/** What an upstream says of its answer besides the choices. */
interface Said {
  readonly usage: Usage | undefined
  readonly tier?: string | undefined
}

/** A whole answer of an upstream that names and dates none as OpenAI does. */
export function chatReply(
  choices: ChatReply['choices'],
  { usage, tier }: Said,
  { newId, now, publicModel }: Pick<CodecContext, 'newId' | 'now' | 'publicModel'>,
): Decoded<'chat'> {
  return {
    reply: {
      id: newId('chatcmpl-'),
      object: 'chat.completion',
      created: Math.floor(now() / 1000),
      model: publicModel,
      choices,
      usage: chatUsage(usage ?? noUsage),
      system_fingerprint: null,
      ...(tier === undefined ? {} : { service_tier: tier }),
    },
    ...(usage === undefined ? {} : { usage }),
  }
}
