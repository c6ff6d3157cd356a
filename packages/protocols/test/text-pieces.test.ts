import fc from 'fast-check'
import { expect, test } from 'vitest'
import '../../../test/support/property-limits.ts'
import { BytePlaces } from '../src/gemini/byte-places.ts'
import { SaidText } from '../src/said-text.ts'

const pieces = fc.array(
  fc.oneof(
    fc.string({ unit: 'grapheme' }),
    fc.constantFrom('a', 'ö', '漢', '😀', 'a'.repeat(255), '😀'.repeat(300)),
  ),
)

test('property: converts between byte and UTF-16 offsets of text in parts', () => {
  fc.assert(
    fc.property(pieces, fc.nat(2_000), (texts, byte) => {
      const whole = texts.join('')
      const bytes = Buffer.from(whole)
      const places = new BytePlaces()
      for (const [index, text] of texts.entries()) {
        places.add(text)
        if (index % 3 === 0) places.unitsBefore(byte)
      }
      const unit = bytes.toString('utf8', 0, byte).length
      expect(places.unitsBefore(byte)).toBe(unit)
      expect(places.bytesBefore(unit)).toBe(Buffer.byteLength(whole.slice(0, unit)))
    }),
  )
})

test('property: slices text in parts like a string', () => {
  fc.assert(
    fc.property(pieces, fc.nat(900), fc.nat(900), (texts, start, end) => {
      const said = new SaidText()
      for (const text of texts) said.add(text)
      expect(said.slice(start, end)).toBe(texts.join('').slice(start, end))
      expect(said.length).toBe(texts.join('').length)
    }),
  )
})
