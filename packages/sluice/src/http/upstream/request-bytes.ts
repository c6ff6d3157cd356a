import type { Outgoing } from '../../gateway/attempt/send.ts'

/** Headers that describe the connection or the message on it, which are written here (RFC 9110, 7.6.1 and RFC 9112, 6). */
const ofConnection: ReadonlySet<string> = new Set([
  'connection',
  'content-length',
  'expect',
  'keep-alive',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
])
const headerName = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/
const invalidValue = /[^\t\x20-\x7e\x80-\xff]/

/** Whether a header is written, by name as given. The names in use are few; each is examined once. */
const namesMax = 1_000
const isWritten = new Map<string, boolean>()

function isWrittenName(name: string): boolean {
  const known = isWritten.get(name)
  if (known !== undefined) return known
  if (!headerName.test(name)) throw new TypeError('A request header has no valid name')
  const written = !ofConnection.has(name.toLowerCase())
  if (isWritten.size < namesMax) isWritten.set(name, written)
  return written
}

/** Larger bodies are not copied behind their head but written after it. */
const copiedBytesMax = 16 * 1024

/**
 * The bytes of a request, in one piece unless its body is large. `place`: host and path with query, percent-encoded.
 * Headers of the connection are left out of `headers`. Throws a TypeError for a name or value that cannot be written.
 */
export function requestBytes(
  { method, headers, body }: Outgoing,
  place: { readonly host: string; readonly path: string },
): readonly Uint8Array[] {
  const head = requestHead(method, headers, { ...place, length: body?.length ?? 0 })
  if (body === undefined || body.length === 0) return [Buffer.from(head, 'latin1')]
  if (body.length > copiedBytesMax) return [Buffer.from(head, 'latin1'), body]
  const bytes = Buffer.allocUnsafe(head.length + body.length)
  bytes.write(head, 'latin1')
  bytes.set(body, head.length)
  return [bytes]
}

function requestHead(
  method: Outgoing['method'],
  headers: Outgoing['headers'],
  { host, path, length }: { readonly host: string; readonly path: string; readonly length: number },
): string {
  let own = `${method} ${path} HTTP/1.1\r\n`
  let hasHost = false
  let lines = ''
  for (const name in headers) {
    if (!isWrittenName(name)) continue
    const value = headers[name] ?? ''
    if (invalidValue.test(value))
      throw new TypeError(`The request header ${name} has no valid value`)
    if (name.length === 4 && name.toLowerCase() === 'host') hasHost = true
    lines += `${name}: ${value}\r\n`
  }
  if (!hasHost) own += `host: ${host}\r\n`
  own += 'connection: keep-alive\r\n'
  if (length > 0 || method === 'POST') own += `content-length: ${length}\r\n`
  return `${own}${lines}\r\n`
}
