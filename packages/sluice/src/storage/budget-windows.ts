import type { BudgetWindow } from '../ports/limiter.ts'

const dayMs = 24 * 3_600_000
/** 1 January 1970 was a Thursday. */
const daysSinceMonday = 3
/** In how many parts the spending of a rolling window is counted. */
const slotsPerWindow = 60

/** The part of time that spending at this moment belongs to: a number that grows with time. */
export function slotOf(window: BudgetWindow, date: number): number {
  if (typeof window === 'number') return Math.floor(date / slotMs(window))
  if (window === 'lifetime') return 0
  const day = Math.floor(date / dayMs)
  if (window === 'day') return day
  if (window === 'week') return Math.floor((day + daysSinceMonday) / 7)
  const when = new Date(date)
  return when.getUTCFullYear() * 12 + when.getUTCMonth()
}

/** When what was spent in a slot stops counting, in milliseconds since the epoch. */
export function endOfSlot(window: BudgetWindow, slot: number): number {
  // One more than the window has: the oldest slot may lie in it only in part.
  if (typeof window === 'number') return (slot + slotsPerWindow + 1) * slotMs(window)
  if (window === 'lifetime') return Infinity
  if (window === 'day') return (slot + 1) * dayMs
  if (window === 'week') return ((slot + 1) * 7 - daysSinceMonday) * dayMs
  return Date.UTC(Math.floor((slot + 1) / 12), (slot + 1) % 12)
}

function slotMs(hours: number): number {
  return (hours * 3_600_000) / slotsPerWindow
}
