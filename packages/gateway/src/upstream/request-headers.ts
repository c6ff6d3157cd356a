/**
 * Headers that describe the connection or the message on it, which are not the caller's (RFC 9110, 7.6.1 and RFC 9112, 6), and the
 * password of a proxy, which is the connection's.
 */
const ofConnection: ReadonlySet<string> = new Set([
  'connection',
  'content-length',
  'expect',
  'keep-alive',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
])

/** Names by name as given. Those in use are few. */
const namesMax = 1_000
const isOfConnection = new Map<string, boolean>()

function isLeftOut(name: string): boolean {
  const known = isOfConnection.get(name)
  if (known !== undefined) return known
  const found = ofConnection.has(name.toLowerCase())
  if (isOfConnection.size < namesMax) isOfConnection.set(name, found)
  return found
}

type Headers = Readonly<Record<string, string>>

/** The headers of a request without those of its connection. */
export function requestHeaders(headers: Headers): Headers {
  for (const name in headers)
    if (isLeftOut(name))
      return Object.fromEntries(Object.entries(headers).filter(([one]) => !isLeftOut(one)))
  return headers
}
