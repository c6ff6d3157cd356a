import { expect, test } from 'vitest'
import { typeByName } from '../src/file-types.ts'

test.each([
  ['a.png', 'image/png'],
  ['https://example.com/a.b/report.PDF?page=1.2#x', 'application/pdf'],
  ['C# notes.pdf', 'application/pdf'],
  ['a.constructor', undefined],
  ['png', undefined],
  ['a.', undefined],
])('the type of %s is %s', (name, type) => {
  expect(typeByName(name)).toBe(type)
})

test('runs in linear time', { timeout: 2_000 }, () => {
  expect(typeByName(`${'.a?'.repeat(100_000)}\nx`)).toBeUndefined()
  expect(typeByName(`${'.aaaa'.repeat(100_000)}.`)).toBeUndefined()
})
