import { expect, test } from 'vitest'
import { formatDataUrl, parseDataUrl, registeredDataUrl } from '../src/wire/data-url.ts'

test.each([
  ['data:image/png;base64,AAEC', 'image/png', 'AAEC'],
  ['DATA:Image/PNG;Base64,AAEC', 'image/png', 'AAEC'],
  ['data:text/plain;charset=utf-8;base64,w7w=', 'text/plain', 'w7w='],
  ['data:image/png;base64,AA%2BC', 'image/png', 'AA+C'],
  ['data:image/png;base64, AA\nEC\n', 'image/png', 'AAEC'],
  ['data:image/png;base64,_-8', 'image/png', '/+8='],
  ['data:image/jpeg;base64,iVBORw0KGgo=', 'image/png', 'iVBORw0KGgo='],
  ['data:;base64,/9j/4AAQ', 'image/jpeg', '/9j/4AAQ'],
  ['data:application/octet-stream;base64,R0lGODlh', 'image/gif', 'R0lGODlh'],
  ['data:text/plain;base64,R0lGODlh', 'text/plain', 'R0lGODlh'],
  ['data:,hello%20there', 'text/plain', Buffer.from('hello there').toString('base64')],
  ['data:text/csv,a%3Bb', 'text/csv', Buffer.from('a;b').toString('base64')],
])('parses %s', (url, contentType, base64) => {
  expect(parseDataUrl(url)).toEqual({ contentType, base64 })
})

test.each([
  'https://example.com/a.png',
  'data:image/png;base64',
  'data:image/png;base64,not base64!',
  'data:,%zz',
  '',
])('rejects %s', (url) => {
  expect(parseDataUrl(url)).toBeUndefined()
})

test('round-trips a data URL', () => {
  const base64 = Buffer.from([255, 0, 1]).toString('base64')
  expect(parseDataUrl(formatDataUrl('image/webp', base64))).toEqual({
    contentType: 'image/webp',
    base64,
  })
})

test.each([
  ['data:image/jpg;base64,AAEC', 'data:image/jpeg;base64,AAEC'],
  ['data:image/jpeg;base64,iVBORw0KGgo=', 'data:image/png;base64,iVBORw0KGgo='],
  ['data:application/octet-stream;base64,/9j/4AAQ', 'data:image/jpeg;base64,/9j/4AAQ'],
  ['data:image/webp;base64,AAEC', 'data:image/webp;base64,AAEC'],
  ['https://example.com/a.jpg', 'https://example.com/a.jpg'],
])('corrects the image type of %s to %s', (url, registered) => {
  expect(registeredDataUrl(url)).toBe(registered)
})
