import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import '../../../../test/support/property-limits.ts'
import { hostileResponses, lines } from '../../../../test/support/fakes/hostile-responses.ts'
import { InvalidResponse } from '../../src/cli/load/invalid-response.ts'
import { ResponseParser } from '../../src/cli/load/response-parser.ts'

interface Parsed {
  status: number
  headers: Readonly<Record<string, string>>
  body: string
  isAtEnd: boolean
  isKept: boolean
  /** Bytes after the end of the response. */
  left: number
}

/** Parses reads of one connection; a read is overwritten before the next one, as a shared buffer is. */
function parse(reads: readonly Buffer[], isClosed = false): Parsed {
  const parser = new ResponseParser()
  const parsed: Parsed = {
    status: 0,
    headers: {},
    body: '',
    isAtEnd: false,
    isKept: false,
    left: 0,
  }
  const pieces: Uint8Array[] = []
  parser.expect({
    onHead(status, headers) {
      parsed.status = status
      parsed.headers = headers
    },
    onData: (piece) => void pieces.push(Buffer.from(piece)),
  })
  for (const read of reads) {
    const bytes = Buffer.from(read)
    const used = parser.isAtEnd ? 0 : parser.parse(bytes)
    parsed.left += bytes.length - used
    bytes.fill('#')
  }
  if (isClosed) parser.close()
  parsed.body = Buffer.concat(pieces).toString('latin1')
  parsed.isAtEnd = parser.isAtEnd
  parsed.isKept = parser.isKept
  return parsed
}

const whole = (text: string, isClosed = false) => parse([Buffer.from(text, 'latin1')], isClosed)

function cutAt(text: string, places: readonly number[]): Buffer[] {
  const bytes = Buffer.from(text, 'latin1')
  const cuts = [...new Set(places.map((place) => place % (bytes.length + 1)))].sort((a, b) => a - b)
  return [0, ...cuts].map((from, n) => bytes.subarray(from, cuts[n] ?? bytes.length))
}

describe('responses', () => {
  test.each([
    [
      'a length',
      lines('HTTP/1.1 200 OK', 'Content-Length: 5', '', 'hello').slice(0, -2),
      'hello',
      true,
    ],
    ['a length of 0', lines('HTTP/1.1 200 OK', 'content-length: 0', ''), '', true],
    ['no content', lines('HTTP/1.1 204 No Content', ''), '', true],
    ['not modified, with a length', lines('HTTP/1.1 304', 'content-length: 9', ''), '', true],
    [
      'chunks',
      lines('HTTP/1.1 200 ', 'transfer-encoding: chunked', '', '3', 'hel', '02', 'lo', '0', ''),
      'hello',
      true,
    ],
    [
      'chunks with extensions and trailers',
      lines(
        'HTTP/1.1 200 OK',
        'Transfer-Encoding: Chunked',
        '',
        '5;a=b;c="d e"',
        'hello',
        '0 ;e',
        'x: y',
        'z: 1',
        '',
      ),
      'hello',
      true,
    ],
    [
      'chunks, said by each proxy',
      lines(
        'HTTP/1.1 200 ',
        'transfer-encoding: chunked',
        'transfer-encoding: chunked',
        '',
        '0',
        '',
      ),
      '',
      true,
    ],
    [
      'a response that closes',
      lines('HTTP/1.1 200 OK', 'connection: x, Close', 'content-length: 0', ''),
      '',
      false,
    ],
    ['HTTP/1.0', lines('HTTP/1.0 200 OK', 'content-length: 0', ''), '', false],
    [
      'HTTP/1.0 kept',
      lines('HTTP/1.0 200 OK', 'connection: Keep-Alive', 'content-length: 0', ''),
      '',
      true,
    ],
    [
      'interim responses',
      lines(
        'HTTP/1.1 100 Continue',
        '',
        'HTTP/1.1 103 Early Hints',
        'link: </a>',
        '',
        'HTTP/1.1 200 OK',
        'content-length: 0',
        '',
      ),
      '',
      true,
    ],
  ])('with %s', (_name, text, body, isKept) => {
    expect(whole(text)).toMatchObject({ body, isKept, isAtEnd: true, left: 0 })
  })

  test('without a length end with the connection', () => {
    const text = lines('HTTP/1.1 200 OK', 'content-type: a/b', '', 'hello')
    expect(whole(text)).toMatchObject({ body: 'hello\r\n', isAtEnd: false, isKept: false })
    expect(whole(text, true)).toMatchObject({ body: 'hello\r\n', isAtEnd: true, isKept: false })
    const identity = lines('HTTP/1.1 200 OK', 'transfer-encoding: identity', '', 'hello')
    expect(whole(identity, true)).toMatchObject({ body: 'hello\r\n', isAtEnd: true, isKept: false })
  })

  test.each([
    ['in its head', 'HTTP/1.1 200 OK\r\ncontent-le'],
    ['before its body', lines('HTTP/1.1 200 OK', 'content-length: 5', '')],
    ['in its body', lines('HTTP/1.1 200 OK', 'content-length: 5', '', 'he')],
    [
      'before its last chunk',
      lines('HTTP/1.1 200 OK', 'transfer-encoding: chunked', '', '2', 'he'),
    ],
    ['in its trailers', lines('HTTP/1.1 200 OK', 'transfer-encoding: chunked', '', '0', 'a: b')],
    ['after an interim response', lines('HTTP/1.1 100 Continue', '')],
  ])('that are cut %s are incomplete', (_name, text) => {
    expect(whole(text, true).isAtEnd).toBe(false)
  })

  test('have headers by lower-case name, trimmed and joined', () => {
    const { headers } = whole(
      lines(
        'HTTP/1.1 200 OK',
        'A: 1',
        'a:\t2 ',
        'Constructor: no',
        'é-b: x'.slice(2),
        'Latin: é',
        'e:',
        'Content-Length: 0',
        '',
      ),
    )
    expect(headers).toEqual({
      a: '1, 2',
      constructor: 'no',
      b: 'x',
      latin: 'é',
      e: '',
      'content-length': '0',
    })
  })

  test.each(hostileResponses)('with %s are rejected', (_name, text) => {
    expect(() => whole(text)).toThrow(InvalidResponse)
    expect(() => parse(cutAt(text, [1, 7, 16, 17, 18, 40, 41, 60]))).toThrow(InvalidResponse)
  })

  test('report how many bytes follow them', () => {
    const text = lines('HTTP/1.1 200 OK', 'content-length: 2', '', 'hi') + 'HTTP/1.1 200 OK'
    expect(whole(text)).toMatchObject({ body: 'hi', left: 17 })
    const chunked = lines('HTTP/1.1 200 OK', 'transfer-encoding: chunked', '', '0', '', 'HTTP')
    expect(whole(chunked)).toMatchObject({ body: '', left: 6 })
  })
})

