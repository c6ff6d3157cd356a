/** The trace of a request. */
export interface CallTrace {
  /** 32 hexadecimal digits. */
  readonly traceId: string
  beginAttempt(): AttemptSpan
}

export interface AttemptSpan {
  /** 16 hexadecimal digits. */
  readonly id: string
  /** Propagates the span to the upstream as the parent of its own spans. */
  readonly headers: Readonly<Record<string, string>>
}
