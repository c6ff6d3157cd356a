import { expect, test } from 'vitest'
import { openImageLinks } from '../src/images/image-links.ts'

type Links = ReturnType<typeof openImageLinks>
const put = (links: Links, length: number) => links.publish(bytes(length), 'image/png').slice(0, -4)
const bytes = (length: number) => new Uint8Array(length)

test('what is put is found under an id nobody can guess, until it expires', () => {
  let time = 1000
  const links = openImageLinks({ now: () => time, ttlMs: 500 })
  const ids = Array.from({ length: 50 }, () => put(links, 3))
  expect(new Set(ids).size).toBe(50)
  for (const id of ids) expect(id).toMatch(/^[\w-]{32}$/)
  expect(links.find(ids[0]!)).toMatchObject({ contentType: 'image/png', expiresAt: 1500 })
  expect(links.find('constructor')).toBeUndefined()
  expect(links.publish(bytes(3), 'image/webp')).toMatch(/^[\w-]{32}\.webp$/)
  time = 1500
  expect(links.find(ids[0]!)).toBeUndefined()
})

test('the oldest make room, by bytes and by number', () => {
  const links = openImageLinks({ now: () => 0, bytesMax: 10, entriesMax: 3 })
  const first = put(links, 6)
  const second = put(links, 6)
  expect(links.find(first)).toBeUndefined()
  expect(links.find(second)).toBeDefined()
  const small = Array.from({ length: 4 }, () => put(links, 1))
  expect(small.map((id) => links.find(id) !== undefined)).toEqual([false, true, true, true])
})

test('a picture larger than all the room is not kept', () => {
  const links = openImageLinks({ now: () => 0, bytesMax: 10 })
  expect(links.find(put(links, 11))).toBeUndefined()
})
