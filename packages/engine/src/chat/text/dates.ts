import type { Span } from './spans.ts'

type Groups = NonNullable<RegExpExecArray['groups']>

const months = 'jan feb mar apr may jun jul aug sep oct nov dec'.split(' ')
const monthPattern =
  '(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\\.?'
const weekdayPattern = '(?:mon|tues|wednes|thurs|fri|satur|sun)day'

/** A day named in a text. */
export interface DateSpan extends Span {
  /** Midnight UTC of the day, in milliseconds; undefined if it depends on the speaker, as for "tomorrow". */
  readonly time: number | undefined
}

const patterns: readonly RegExp[] = [
  /(?<!\d)(?<y>\d{4})-(?<m>\d{1,2})-(?<d>\d{1,2})(?!\d)/g,
  /(?<!\d)(?<m>\d{1,2})\/(?<d>\d{1,2})\/(?<y>\d{4})(?!\d)/g,
  /(?<!\d)(?<d>\d{1,2})\.(?<m>\d{1,2})\.(?<y>\d{4})(?!\d)/g,
  new RegExp(
    `\\b(?<name>${monthPattern}) (?<d>\\d{1,2})(?:st|nd|rd|th)?(?:,? (?<y>\\d{4}))?\\b`,
    'gi',
  ),
  new RegExp(
    `\\b(?<d>\\d{1,2})(?:st|nd|rd|th)?(?: of)? (?<name>${monthPattern})(?:,? (?<y>\\d{4}))?\\b`,
    'gi',
  ),
  /\b(?:day after tomorrow|day before yesterday|today|tonight|tomorrow|yesterday|in \d{1,4} (?:days?|weeks?))\b/gi,
  new RegExp(`\\b(?:(?:next|last|this|on) )?${weekdayPattern}\\b`, 'gi'),
]

/** The days that a text names, in the order of the text. Days without a year get the year of `now`. */
export function datesOf(text: string, now: number): DateSpan[] {
  const found: DateSpan[] = []
  const taken = new Set<number>()
  for (const pattern of patterns)
    for (const { index: start, 0: written, groups = {} } of text.matchAll(pattern)) {
      const end = start + written.length
      const time = groups['d'] === undefined ? undefined : timeOf(groups, now)
      const isNone = time === undefined && groups['d'] !== undefined
      if (isNone || taken.has(start) || taken.has(end - 1)) continue
      found.push({ text: written, start, end, time })
      for (let at = start; at < end; at++) taken.add(at)
    }
  return found.sort((left, right) => left.start - right.start)
}

/** Undefined if the calendar has no such day. */
function timeOf({ y, m, d, name }: Groups, now: number): number | undefined {
  const year = y === undefined ? new Date(now).getUTCFullYear() : Number(y)
  const short = name?.slice(0, 3).toLowerCase()
  const month = short === undefined ? Number(m) : months.indexOf(short) + 1
  return utc(year, month, Number(d))
}

/** Midnight UTC of a day; undefined if the calendar has no such day. */
function utc(year: number, month: number, date: number): number | undefined {
  const time = new Date(0)
  time.setUTCFullYear(year, month - 1, date)
  const exists = time.getUTCMonth() === month - 1 && time.getUTCDate() === date
  return exists ? time.getTime() : undefined
}

/** `2024-03-05`. */
export function isoDay(time: number): string {
  const date = new Date(time)
  return Number.isNaN(date.getTime()) ? '1970-01-01' : date.toISOString().slice(0, 10)
}

const clockPattern =
  /(?<!\d)(?<hour>\d{1,2})(?::(?<minute>\d{2}))?(?::\d{2})?(?!\d)(?: ?(?<half>[ap])\.?m\b\.?)?|\b(?<word>noon|midnight)\b/gi

/** Times of day: "3pm", "15:30", "noon"; `clock` is `15:30`. */
export function timesOf(text: string): (Span & { readonly clock: string })[] {
  return [...text.matchAll(clockPattern)].flatMap(({ index: start, 0: found, groups = {} }) => {
    const clock = clockOf(groups)
    const written = found.replace(/(?<=[ap]m)\.$/i, '')
    return clock === undefined ? [] : [{ text: written, start, end: start + written.length, clock }]
  })
}

function clockOf({ hour: read = '', minute, half, word }: Groups): string | undefined {
  if (word !== undefined) return word.toLowerCase() === 'noon' ? '12:00' : '00:00'
  // A number alone is not a time of day.
  if (half === undefined && minute === undefined) return undefined
  const isLate = half?.toLowerCase() === 'p'
  const hour = half === undefined ? Number(read) : (Number(read) % 12) + (isLate ? 12 : 0)
  if (hour > 23 || Number(minute) > 59 || (half !== undefined && Number(read) > 12))
    return undefined
  return `${String(hour).padStart(2, '0')}:${minute ?? '00'}`
}
