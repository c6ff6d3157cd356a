/** What a fake upstream does with a connection, one step after the other. */
export type Step =
  | { readonly do: 'send'; readonly bytes: Uint8Array }
  /** A few bytes at a time. */
  | { readonly do: 'drip'; readonly bytes: Uint8Array; readonly size: number; readonly ms: number }
  /** The same again and again, until the connection is gone. */
  | { readonly do: 'repeat'; readonly bytes: Uint8Array; readonly ms: number }
  | { readonly do: 'pause'; readonly ms: number }
  /** Nothing more, and the connection stays open. */
  | { readonly do: 'stall' }
  | { readonly do: 'reset' }
  /** Closes its half of the connection in order. */
  | { readonly do: 'end' }
  /** The answer was whole: the connection may serve another request. */
  | { readonly do: 'keep' }

export const send = (...parts: readonly (Uint8Array | string)[]): Step => ({
  do: 'send',
  bytes: Buffer.concat(parts.map((part) => (typeof part === 'string' ? Buffer.from(part) : part))),
})
export const drip = (bytes: Uint8Array, size: number, ms: number): Step => ({
  do: 'drip',
  bytes,
  size,
  ms,
})
export const repeat = (bytes: Uint8Array, ms: number): Step => ({ do: 'repeat', bytes, ms })
export const stall: Step = { do: 'stall' }
export const reset: Step = { do: 'reset' }
export const end: Step = { do: 'end' }
export const keep: Step = { do: 'keep' }

type Headers = Readonly<Record<string, string>>

export function head(status: number, headers: Headers): Uint8Array {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  return Buffer.from(`HTTP/1.1 ${status} Said\r\n${lines.join('')}\r\n`)
}

export const chunkedHead = (contentType: string, further: Headers = {}): Uint8Array =>
  head(200, { 'content-type': contentType, 'transfer-encoding': 'chunked', ...further })

/** Each piece as a chunk of its own. */
export const chunks = (...pieces: readonly Uint8Array[]): Uint8Array =>
  Buffer.concat(
    pieces
      .filter(({ length }) => length > 0)
      .flatMap((piece) => [
        Buffer.from(`${piece.length.toString(16)}\r\n`),
        piece,
        Buffer.from('\r\n'),
      ]),
  )

/** A whole answer with its length, after which the connection stays open. */
export const whole = (
  status: number,
  body: Uint8Array | string,
  headers: Headers = {},
): readonly Step[] => [
  send(head(status, { 'content-length': String(Buffer.byteLength(body)), ...headers }), body),
  keep,
]
