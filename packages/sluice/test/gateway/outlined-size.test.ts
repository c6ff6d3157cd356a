import { outlineJson } from '@sluice/contract'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { inputTokensOf, usualEstimates } from '../../src/gateway/limits/input-size.ts'
import '../../../../test/support/property-limits.ts'

const word = fc.constantFrom('word ', 'großes Wort ', '日本語', '🗼', '"quoted"\n', '\u0007')
const text = fc
  .tuple(word, fc.integer({ min: 1, max: 900 }))
  .map(([one, times]) => one.repeat(times))
const message = fc.record({
  role: fc.constantFrom('user', 'assistant'),
  content: fc.oneof(text, fc.array(fc.record({ type: fc.constant('text'), text }))),
})
const request = fc.array(message, { maxLength: 6 }).map((messages) => ({
  model: 'm',
  messages: [...messages, { role: 'user', content: 'long '.repeat(2_000) }],
}))

/** As Python writes JSON by default. */
function escaped(json: string): string {
  return json.replace(
    /[^\0-\x7f]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}

test('a request has the same size whether its long texts are parsed or only counted', () => {
  let outlined = 0
  fc.assert(
    fc.property(request, fc.boolean(), (body, isEscaped) => {
      const json = JSON.stringify(body)
      const outline = outlineJson(Buffer.from(isEscaped ? escaped(json) : json))
      if (!outline) return
      outlined += 1
      const size = inputTokensOf(outline.value, usualEstimates, outline.cut)
      expect(size).toBe(inputTokensOf(body, usualEstimates))
    }),
    { numRuns: 300 },
  )
  expect(outlined).toBeGreaterThan(100)
})
