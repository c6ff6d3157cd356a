/** The trace that a request belongs to. */
export interface CallTrace {
  /** 32 hexadecimal digits. */
  readonly traceId: string
  beginAttempt(): AttemptSpan
}

export interface AttemptSpan {
  /** 16 hexadecimal digits. */
  readonly id: string
  /** What tells the upstream which span its own are children of. */
  readonly headers: Readonly<Record<string, string>>
}
