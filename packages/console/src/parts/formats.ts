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

/** To the millionth of a dollar, which is what a budget is counted in. */
const exact = new Intl.NumberFormat('en', {
  style: 'currency',
  currency: 'USD',
  maximumFractionDigits: 6,
})

const dash = '–'
const microPerUsd = 1_000_000

/** Milliseconds since the epoch as a day and a time of this browser; a dash where there is none. */
export function formatTime(at: number | null | undefined): string {
  return at === undefined || at === null ? dash : time.format(at)
}

/** Whether a moment, in milliseconds since the epoch, is over. */
export function isPast(at: number | undefined): boolean {
  return at !== undefined && at <= Date.now()
}

/** The moment so many milliseconds from now. */
export function formatIn(ms: number): string {
  return formatTime(Date.now() + ms)
}

/** Millionths of a US dollar; a dash where nobody knows. Less than a cent keeps two digits. */
export function formatMicroUsd(microUsd: number | null | undefined): string {
  if (microUsd === undefined || microUsd === null) return dash
  const usd = microUsd / microPerUsd
  return (usd !== 0 && Math.abs(usd) < 0.01 ? fine : cents).format(usd)
}

/** What is left of a budget, and its limit: of less than a dollar, and of a limit that is not in cents, every digit. */
export function formatBudget({
  remainingMicroUsd: left,
  limitMicroUsd: limit,
}: {
  readonly remainingMicroUsd: number
  readonly limitMicroUsd: number
}): readonly [left: string, limit: string] {
  const format = limit < microPerUsd ? exact : cents
  return [format.format(left / microPerUsd), exact.format(limit / microPerUsd)]
}

export function formatCount(count: number | null | undefined): string {
  return count === undefined || count === null ? dash : whole.format(count)
}

/** 1,234,567 as 1.2M. */
export function formatCompact(count: number): string {
  return compact.format(count)
}

/** Milliseconds as a person reads them; a dash where there are none. */
export function formatMs(ms: number | null | undefined): string {
  if (ms === undefined || ms === null) return dash
  if (ms < 1_000) return `${Math.round(ms)} ms`
  return ms < 60_000 ? `${(ms / 1_000).toFixed(1)} s` : `${(ms / 60_000).toFixed(1)} min`
}

/** A moment of the last days, to the second. */
export function formatClock(iso: string): string {
  return clock.format(new Date(iso))
}
