import type { Budget } from '../ports/account.ts'
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
  const pairs = further.map((pair) => /^(model|tag|over|zone)=(.+)$/.exec(pair))
  if (!parts || pairs.includes(null)) return undefined
  if (new Set(pairs.map((pair) => pair?.[1])).size < pairs.length) return undefined
  const [, usd, window, hours] = parts
  if (hours !== undefined && (Number(hours) < 1 || Number(hours) > hoursMax)) return undefined
  const { over, zone, ...of } = Object.fromEntries(pairs.map((pair) => [pair?.[1], pair?.[2]])) as {
    readonly [Name in 'model' | 'tag' | 'over' | 'zone']?: string
  }
  const isCalendar = hours === undefined && window !== 'lifetime'
  if (zone !== undefined && !(isCalendar && isTimeZone(zone))) return undefined
  return {
    limitMicroUsd: Math.round(Number(usd) * 1_000_000),
    window: hours === undefined ? (window as 'day') : Number(hours),
    ...(zone !== undefined && { timeZone: zone }),
    ...of,
    ...(over !== undefined && { overBudget: { route: over } }),
  }
}