const byte = fc.string({
  unit: fc.integer({ min: 0, max: 255 }).map((code) => String.fromCharCode(code)),
})
const framed = fc.oneof(
  fc.record({ kind: fc.constant('length' as const), pieces: fc.array(byte) }),
  fc.record({
    kind: fc.constant('chunks' as const),
    pieces: fc.array(byte.filter((one) => one !== '')),
  }),
  fc.record({ kind: fc.constant('close' as const), pieces: fc.array(byte) }),
)

test('property: a response parses the same however it is split', () => {
  fc.assert(
    fc.property(
      framed,
      fc.integer({ min: 0, max: 2 }),
      fc.array(fc.nat(), { maxLength: 12 }),
      ({ kind, pieces }, interim, cuts) => {
        const body = pieces.join('')
        const framing = {
          length: `content-length: ${body.length}\r\n`,
          chunks: 'transfer-encoding: chunked\r\n',
          close: '',
        }[kind]
        const sent =
          kind === 'chunks'
            ? [
                ...pieces.map((one) => `${one.length.toString(16)}\r\n${one}\r\n`),
                '0\r\n\r\n',
              ].join('')
            : body
        const text = `${'HTTP/1.1 100 Continue\r\n\r\n'.repeat(interim)}HTTP/1.1 201 Created\r\nx: y\r\n${framing}\r\n${sent}`
        expect(parse(cutAt(text, cuts), true)).toMatchObject({
          status: 201,
          body,
          isAtEnd: true,
          isKept: kind !== 'close',
          left: 0,
        })
      },
    ),
    { numRuns: 500 },
  )
})

test('property: random bytes parse or are rejected the same however they are split', () => {
  const part = fc.oneof(
    fc.constantFrom(
      'HTTP/1.1 200 OK\r\n',
      'HTTP/1.1 100 C\r\n\r\n',
      'content-length: 4\r\n',
      'transfer-encoding: chunked\r\n',
    ),
    fc.constantFrom('\r\n', '\r\n\r\n', '\n', '4\r\n', 'abcd', '0\r\n', ' ', ';', ': ', 'a: b\r\n'),
    byte,
  )
  const outcome = (reads: readonly Buffer[]) => {
    try {
      return parse(reads, true)
    } catch (thrown) {
      if (thrown instanceof InvalidResponse) return 'refused'
      throw thrown
    }
  }
  fc.assert(
    fc.property(fc.array(part), fc.array(fc.nat(), { maxLength: 8 }), (parts, cuts) => {
      const text = `HTTP/1.1 200 OK\r\n${parts.join('')}`
      expect(outcome(cutAt(text, cuts))).toEqual(outcome([Buffer.from(text, 'latin1')]))
    }),
    { numRuns: 1_000 },
  )
})
