/** Responses of upstreams that cannot be read, or could be read in two ways (RFC 9112, 4 to 7). */

const lines = (...all: readonly string[]) => `${all.join('\r\n')}\r\n`

const head = (...further: readonly string[]) => lines('HTTP/1.1 200 OK', ...further, '')

/** Those that llhttp reads in the only way that is left, which harms nobody: until the connection is closed, for an unknown coding. */
export const toleratedResponses: ReadonlySet<string> = new Set([
  'a coding after a next-line character',
  'a coding in quotes',
  'chunks and no coding',
  'an empty line before the status',
  'a prototype',
  'a head that is too large',
])

export const hostileResponses: readonly (readonly [name: string, text: string])[] = [
  ['another protocol', 'SSH-2.0-OpenSSH_9\r\n\r\n'],
  ['another protocol that waits', 'SSH'],
  ['another protocol in one line', 'Hello, who are you?\r\n'],
  ['a status that is none, and no end', 'HTTP/1.1 OK 200\r\n'],
  ['another protocol after an interim response', `${lines('HTTP/1.1 100 Continue', '')}220 smtp`],
  ['HTTP/2', lines('HTTP/2 200', '')],
  ['a switch to another protocol', lines('HTTP/1.1 101 Switching Protocols', '')],
  ['a status of two digits', lines('HTTP/1.1 20 OK', '')],
  ['two lengths', head('content-length: 3', 'content-length: 4')],
  ['the same length twice', head('content-length: 3', 'content-length: 3')],
  ['a length with a sign', head('content-length: +3')],
  ['a length in hexadecimal', head('content-length: 0x3')],
  ['a length beyond all sizes', head(`content-length: ${'9'.repeat(20)}`)],
  ['a length after a vertical tab', head('content-length: \v5')],
  ['a length after a next-line character', head('content-length: \x855')],
  ['a length before a next-line character', head('content-length: 5\x85')],
  ['a length in two parts', head('content-length: 5 5')],
  ['a length in a list', head('content-length: 5, 5')],
  ['a length with many zeros in front', head(`content-length: ${'0'.repeat(15)}5`)],
  ['a coding after a next-line character', head('transfer-encoding: \x85chunked')],
  ['a coding after a vertical tab', head('transfer-encoding: \vchunked')],
  ['a coding in quotes', head('transfer-encoding: "chunked"')],
  ['a coding twice without a space', head('transfer-encoding: chunked,chunked')],
  ['an empty line before the status', `\r\n${head('content-length: 0')}`],
  ['a space before the first header', head(' content-length: 5')],
  ['a length and chunks', head('content-length: 3', 'transfer-encoding: chunked')],
  ['a coding that was not asked for', head('transfer-encoding: gzip, chunked')],
  ['chunks and no coding', head('transfer-encoding: chunked, identity')],
  ['a space before the colon', head('content-length : 3')],
  ['no colon', head('content-length')],
  ['no name', head(': x')],
  ['a folded line', head('x: y', ' z')],
  ['a fold before the first header', head(' x: y')],
  ['a prototype', head('__proto__: x')],
  ['a line feed alone', head('a: b\nc: d')],
  ['a carriage return alone', head('a: b\rc: d')],
  ['a null character', head('a: b\0c')],
  ['a head without an end', `HTTP/1.1 200 OK\r\n${'a: b\r\n'.repeat(3_000)}`],
  ['a head that is too large', head(...Array.from({ length: 3_000 }, () => 'a: b'))],
  ['a chunk without a size', head('transfer-encoding: chunked') + lines('', 'hello')],
  ['a chunk without a size that waits', `${head('transfer-encoding: chunked')}no size`],
  [
    'a chunk longer than its size that waits',
    `${head('transfer-encoding: chunked')}${lines('3')}hello`,
  ],
  ['a negative chunk', head('transfer-encoding: chunked') + lines('-5', 'hello')],
  ['a chunk beyond all sizes', head('transfer-encoding: chunked') + lines('f'.repeat(16), '')],
  ['a chunk longer than its size', head('transfer-encoding: chunked') + lines('3', 'hello', '')],
  [
    'a chunk size that ends with a line feed',
    `${head('transfer-encoding: chunked')}5\nhello\r\n0\r\n\r\n`,
  ],
  ['a chunk size without an end', head('transfer-encoding: chunked') + `1;${'a'.repeat(20_000)}`],
  [
    'trailers without an end',
    head('transfer-encoding: chunked') + `0\r\n${'a: b\r\n'.repeat(6_000)}`,
  ],
]
