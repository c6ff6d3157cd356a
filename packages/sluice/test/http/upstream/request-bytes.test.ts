import { describe, expect, test } from 'vitest'
import { requestBytes } from '../../../src/http/upstream/request-bytes.ts'

const place = { host: 'api.example:8080', path: '/v1/chat?x=%20' }
const written = (
  headers: Readonly<Record<string, string>>,
  body?: Uint8Array,
  method: 'GET' | 'POST' | 'DELETE' = 'POST',
) => {
  const pieces = requestBytes({ method, url: '', headers, body, connectMs: 1 }, place)
  return { pieces: pieces.length, text: Buffer.concat(pieces).toString('latin1') }
}

describe('a request', () => {
  test('has its headers, its host and the length of its body', () => {
    expect(written({ Accept: '*/*', 'x-latin': 'é' }, Buffer.from('{}')).text).toBe(
      'POST /v1/chat?x=%20 HTTP/1.1\r\nhost: api.example:8080\r\nconnection: keep-alive\r\ncontent-length: 2\r\nAccept: */*\r\nx-latin: é\r\n\r\n{}',
    )
  })

  test('has a length without a body only where a body is expected', () => {
    expect(written({}).text).toContain('content-length: 0\r\n')
    expect(written({}, undefined, 'GET').text).not.toContain('content-length')
    expect(written({}, undefined, 'DELETE').text).not.toContain('content-length')
    expect(written({}, Buffer.from('ab'), 'DELETE').text).toContain('content-length: 2\r\n')
  })

  test('may name another host, and nothing of the connection', () => {
    const { text } = written({
      Host: 'other',
      Connection: 'close',
      'Content-Length': '9',
      'Transfer-Encoding': 'chunked',
      Expect: '100-continue',
    })
    expect(text).toBe(
      'POST /v1/chat?x=%20 HTTP/1.1\r\nconnection: keep-alive\r\ncontent-length: 0\r\nHost: other\r\n\r\n',
    )
  })

  test('is one piece unless its body is large, which is not copied', () => {
    expect(written({}, Buffer.alloc(1_000)).pieces).toBe(1)
    const body = Buffer.alloc(1_000_000, 'x')
    const pieces = requestBytes({ method: 'POST', url: '', headers: {}, body, connectMs: 1 }, place)
    expect(pieces[1]).toBe(body)
  })

  test.each([
    ['a line break in a value', { x: 'a\r\nhost: evil' }],
    ['a line feed in a value', { x: 'a\nb' }],
    ['a null character in a value', { x: 'a\0' }],
    ['a character beyond Latin-1', { x: '☃' }],
    ['a line break in a name', { 'x\r\ny': 'a' }],
    ['a space in a name', { 'x y': 'a' }],
    ['no name', { '': 'a' }],
  ])('with %s is not written', (_name, headers) => {
    expect(() => written(headers as Record<string, string>)).toThrow(TypeError)
  })
})
