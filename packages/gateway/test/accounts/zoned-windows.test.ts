// Calendar budgets in time zones, on the days on which clocks are changed too.
import { expect, test } from 'vitest'
import { endOfSlot, slotOf, startOf } from '../../src/accounts/budget-windows.ts'
import { parseBudget } from '../../src/accounts/budget-text.ts'
import { isTimeZone } from '../../src/settings/time-zone.ts'
import type { BudgetWindow } from '../../src/ports/limiter.ts'

const at = (text: string) => Date.parse(text)

test.each<[BudgetWindow, string, string]>([
  // The offset of the zone, and that of half an hour.
  ['day Europe/Berlin', '2026-01-14T23:00Z', '2026-01-15T23:00Z'],
  ['day Asia/Kolkata', '2026-01-14T18:30Z', '2026-01-15T18:30Z'],
  ['day +05:45', '2026-01-14T18:15Z', '2026-01-15T18:15Z'],
  // 23 and 25 hours.
  ['day Europe/Berlin', '2026-03-28T23:00Z', '2026-03-29T22:00Z'],
  ['day Europe/Berlin', '2026-10-24T22:00Z', '2026-10-25T23:00Z'],
  ['day America/New_York', '2026-03-08T05:00Z', '2026-03-09T04:00Z'],
  ['day America/New_York', '2026-11-01T04:00Z', '2026-11-02T05:00Z'],
  // Half an hour.
  ['day Australia/Lord_Howe', '2026-04-04T13:00Z', '2026-04-05T13:30Z'],
  // Midnight is skipped, and there twice.
  ['day Africa/Cairo', '2026-04-22T22:00Z', '2026-04-23T22:00Z'],
  ['day Africa/Cairo', '2026-04-23T22:00Z', '2026-04-24T21:00Z'],
  ['day Africa/Cairo', '2026-10-28T21:00Z', '2026-10-29T22:00Z'],
  ['day America/Havana', '2026-11-01T04:00Z', '2026-11-02T05:00Z'],
  // Weeks begin on Monday there.
  ['week Asia/Tokyo', '2026-11-15T15:00Z', '2026-11-22T15:00Z'],
  ['week Europe/Berlin', '2026-10-18T22:00Z', '2026-10-25T23:00Z'],
  ['month Europe/Berlin', '2026-02-28T23:00Z', '2026-03-31T22:00Z'],
  ['month America/Los_Angeles', '2026-12-01T08:00Z', '2027-01-01T08:00Z'],
])('the window of a %s starts at %s and ends at %s', (window, from, to) => {
  const slot = slotOf(window, at(from))
  for (const [moment, expected] of [
    [at(from) - 1, slot - 1],
    [at(from), slot],
    [(at(from) + at(to)) / 2, slot],
    [at(to) - 1, slot],
    [at(to), slot + 1],
  ] as const) {
    expect(slotOf(window, moment), new Date(moment).toISOString()).toBe(expected)
    if (expected === slot) expect(startOf(window, moment)).toBe(at(from))
  }
  expect(endOfSlot(window, slot)).toBe(at(to))
  expect(endOfSlot(window, slot - 1)).toBe(at(from))
})

test('days of a time zone follow each other without gaps over a year', () => {
  const quarterMs = 900_000
  for (const zone of ['Europe/Berlin', 'Africa/Cairo', 'Australia/Lord_Howe', 'America/Havana']) {
    const window = `day ${zone}` as const
    let slot = slotOf(window, at('2026-01-01T00:00Z'))
    for (
      let moment = at('2026-01-01T00:00Z');
      moment < at('2027-01-02T00:00Z');
      moment += quarterMs
    ) {
      const now = slotOf(window, moment)
      expect(now - slot === 0 || now - slot === 1, `${zone} ${moment}`).toBe(true)
      slot = now
      expect(endOfSlot(window, slot)).toBeGreaterThan(moment)
      expect(endOfSlot(window, slot - 1)).toBeLessThanOrEqual(moment)
    }
  }
})

test('accepts IANA time zones, for calendar budgets only', () => {
  for (const zone of ['UTC', 'Europe/Berlin', 'Asia/Calcutta', '+05:30'])
    expect(isTimeZone(zone)).toBe(true)
  for (const zone of ['', 'Berlin', 'Europe/Nowhere', '../etc'])
    expect(isTimeZone(zone)).toBe(false)
  expect(parseBudget('10/day,zone=Europe/Berlin')).toEqual({
    limitMicroUsd: 10_000_000,
    window: 'day',
    timeZone: 'Europe/Berlin',
  })
  for (const wrong of ['10/24h,zone=Europe/Berlin', '10/lifetime,zone=UTC', '10/day,zone=Nowhere'])
    expect(parseBudget(wrong), wrong).toBeUndefined()
})
