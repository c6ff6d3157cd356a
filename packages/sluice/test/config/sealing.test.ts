// The encryption of stored settings: what was changed, moved or encrypted with another key is not decrypted.
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { Sealing } from '../../src/config/sealing.ts'
import '../../../../test/support/property-limits.ts'

const one = new Sealing(['first-encryption-key-0123456789abcdef'])
const other = new Sealing(['second-encryption-key-0123456789abcdef'])
const both = new Sealing([
  'second-encryption-key-0123456789abcdef',
  'first-encryption-key-0123456789abcdef',
])

test('decrypts what it has encrypted, for the same place alone', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      const sealed = one.seal(text, 'providers/a')
      const wellFormed = text.toWellFormed()
      expect(one.open(sealed, 'providers/a')).toBe(wellFormed)
      expect(both.open(sealed, 'providers/a')).toBe(wellFormed)
      expect(other.open(sealed, 'providers/a')).toBeUndefined()
      expect(one.open(sealed, 'providers/b')).toBeUndefined()
      expect([one.isNewest(sealed), both.isNewest(sealed)]).toEqual([true, false])
    }),
  )
})

test('encrypts the same text differently each time', () => {
  expect(one.seal('a', 'p')).not.toBe(one.seal('a', 'p'))
})

test('decrypts nothing in which a character was changed', () => {
  const sealed = one.seal('{"key":"sk-0123456789"}', 'p')
  fc.assert(
    fc.property(fc.nat(sealed.length - 2), fc.constantFrom('A', 'B', '.'), (at, letter) => {
      fc.pre(sealed[at] !== letter)
      expect(one.open(sealed.slice(0, at) + letter + sealed.slice(at + 1), 'p')).toBeUndefined()
    }),
  )
  for (const cut of ['', 'v1', 'v1.', sealed.slice(0, 20), 'not sealed'])
    expect(one.open(cut, 'p')).toBeUndefined()
})
