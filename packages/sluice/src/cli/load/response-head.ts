import { InvalidResponse } from './invalid-response.ts'

export interface ResponseHead {
  readonly status: number
  /** Names in lower case. Values of a repeated header are joined with ", ". */
  readonly headers: Readonly<Record<string, string>>
  /** Whether the connection stays open after the response. */
  readonly isKept: boolean
  /** For how many seconds, if the upstream says so. */
  readonly idleSeconds: number | undefined
  readonly isChunked: boolean
  /** Length of the body in bytes, if the head gives it. */
  readonly length: number | undefined
}

const statusLine = /^HTTP\/1\.([01]) ([1-9]\d\d)(?: |\r|$)/
/** Control characters, and a line feed or carriage return that does not belong to a line's end. */
const strayControl = /[^\t\r\n\x20-\x7e\x80-\xff]|\r(?!\n)|(?<!\r)\n/
const headerName = /^[!#$%&'*+\-.^_`|~0-9a-z]+$/
/** Proxies that each add the header are taken for one. "identity" is what old servers call no coding (RFC 2616, 3.6). */
const codings = /^(?:(chunked)(?:, chunked)*|identity)$/i
const digits = /^\d{1,15}$/

/**
 * Parses the head of a response, without the empty line at its end (RFC 9112, 4 to 6). Throws InvalidResponse, also for
 * what could be understood in two ways: a length and a transfer coding, two lengths, an unknown coding, a folded line.
 */
export function parseResponseHead(text: string): ResponseHead {
  const first = statusLine.exec(text)
  if (!first || strayControl.test(text))
    throw new InvalidResponse('The upstream did not answer in HTTP/1.1')
  const status = Number(first[2])
  const headers = parseHeaders(text)
  const transfer = headers['transfer-encoding']
  const coding = transfer === undefined ? undefined : codings.exec(transfer)
  const length = headers['content-length']
  if (coding === null || (coding && length !== undefined))
    throw new InvalidResponse('The response’s transfer-encoding cannot be read')
  if (length !== undefined && !digits.test(length))
    throw new InvalidResponse('The response’s content-length is not one number')
  const connection = headers['connection']?.toLowerCase()
  const hint = headers['keep-alive']
  return {
    status,
    headers,
    isKept: first[1] === '1' ? !hasToken(connection, 'close') : hasToken(connection, 'keep-alive'),
    idleSeconds: hint === undefined ? undefined : idleSecondsOf(hint),
    isChunked: coding?.[1] !== undefined,
    length: length === undefined ? undefined : Number(length),
  }
}

const protocol = 'HTTP/1.'
/** Of a status line and the character after it. */
const statusLength = 'HTTP/1.1 200 '.length

/** Throws InvalidResponse if what has come of a head cannot become one: something else may never send the end of a head. */
export function checkBeginning(text: string): void {
  const isOne =
    text.length < statusLength
      ? protocol.startsWith(text.slice(0, protocol.length))
      : statusLine.test(text)
  if (!isOne) throw new InvalidResponse('The upstream did not answer in HTTP/1.1')
}

function parseHeaders(text: string): Record<string, string> {
  const headers: Record<string, string> = {}
  let at = text.indexOf('\r\n')
  while (at >= 0) {
    const begin = at + 2
    at = text.indexOf('\r\n', begin)
    const end = at < 0 ? text.length : at
    const colon = text.indexOf(':', begin)
    const name = headerNameOf(colon < 0 || colon > end ? '' : text.slice(begin, colon))
    const value = text.slice(colon + 1, end).trim()
    const before = headers[name]
    headers[name] = typeof before === 'string' ? `${before}, ${value}` : value
  }
  return headers
}

/** Names in lower case by names as upstreams write them; there are few. */
const namesMax = 1_000
const knownNames = new Map<string, string>()

function headerNameOf(written: string): string {
  const known = knownNames.get(written)
  if (known !== undefined) return known
  const name = written.toLowerCase()
  // `__proto__` would set the prototype of the headers.
  if (!headerName.test(name) || name === '__proto__')
    throw new InvalidResponse('A response header has no valid name')
  if (knownNames.size < namesMax) knownNames.set(written, name)
  return name
}

function hasToken(list: string | undefined, token: string): boolean {
  if (list === undefined) return false
  return list === token || list.split(',').some((one) => one.trim() === token)
}

const timeout = /(?:^|[,;\s])timeout\s*=\s*"?(\d{1,9})/i

function idleSecondsOf(hint: string): number | undefined {
  const seconds = timeout.exec(hint)?.[1]
  return seconds === undefined ? undefined : Number(seconds)
}
