import { type BudgetWindow, type CalendarWindow, calendarWindows } from '../ports/limiter.ts'
import { localTime, momentOf } from '../settings/time-zone.ts'

const dayMs = 24 * 3_600_000
/** 1 January 1970 was a Thursday. */
const daysSinceMonday = 3
/** The number of slots in which spending of a rolling window is counted. */
const slotsPerWindow = 60

/** The slot that spending at this moment belongs to: a number that grows with time. */
export function slotOf(window: BudgetWindow, date: number): number {
  if (typeof window === 'number') return Math.floor(date / slotMs(window))
  if (window === 'lifetime') return 0
  if (!isUtc(window)) return zonedPeriod(window, date).slot
  const day = Math.floor(date / dayMs)
  if (window === 'day') return day
  if (window === 'week') return Math.floor((day + daysSinceMonday) / 7)
  return monthOf(date).slot
}

interface Period {
  readonly slot: number
  /** Milliseconds since the epoch. */
  readonly from: number
  readonly to: number
}

/** The month that was used last. Creating dates is the most expensive part of checking a claim. */
let month: Period = { slot: -1, from: 0, to: 0 }

function monthOf(date: number): Period {
  if (date >= month.from && date < month.to) return month
  const when = new Date(date)
  const slot = when.getUTCFullYear() * 12 + when.getUTCMonth()
  month = { slot, from: startOfMonth(slot), to: startOfMonth(slot + 1) }
  return month
}

function startOfMonth(slot: number): number {
  return Date.UTC(Math.floor(slot / 12), slot % 12)
}

/** When spending in a slot stops counting, in milliseconds since the epoch. */
export function endOfSlot(window: BudgetWindow, slot: number): number {
  // One slot more than the window has, because the oldest one may be only partly in the window.
  if (typeof window === 'number') return (slot + slotsPerWindow + 1) * slotMs(window)
  if (window === 'lifetime') return Infinity
  if (!isUtc(window)) return endOfZoned(window, slot)
  if (window === 'day') return (slot + 1) * dayMs
  if (window === 'week') return ((slot + 1) * 7 - daysSinceMonday) * dayMs
  return slot === month.slot ? month.to : startOfMonth(slot + 1)
}

function slotMs(hours: number): number {
  return (hours * 3_600_000) / slotsPerWindow
}

/** When the window that contains a moment began, in milliseconds since the epoch. */
export function startOf(window: BudgetWindow, date: number): number {
  if (typeof window === 'number') return date - window * 3_600_000
  if (window === 'lifetime') return 0
  return endOfSlot(window, slotOf(window, date) - 1)
}

type ZonedWindow = Exclude<BudgetWindow, CalendarWindow | 'lifetime' | number>

/** Whether a calendar window is in UTC. */
export function isUtc(window: CalendarWindow | ZonedWindow): window is CalendarWindow {
  return !window.includes(' ')
}

/** Of each window, the period that was used last. */
const zoned = new Map<ZonedWindow, Period>()

function zonedPeriod(window: ZonedWindow, date: number): Period {
  const known = zoned.get(window)
  if (known && date >= known.from && date < known.to) return known
  const { calendar, zone } = zonedParts(window)
  const slot = slotOf(calendar, localTime(zone, date))
  const period = { slot, from: endOfZoned(window, slot - 1), to: endOfZoned(window, slot) }
  zoned.set(window, period)
  return period
}

function endOfZoned(window: ZonedWindow, slot: number): number {
  const known = zoned.get(window)
  if (known?.slot === slot) return known.to
  const { calendar, zone } = zonedParts(window)
  return momentOf(zone, endOfSlot(calendar, slot))
}

/** The calendar and the time zone of a window that has one, such as `day Europe/Berlin`. */
export function zonedParts(window: ZonedWindow): {
  readonly calendar: CalendarWindow
  readonly zone: string
} {
  const calendar = calendarWindows.find((one) => window.startsWith(one)) ?? 'day'
  return { calendar, zone: window.slice(calendar.length + 1) }
}
