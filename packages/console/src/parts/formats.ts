const time = new Intl.DateTimeFormat('en', {
  dateStyle: 'medium',
  timeStyle: 'short',
  hourCycle: 'h23',
})
const clock = new Intl.DateTimeFormat('en', {
  month: 'short',
  day: 'numeric',
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  hourCycle: 'h23',
})
const whole = new Intl.NumberFormat('en', { maximumFractionDigits: 0 })
const compact = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 })
const cents = new Intl.NumberFormat('en', { style: 'currency', currency: 'USD' })
const fine = new Intl.NumberFormat('en', {
  style: 'currency',
  currency: 'USD',
  minimumSignificantDigits: 2,
  maximumSignificantDigits: 2,
})

/** To the millionth of a dollar, the unit in which budgets are set. */
const exact = new Intl.NumberFormat('en', {
  style: 'currency',
  currency: 'USD',
  maximumFractionDigits: 6,
})

const dash = '–'
const microPerUsd = 1_000_000
const tiny = '<$0.000001'
const isTiny = (microUsd: number) => microUsd > 0 && microUsd < 1

/** Formats milliseconds since the epoch as a date and time in this browser's time zone; a dash if there is none. */
export function formatTime(at: number | null | undefined): string {
  return at === undefined || at === null ? dash : time.format(at)
}

/** Whether a time, in milliseconds since the epoch, is past. */
export function isPast(at: number | undefined): boolean {
  return at !== undefined && at <= Date.now()
}

/** Formats the time that is this many milliseconds from now. */
export function formatIn(ms: number): string {
  return formatTime(Date.now() + ms)
}

/**
 * Formats millionths of a US dollar; a dash if the amount is unknown. Less than a cent is shown with two significant digits, and
 * less than a millionth never as nothing.
 */
export function formatMicroUsd(microUsd: number | null | undefined): string {
  if (microUsd === undefined || microUsd === null) return dash
  if (isTiny(microUsd)) return tiny
  const usd = microUsd / microPerUsd
  return (usd !== 0 && Math.abs(usd) < 0.01 ? fine : cents).format(usd)
}

/**
 * Formats what is left of a budget, and its limit. The limit keeps every digit; what is left is rounded like other amounts if
 * the limit is a dollar or more.
 */
export function formatBudget({
  remainingMicroUsd: left,
  limitMicroUsd: limit,
}: {
  readonly remainingMicroUsd: number
  readonly limitMicroUsd: number
}): readonly [left: string, limit: string] {
  const whole = (microUsd: number) =>
    isTiny(microUsd) ? tiny : exact.format(microUsd / microPerUsd)
  return [limit < microPerUsd ? whole(left) : formatMicroUsd(left), whole(limit)]
}

export function formatCount(count: number | null | undefined): string {
  return count === undefined || count === null ? dash : whole.format(count)
}

/** Formats 1,234,567 as 1.2M. */
export function formatCompact(count: number): string {
  return compact.format(count)
}

/** Formats milliseconds for people to read; a dash if there is no value. */
export function formatMs(ms: number | null | undefined): string {
  if (ms === undefined || ms === null) return dash
  if (ms < 1_000) return `${Math.round(ms)} ms`
  return ms < 60_000 ? `${(ms / 1_000).toFixed(1)} s` : `${(ms / 60_000).toFixed(1)} min`
}

/** Formats a recent time, to the second. */
export function formatClock(iso: string): string {
  return clock.format(new Date(iso))
}
