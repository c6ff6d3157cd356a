/** A conversation of POST /v1/conversations. */
export interface StoredConversation {
  readonly id: string
  readonly keyId: string
  /** Seconds since the epoch. */
  readonly createdAt: number
  readonly metadata: Readonly<Record<string, string>>
  /** How many items it has, and their size. */
  readonly items: number
  readonly bytes: number
  /** About how many tokens a model reads of it. */
  readonly tokens: number
}

/** An item of a conversation. Its id is unique in the conversation. */
export interface ConversationItem {
  readonly id: string
  /** The item with its id, as JSON. */
  readonly item: string
}

/** What is added to a conversation. */
export interface ConversationAddition {
  readonly items: readonly ConversationItem[]
  /** The tokens of these items or, with `isTotal`, of the whole conversation. */
  readonly tokens: number
  readonly isTotal: boolean
  /** Milliseconds since the epoch. */
  readonly at: number
}

export interface ConversationPage {
  readonly limit: number
  /** The id of an item; nothing is found after one that does not exist. */
  readonly after?: string | undefined
  readonly ascending: boolean
}

/** A process that answers in a conversation, alone until then, in milliseconds since the epoch. */
export interface ConversationLock {
  readonly id: string
  readonly owner: string
  readonly at: number
  readonly until: number
}

/** The conversations that callers keep here. */
export interface ConversationStore {
  /** Adds an empty conversation, last used at this time in milliseconds since the epoch. Rejects with `conflict` if the id exists. */
  addConversation(
    conversation: Pick<StoredConversation, 'id' | 'keyId' | 'createdAt' | 'metadata'>,
    at: number,
  ): Promise<void>
  findConversation(id: string): Promise<StoredConversation | undefined>
  /** Returns false if there is none. */
  updateConversation(id: string, metadata: StoredConversation['metadata']): Promise<boolean>
  /** Deletes it with its items. */
  deleteConversation(id: string): Promise<boolean>
  /** Adds items after those that are there, all or none. An item whose id exists is left out. Returns false if there is no conversation. */
  appendItems(conversationId: string, addition: ConversationAddition): Promise<boolean>
  listItems(conversationId: string, page: ConversationPage): Promise<readonly ConversationItem[]>
  findItem(conversationId: string, id: string): Promise<ConversationItem | undefined>
  deleteItem(conversationId: string, id: string): Promise<boolean>
  /** Returns false while another owner has the lock. Of concurrent callers, in any process, one gets it. */
  lockConversation(lock: ConversationLock): Promise<boolean>
  /** Extends the lock of this owner; one that another owner has stays as it is. */
  renewConversationLock(lock: Omit<ConversationLock, 'at'>): Promise<void>
  unlockConversation(lock: Pick<ConversationLock, 'id' | 'owner'>): Promise<void>
  /** Deletes the conversations of a key that were used least recently, beyond `most`; returns how many. */
  trimConversations(
    keyId: string,
    most: { readonly count: number; readonly bytes: number },
  ): Promise<number>
}
