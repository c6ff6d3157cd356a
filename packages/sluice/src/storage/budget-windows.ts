import type { BudgetWindow } from '../ports/limiter.ts'

const dayMs = 24 * 3_600_000
/** 1 January 1970 was a Thursday. */
const daysSinceMonday = 3
/** The number of slots in which spending of a rolling window is counted. */
const slotsPerWindow = 60

/** The slot that spending at this moment belongs to: a number that grows with time. */
export function slotOf(window: BudgetWindow, date: number): number {
  if (typeof window === 'number') return Math.floor(date / slotMs(window))
  if (window === 'lifetime') return 0
  const day = Math.floor(date / dayMs)
  if (window === 'day') return day
  if (window === 'week') return Math.floor((day + daysSinceMonday) / 7)
  return monthOf(date).slot
}

interface Month {
  readonly slot: number
  /** Milliseconds since the epoch. */
  readonly from: number
  readonly to: number
}

/** The month that was used last. Creating dates is the most expensive part of checking a claim. */
let month: Month = { slot: -1, from: 0, to: 0 }

function monthOf(date: number): Month {
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
  if (window === 'day') return (slot + 1) * dayMs
  if (window === 'week') return ((slot + 1) * 7 - daysSinceMonday) * dayMs
  return slot === month.slot ? month.to : startOfMonth(slot + 1)
}

function slotMs(hours: number): number {
  return (hours * 3_600_000) / slotsPerWindow
}
