import { GatewayError, isObject, listOf, objectOf } from '@sluice/contract'
import { isReference } from '@sluice/protocols/openai-responses/client/history.ts'
import type { OutputItem } from '@sluice/protocols/openai-responses/client/schema.ts'
import { madeByResponse, sealedIn } from '@sluice/protocols/openai-responses/upstream/named.ts'
import { rememberMade } from '../attempt/named-ids.ts'
import type { CallRun } from '../attempt/call-run.ts'
import { type Source, through } from '../call/source.ts'
import type { Answer } from '../call/call.ts'
import { type ConversationLock, lockConversation } from './conversation-lock.ts'
import { bytesOf, checkRoom, textsOf, tokensOf } from './conversations.ts'
import type { StoredConversation } from '../ports/conversation-store.ts'
import type { StoredParts } from './stored-parts.ts'

/** A response that is made in a conversation, alone until it is released. */
export interface ConversationTurn {
  readonly conversation: StoredConversation
  /** The items of the request. */
  readonly own: readonly OutputItem[]
  readonly lock: ConversationLock
}

/** Begins a turn of a conversation with the items of a request. Whoever begins it releases its lock. */
export async function beginTurn(
  gateway: StoredParts,
  conversation: StoredConversation,
  items: readonly OutputItem[],
): Promise<ConversationTurn> {
  // What they refer to is in the conversation.
  const own = items.filter((item) => !isReference(item))
  checkRoom(gateway, conversation, own)
  const lock = await lockConversation(gateway, conversation.id)
  return { conversation, own, lock }
}

/**
 * Adds the input and the output of a response that has ended in a regular way to its conversation. `account` made it and knows its
 * items. Never rejects: the caller has the response already.
 */
export async function endTurn(
  run: CallRun<StoredParts>,
  { conversation, own }: ConversationTurn,
  { document, account }: { readonly document: unknown; readonly account: string | undefined },
): Promise<void> {
  const { gateway, call } = run
  const { id, status, output, usage } = objectOf(document)
  if (status !== 'completed' && status !== 'incomplete') return
  const made = listOf(output).filter(isItem)
  try {
    const items = await withFreeIds(gateway, conversation.id, [...own, ...made])
    const { total_tokens: total } = objectOf(usage)
    const texts = textsOf(items)
    const isAdded = await gateway.store.appendItems(conversation.id, {
      items: texts,
      tokens: typeof total === 'number' ? total : tokensOf(items),
      isTotal: typeof total === 'number',
      at: gateway.now(),
    })
    if (!isAdded) return
    await gateway.storageQuota.conversationGrew(conversation.keyId, bytesOf(texts))
    if (account !== undefined && typeof id === 'string')
      await rememberMade(run, [...madeByResponse(id, made), ...sealedIn(made)], account)
  } catch (thrown) {
    const { code } = GatewayError.from(thrown)
    gateway.log.warn({ call: call.id, code }, 'a response could not be added to its conversation')
  }
}

function isItem(item: unknown): item is OutputItem {
  return isObject(item) && typeof item['id'] === 'string' && typeof item['type'] === 'string'
}

/** The items, with new ids for those whose id the conversation has: a caller may send an item again. */
async function withFreeIds(
  { store, newId }: Pick<StoredParts, 'store' | 'newId'>,
  conversationId: string,
  items: readonly OutputItem[],
): Promise<readonly OutputItem[]> {
  const found = await Promise.all(items.map(({ id }) => store.findItem(conversationId, id)))
  const taken = new Set(found.flatMap((one) => one?.id ?? []))
  return items.map((item) => {
    const id = taken.has(item.id) ? newId(/^[a-z]+_/.exec(item.id)?.[0] ?? 'item_') : item.id
    taken.add(id)
    return { ...item, id }
  })
}

/** Makes the answer of a turn, and frees the conversation as soon as nothing more comes of it. */
export async function duringTurn(
  { lock }: ConversationTurn,
  answering: () => Promise<Answer>,
): Promise<Answer> {
  let answer: Answer
  try {
    answer = await answering()
  } catch (thrown) {
    await lock.release()
    throw thrown
  }
  if (answer.kind === 'stream') return { ...answer, pieces: released(answer.pieces, lock) }
  await lock.release()
  return answer
}

type Pieces = Source<string | Uint8Array>

function released(pieces: Pieces, lock: ConversationLock): Pieces {
  const watched = through<string | Uint8Array, string | Uint8Array>(pieces, (sink) => ({
    push: (piece) => sink.push(piece),
    end: () => void lock.release().then(() => sink.end()),
    fail: (error) => void lock.release().then(() => sink.fail(error)),
  }))
  return {
    ...watched,
    cancel(error) {
      watched.cancel(error)
      void lock.release()
    },
  }
}
