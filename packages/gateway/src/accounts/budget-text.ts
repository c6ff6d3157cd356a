import type { Budget } from '../ports/account.ts'
import { calendarWindows } from '../ports/limiter.ts'
import { isTimeZone } from '../settings/time-zone.ts'

/** A year, the maximum length of a rolling window. */
const hoursMax = 8_760

/**
 * Parses a budget as written in options, files and claims: US dollars and a window, and what it counts (`10/month`,
 * `1/24h,tag=nightly`, `2.5/day,zone=Europe/Berlin,model=gpt-6-sol,over=builtin-chat`). Undefined if the text is invalid.
 */
export function parseBudget(text: string): Omit<Budget, 'id'> | undefined {
  const [amount = '', ...further] = text.split(',')
  const parts = /^(\d{1,9}(?:\.\d{1,6})?)\/(day|week|month|lifetime|(\d{1,4})h)$/.exec(amount)
  const pairs = new Map<string, string>()
  for (const pair of further) {
    const [, name, value] = /^(model|tag|over|zone)=(.+)$/.exec(pair) ?? []
    if (name === undefined || value === undefined || pairs.has(name)) return undefined
    pairs.set(name, value)
  }
  const [, usd, named, hours] = parts ?? []
  const isRolling = hours !== undefined && Number(hours) >= 1 && Number(hours) <= hoursMax
  const window = isRolling ? Number(hours) : namedWindows.find((one) => one === named)
  if (window === undefined) return undefined
  const [model, tag] = [pairs.get('model'), pairs.get('tag')]
  const [over, timeZone] = [pairs.get('over'), pairs.get('zone')]
  const isCalendar = !isRolling && window !== 'lifetime'
  if (timeZone !== undefined && !(isCalendar && isTimeZone(timeZone))) return undefined
  return {
    limitMicroUsd: Math.round(Number(usd) * 1_000_000),
    window,
    ...(timeZone !== undefined && { timeZone }),
    ...(model !== undefined && { model }),
    ...(tag !== undefined && { tag }),
    ...(over !== undefined && { overBudget: { route: over } }),
  }
}

const namedWindows = [...calendarWindows, 'lifetime'] as const
