/** Records the response of one call, as far as it is stored. */
export interface ContentCapture {
  /** Called when the response begins. */
  begin(contentType: string): void
  add(piece: string | Uint8Array): void
}

/** Stores prompts and responses, masked, beside the usage records. */
export interface ContentLog {
  /** Opens the capture for a call whose prompt and response are stored. */
  open(request: Uint8Array): ContentCapture
  /** Resolves when all captures that have ended are stored or lost. */
  flush(): Promise<void>
  /** Removes content past its retention time; runs every hour. */
  forgetOld(): Promise<void>
}
