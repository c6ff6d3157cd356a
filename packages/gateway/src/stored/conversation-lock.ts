import { randomUUID } from 'node:crypto'
import { GatewayError } from '@sluice/contract'
import type { ConversationStore } from '../ports/conversation-store.ts'

type Locks = Pick<
  ConversationStore,
  'lockConversation' | 'renewConversationLock' | 'unlockConversation'
>

/** A lock is free after this time if its process died; a live process renews it. */
const lockMs = 60_000
const renewalMs = lockMs / 3

interface Locking {
  readonly store: Locks
  /** Milliseconds since the epoch. */
  readonly now: () => number
}

/**
 * Takes the lock of a conversation for one response, in all processes on the same database.
 *
 * @throws GatewayError `invalid_request`, as at OpenAI, while another response is made in it.
 */
export async function lockConversation(
  { store, now }: Locking,
  id: string,
): Promise<ConversationLock> {
  const owner = randomUUID()
  const at = now()
  if (!(await store.lockConversation({ id, owner, at, until: at + lockMs })))
    throw new GatewayError(
      'invalid_request',
      'Another response is being made in this conversation. Try again when it has ended.',
      { param: 'conversation', publicCode: 'conversation_locked' },
    )
  return new ConversationLock({ store, now }, { id, owner })
}

class ConversationLock {
  readonly #store: Locks
  readonly #place: { readonly id: string; readonly owner: string }
  readonly #renewal: NodeJS.Timeout
  #released: Promise<void> | undefined

  constructor({ store, now }: Locking, place: { readonly id: string; readonly owner: string }) {
    this.#store = store
    this.#place = place
    this.#renewal = setInterval(() => {
      // If the store cannot be reached, the next renewal may succeed.
      store.renewConversationLock({ ...place, until: now() + lockMs }).catch(() => {})
    }, renewalMs).unref()
  }

  /** Frees the conversation, once. Never rejects: a lock that could not be freed ends by itself. */
  release(): Promise<void> {
    clearInterval(this.#renewal)
    this.#released ??= this.#store.unlockConversation(this.#place).catch(() => {})
    return this.#released
  }
}
export type { ConversationLock }
