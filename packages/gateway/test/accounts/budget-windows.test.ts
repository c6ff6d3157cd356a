import { expect, test } from 'vitest'
import { endOfSlot, slotOf } from '../../src/accounts/budget-windows.ts'

const at = (text: string) => Date.parse(text)

/** What lies in the same window as the millisecond before, and when the window ends. */
test.each<['day' | 'week' | 'month', string, string]>([
  ['day', '2026-11-22T00:00:00Z', '2026-11-23T00:00:00Z'],
  // No day has another length because clocks are changed somewhere.
  ['day', '2026-03-29T00:00:00Z', '2026-03-30T00:00:00Z'],
  ['week', '2026-11-23T00:00:00Z', '2026-11-30T00:00:00Z'],
  ['week', '2026-12-28T00:00:00Z', '2027-01-04T00:00:00Z'],
  ['month', '2026-11-01T00:00:00Z', '2026-12-01T00:00:00Z'],
  ['month', '2026-12-01T00:00:00Z', '2027-01-01T00:00:00Z'],
  ['month', '2028-02-01T00:00:00Z', '2028-03-01T00:00:00Z'],
  ['month', '1970-01-01T00:00:00Z', '1970-02-01T00:00:00Z'],
])('the window of a %s starts at %s and ends at %s', (window, from, to) => {
  const slot = slotOf(window, at(from))
  expect(slotOf(window, at(from) - 1)).toBe(slot - 1)
  expect(slotOf(window, at(to) - 1)).toBe(slot)
  expect(slotOf(window, at(to))).toBe(slot + 1)
  expect(endOfSlot(window, slot)).toBe(at(to))
  expect(endOfSlot(window, slot - 1)).toBe(at(from))
})

test('computes months in any order of requests', () => {
  const dates = ['2026-11-30T23:59:59.999Z', '2026-12-01T00:00:00Z', '2025-01-31T12:00:00Z']
  const slots = dates.map((date) => slotOf('month', at(date)))
  expect(slots).toEqual([2026 * 12 + 10, 2026 * 12 + 11, 2025 * 12])
  for (const [place, date] of [...dates.entries()].toReversed())
    expect(slotOf('month', at(date))).toBe(slots[place])
  expect(slots.map((slot) => new Date(endOfSlot('month', slot)).toISOString())).toEqual([
    '2026-12-01T00:00:00.000Z',
    '2027-01-01T00:00:00.000Z',
    '2025-02-01T00:00:00.000Z',
  ])
})

test('a rolling window lasts at least its hours', () => {
  const hourMs = 3_600_000
  for (const hours of [1, 24, 168])
    for (const offset of [0, 1, 59_999, 60_000, 1_799_999, 3_599_999]) {
      const spentAt = at('2026-11-22T10:00:00Z') + offset
      const end = endOfSlot(hours, slotOf(hours, spentAt))
      expect(end - spentAt).toBeGreaterThanOrEqual(hours * hourMs)
      expect(end - spentAt).toBeLessThanOrEqual(hours * hourMs * (1 + 1 / 60) + 1)
    }
})
