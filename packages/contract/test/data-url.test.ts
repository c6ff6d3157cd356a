import { expect, test } from 'vitest'
import { formatDataUrl, parseDataUrl } from '../src/wire/data-url.ts'

test.each([
  ['data:image/png;base64,AAEC', 'image/png', 'AAEC'],
  ['DATA:Image/PNG;Base64,AAEC', 'image/png', 'AAEC'],
  ['data:text/plain;charset=utf-8;base64,w7w=', 'text/plain', 'w7w='],
  ['data:image/png;base64,AA%2BC', 'image/png', 'AA+C'],
  ['data:,hello%20there', 'text/plain', Buffer.from('hello there').toString('base64')],
  ['data:text/csv,a%3Bb', 'text/csv', Buffer.from('a;b').toString('base64')],
])('%s', (url, contentType, base64) => {
  expect(parseDataUrl(url)).toEqual({ contentType, base64 })
})

test.each([
  'https://example.com/a.png',
  'data:image/png;base64',
  'data:image/png;base64,not base64!',
  'data:,%zz',
  '',
])('%s is none', (url) => {
  expect(parseDataUrl(url)).toBeUndefined()
})

test('what is written is read again', () => {
  const base64 = Buffer.from([255, 0, 1]).toString('base64')
  expect(parseDataUrl(formatDataUrl('image/webp', base64))).toEqual({
    contentType: 'image/webp',
    base64,
  })
})
