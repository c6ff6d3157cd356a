/** What was asked and answered, masked, as it is kept. */
export interface KeptContent {
  readonly callId: string
  /** What the caller called it. */
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
  /** JSON where it was JSON and is whole, text otherwise; of a stream its texts put together. */
  readonly request: string
  readonly answer: string
  /** There was more. */
  readonly requestCut: boolean
  readonly answerCut: boolean
  /** How often something was replaced. */
  readonly masked: number
}

/** Which contents are meant. */
export interface ContentQuestion {
  /** Milliseconds since the epoch; the first that counts. */
  readonly from: number
  /** The first that does not count any more. */
  readonly to: number
  readonly keyId?: string
  readonly userId?: string
  readonly teamId?: string
  readonly limit: number
  /** The last one of the page before. */
  readonly after?: Pick<KeptContent, 'createdAt' | 'callId'>
}

/** Prompts and answers of those whose prompts and answers are kept. */
export interface ContentShelf {
  /** Adds contents, given as the text of a JSON array. Does not hold up this thread. */
  add(documents: string): Promise<void>
  find(callId: string): Promise<KeptContent | undefined>
  /** The oldest first. */
  list(question: ContentQuestion): Promise<readonly KeptContent[]>
  /** Removes what began before a moment, a bounded number; returns whether there may be more. */
  forget(before: number): Promise<boolean>
  /** Removes all of a user or of a key; returns how many. */
  erase(who: { readonly kind: 'user' | 'key'; readonly id: string }): Promise<number>
}
