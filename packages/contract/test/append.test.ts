import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createAppend } from '../src/wire/append.ts'
import '../../../test/support/property-limits.ts'

test('appending a thousand pieces reallocates a dozen times', () => {
  const append = createAppend()
  const places = new Set<ArrayBufferLike>()
  let pending: Uint8Array = new Uint8Array()
  for (let index = 0; index < 1_000; index += 1) {
    pending = append(pending, new Uint8Array(1_000).fill(index % 251))
    places.add(pending.buffer)
  }
  expect(pending.length).toBe(1_000_000)
  expect(places.size).toBeLessThan(15)
})

test('property: appended and cut pieces keep their bytes', () => {
  const step = fc.record({ piece: fc.uint8Array({ maxLength: 20 }), cut: fc.nat({ max: 30 }) })
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const append = createAppend()
      const taken: Uint8Array[] = []
      let pending: Uint8Array = new Uint8Array()
      for (const { piece, cut } of steps) {
        pending = append(pending, piece)
        taken.push(pending.subarray(0, cut))
        pending = pending.subarray(cut)
      }
      const all = Buffer.concat(steps.map(({ piece }) => piece))
      expect(Buffer.concat([...taken, pending])).toEqual(all)
    }),
    { numRuns: 2_000 },
  )
})
