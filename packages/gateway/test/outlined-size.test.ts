import { outlineJson } from '@sluice/contract'
import { formats } from '@sluice/protocols/formats.ts'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import '../../../test/support/property-limits.ts'

const chat = formats.find(({ id }) => id === 'chat')
const word = fc.constantFrom('word ', 'großes Wort ', '日本語', '🗼', '"quoted"\n', '\u0007')
const text = fc
  .tuple(word, fc.integer({ min: 1, max: 900 }))
  .map(([one, times]) => one.repeat(times))
const picture = fc
  .uint8Array({ minLength: 1, maxLength: 900 })
  .map((bytes) => `data:image/png;base64,${Buffer.from(bytes).toString('base64')}`)
const part = fc.oneof(
  fc.record({ type: fc.constant('text'), text }),
  fc.record({ type: fc.constant('image_url'), image_url: fc.record({ url: picture }) }),
)
const message = fc.record({
  role: fc.constantFrom('user', 'assistant'),
  content: fc.oneof(text, fc.array(part)),
})
const request = fc.array(message, { maxLength: 6 }).map((messages) => ({
  model: 'm',
  messages: [...messages, { role: 'user', content: 'long '.repeat(2_000) }],
}))

test('measures the same media whether long texts are parsed or skipped', () => {
  let outlined = 0
  fc.assert(
    fc.property(request, (body) => {
      const outline = outlineJson(Buffer.from(JSON.stringify(body)))
      if (!outline) return
      outlined += 1
      expect(chat?.measure(outline.value)).toEqual(chat?.measure(body))
    }),
    { numRuns: 300 },
  )
  expect(outlined).toBeGreaterThan(100)
})
