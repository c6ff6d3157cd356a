/** How long to wait for an upstream, in milliseconds. Every wait has a limit. */
export interface Timeouts {
  /** To establish the connection. */
  readonly connectMs: number
  /** From sending the request to the response headers. */
  readonly headersMs: number
  /** From sending the request to the first streamed content. */
  readonly firstTokenMs: number
  /** Between two events of a stream. */
  readonly idleMs: number
  /** For the whole response. */
  readonly totalMs: number
}

export const defaultTimeouts: Timeouts = {
  connectMs: 10_000,
  headersMs: 300_000,
  firstTokenMs: 300_000,
  idleMs: 120_000,
  totalMs: 900_000,
}
