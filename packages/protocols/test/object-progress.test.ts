import fc from 'fast-check'
import { expect, test } from 'vitest'
import '../../../test/support/property-limits.ts'
import { ObjectProgress } from '../src/object-progress.ts'

/** What an object looks like from its text alone. */
function isObjectText(text: string): boolean {
  if (!text.trimEnd().endsWith('}')) return false
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

function wholeAfterEach(pieces: readonly string[]): readonly boolean[] {
  const progress = new ObjectProgress()
  let text = ''
  return pieces.map((piece) => {
    text += piece
    progress.add(piece)
    return progress.isWhole(text)
  })
}

const alphabet = ['{', '}', '"', '\\', ':', ',', ' ', '[', ']', '1', '"a"', '{}', '"a":']

test('property: detects the end of an object exactly, however it is split', () => {
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...alphabet), { maxLength: 12 }), (pieces) => {
      const texts = pieces.map((_, index) => pieces.slice(0, index + 1).join(''))
      expect(wholeAfterEach(pieces)).toEqual(texts.map(isObjectText))
    }),
    { numRuns: 3_000 },
  )
})

test('property: handles braces, quotes and escapes in strings', () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.json()), (object) => {
      const text = JSON.stringify(object)
      const wholes = wholeAfterEach([...text, '\n', ' ', '}'])
      expect(wholes.indexOf(true)).toBe([...text].length - 1)
      expect(wholes.slice(-4)).toEqual([true, true, true, false])
    }),
  )
})
