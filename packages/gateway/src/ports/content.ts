/** A stored prompt and response, masked. */
export interface StoredContent {
  readonly callId: string
  /** The caller's id of the call. */
  readonly requestId?: string
  readonly keyId: string
  readonly userId?: string
  readonly teamId?: string
  readonly organizationId?: string
  /** When the call began, in milliseconds since the epoch. */
  readonly createdAt: number
  readonly operation: string
  /** The caller's format. */
  readonly format: string
  /** JSON if it was JSON and is complete, otherwise text; of a stream, its joined texts. */
  readonly request: string
  readonly answer: string
  /** Whether it was cut. */
  readonly requestCut: boolean
  readonly answerCut: boolean
  /** Number of masked parts. */
  readonly masked: number
}

/** Selects contents. */
export interface ContentQuery {
  /** Milliseconds since the epoch; the first that counts. */
  readonly from: number
  /** The first that does not count any more. */
  readonly to: number
  readonly keyId?: string
  readonly userId?: string
  readonly teamId?: string
  readonly limit: number
  /** The last one of the previous page. */
  readonly after?: Pick<StoredContent, 'createdAt' | 'callId'>
}

/** Stored prompts and responses. */
export interface ContentStore {
  /** Adds contents, each given as the text of a JSON object, without blocking this thread. */
  add(documents: readonly string[]): Promise<void>
  find(callId: string): Promise<StoredContent | undefined>
  /** The oldest first. */
  list(question: ContentQuery): Promise<readonly StoredContent[]>
  /** Removes contents that began before a moment, a bounded number; returns whether there may be more. */
  forget(before: number): Promise<boolean>
  /** Removes all contents of a user or a key; returns how many. */
  erase(who: { readonly kind: 'user' | 'key'; readonly id: string }): Promise<number>
}
