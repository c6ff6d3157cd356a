export interface TakenRequest {
  readonly path: string
  readonly body: Buffer
  /** Bytes of head and body together. */
  readonly length: number
}

/** The first whole HTTP/1.1 request in the bytes; undefined while some of it is missing. */
export function takeRequest(bytes: Buffer): TakenRequest | undefined {
  const headEnd = bytes.indexOf('\r\n\r\n')
  if (headEnd < 0) return undefined
  const head = bytes.toString('latin1', 0, headEnd)
  const path = head.slice(head.indexOf(' ') + 1, head.indexOf(' HTTP/'))
  const from = headEnd + 4
  if (/\r\ntransfer-encoding: *chunked/i.test(head)) {
    const end = bytes.indexOf('\r\n0\r\n\r\n', from - 2)
    if (end < 0) return undefined
    return { path, body: bytes.subarray(from, end), length: end + 7 }
  }
  const length = from + Number(/\r\ncontent-length: *(\d+)/i.exec(head)?.[1] ?? 0)
  return bytes.length < length ? undefined : { path, body: bytes.subarray(from, length), length }
}
