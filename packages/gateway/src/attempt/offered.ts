import type { OperationName } from '@sluice/contract'
import { completeByChat } from '@sluice/protocols/complete-by-chat.ts'
import type { Codec } from '@sluice/protocols/protocol.ts'
import type { Provider } from '../providers/provider.ts'

/** The codec by which an upstream handles an operation. */
export interface Offered {
  readonly codec: Codec<OperationName>
  /** The operation that the upstream sees. */
  readonly spoken: OperationName
}

/** By the chat codec that they use. */
const completions = new WeakMap<Codec<'chat'>, Offered>()

/** Undefined if the provider does not offer the operation. One that only chats gets text completions as chats. */
export function offeredBy(provider: Provider, operation: OperationName): Offered | undefined {
  const codec = isOffered(provider, operation) ? provider.protocol.codecs[operation] : undefined
  if (codec) return { codec, spoken: operation }
  const { chat } = provider.protocol.codecs
  if (operation !== 'complete' || !chat || !isOffered(provider, 'chat')) return undefined
  const offered = completions.get(chat) ?? {
    codec: completeByChat(chat),
    spoken: 'chat',
  }
  completions.set(chat, offered)
  return offered
}

function isOffered({ operations }: Provider, operation: OperationName): boolean {
  return operations?.includes(operation) !== false
}
