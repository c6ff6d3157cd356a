import type { Span } from './spans.ts'

const day = 86_400_000
const months = 'jan feb mar apr may jun jul aug sep oct nov dec'.split(' ')
const weekdays = 'sunday monday tuesday wednesday thursday friday saturday'.split(' ')
const monthPattern =
  '(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\\.?'
const weekdayPattern = '(?:mon|tues|wednes|thurs|fri|satur|sun)day'

/** A day named in a text. `time` is midnight UTC of the day, in milliseconds. */
export interface DateSpan extends Span {
  readonly time: number
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
  /\b(?<word>day after tomorrow|day before yesterday|today|tonight|tomorrow|yesterday)\b/gi,
  /\bin (?<count>\d{1,4}) (?<unit>days?|weeks?)\b/gi,
  new RegExp(`\\b(?:(?<which>next|last|this|on) )?(?<weekday>${weekdayPattern})\\b`, 'gi'),
]

/** The days a text names, in the order of the text. Days without a year are of the year of `now`. */
export function datesOf(text: string, now: number): DateSpan[] {
  const found: DateSpan[] = []
  const taken = new Set<number>()
  for (const pattern of patterns)
    for (const { index: start, 0: written, groups = {} } of text.matchAll(pattern)) {
      const end = start + written.length
      const time = taken.has(start) || taken.has(end - 1) ? undefined : timeOf(groups, now)
      if (time === undefined) continue
      found.push({ text: written, start, end, time })
      for (let at = start; at < end; at++) taken.add(at)
    }
  return found.sort((left, right) => left.start - right.start)
}

const relativeDays: Readonly<Record<string, number>> = {
  'day before yesterday': -2,
  yesterday: -1,
  tomorrow: 1,
  'day after tomorrow': 2,
}

function timeOf(
  { word, count, unit, weekday, which, y, m, d, name }: NonNullable<RegExpExecArray['groups']>,
  now: number,
): number | undefined {
  const today = Math.floor(now / day) * day
  if (word !== undefined) return today + (relativeDays[word.toLowerCase()] ?? 0) * day
  if (count !== undefined) return today + Number(count) * (unit?.startsWith('w') ? 7 : 1) * day
  if (weekday !== undefined) {
    const ahead = (weekdays.indexOf(weekday.toLowerCase()) - new Date(today).getUTCDay() + 7) % 7
    const isOther = ahead === 0 && which?.toLowerCase() === 'next'
    return today + (which?.toLowerCase() === 'last' ? ahead - 7 : isOther ? 7 : ahead) * day
  }
  const year = y === undefined ? new Date(now).getUTCFullYear() : Number(y)
  const short = name?.slice(0, 3).toLowerCase()
  const month = short === undefined ? Number(m) : months.indexOf(short) + 1
  return utc(year, month, Number(d))
}

/** Midnight UTC of a day that exists in the calendar. */
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

function clockOf({
  hour: read = '',
  minute,
  half,
  word,
}: NonNullable<RegExpExecArray['groups']>): string | undefined {
  if (word !== undefined) return word.toLowerCase() === 'noon' ? '12:00' : '00:00'
  // A number alone is no time of day.
  if (half === undefined && minute === undefined) return undefined
  const isLate = half?.toLowerCase() === 'p'
  const hour = half === undefined ? Number(read) : (Number(read) % 12) + (isLate ? 12 : 0)
  if (hour > 23 || Number(minute) > 59 || (half !== undefined && Number(read) > 12))
    return undefined
  return `${String(hour).padStart(2, '0')}:${minute ?? '00'}`
}
