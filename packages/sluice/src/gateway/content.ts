/** Takes down what one call answers, as far as it is kept. */
export interface ContentCapture {
  /** The answer begins. */
  begin(contentType: string): void
  add(piece: string | Uint8Array): void
}

/** Keeps prompts and answers, masked, beside the calls. */
export interface ContentLog {
  /** Of a call whose prompt and answer are kept. */
  open(request: Uint8Array): ContentCapture
  /** Until all that has ended before is kept, or lost. */
  flush(): Promise<void>
  /** Removes what is older than it may be; done every hour. */
  forgetOld(): Promise<void>
}
