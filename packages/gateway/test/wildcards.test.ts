import fc from 'fast-check'
import { expect, test } from 'vitest'
import { filled, restOf, Wildcards } from '../src/route/wildcards.ts'
import '../../../test/support/property-limits.ts'

const word = fc.string({ maxLength: 6 }).map((text) => text.replaceAll('*', ''))
const rest = word.filter((text) => text !== '')

test('what fills a pattern is what is read from the name', () => {
  fc.assert(
    fc.property(word, word, rest, (prefix, suffix, text) => {
      const pattern = `${prefix}*${suffix}`
      const name = filled(pattern, text)
      expect(name).toBe(prefix + text + suffix)
      expect(restOf(pattern, name)).toBe(text)
    }),
  )
})

test('a pattern covers nothing that does not begin and end as it does, and nothing with a *', () => {
  fc.assert(
    fc.property(word, word, fc.string({ maxLength: 12 }), (prefix, suffix, name) => {
      const found = restOf(`${prefix}*${suffix}`, name)
      if (found === undefined) return
      expect(found).not.toBe('')
      expect(found).not.toContain('*')
      expect(prefix + found + suffix).toBe(name)
    }),
  )
})

test('the longest beginning wins, whatever the order, and never one that does not cover the name', () => {
  const patterns = fc.uniqueArray(fc.tuple(word, word), {
    selector: ([prefix, suffix]) => `${prefix}*${suffix}`,
    maxLength: 6,
  })
  const abc = fc.constantFrom('a', 'ab', 'abc', 'b', 'abcab', 'ba', 'abab')
  fc.assert(
    fc.property(patterns, abc, fc.nat(6), (pairs, name, prefixMin) => {
      const names = pairs.map(([prefix, suffix]) => `${prefix}*${suffix}`)
      const models = Object.fromEntries(names.map((pattern) => [pattern, `p/${pattern}`]))
      const found = new Wildcards(models).find(name, prefixMin)
      const covering = names.filter(
        (pattern) => pattern.indexOf('*') >= prefixMin && restOf(pattern, name) !== undefined,
      )
      const longest = Math.max(-1, ...covering.map((pattern) => pattern.indexOf('*')))
      expect(found === undefined).toBe(covering.length === 0)
      if (found) {
        expect(found.name.indexOf('*')).toBe(longest)
        expect(filled(found.name, found.rest)).toBe(name)
      }
    }),
  )
})
