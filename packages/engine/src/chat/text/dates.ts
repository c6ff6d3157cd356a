import type { Span } from './spans.ts'

const day = 86_400_000
const months =
  'january february march april may june july august september october november december'.split(' ')
const weekdays = 'sunday monday tuesday wednesday thursday friday saturday'.split(' ')
const monthPattern =
  '(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\\.?'
const weekdayPattern = '(?:mon|tues|wednes|thurs|fri|satur|sun)day'

/** A day named in a text. `time` is midnight UTC of the day, in milliseconds. */
export interface DateSpan extends Span {
  readonly time: number
  /** Whether it depends on today: "tomorrow", "next Friday". */
  readonly relative: boolean
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
  /\b(?<holiday>christmas(?: day| eve)?|new year['’]s (?:day|eve)|new year|halloween|valentine['’]s day)\b/gi,
  /\bin (?<count>\d{1,4}) (?<unit>days?|weeks?)\b/gi,
  new RegExp(`\\b(?:(?<which>next|last|this|on) )?(?<weekday>${weekdayPattern})\\b`, 'gi'),
]

/** The days a text names, in the order of the text. Days without a year are of the year of `now`. */
export function datesOf(text: string, now: number): DateSpan[] {
  const found: DateSpan[] = []
  const taken = new Set<number>()
  for (const pattern of patterns)
    for (const match of text.matchAll(pattern)) {
      const { index } = match
      const end = index + match[0].length
      if (taken.has(index) || taken.has(end - 1)) continue
      const time = timeOf(match.groups ?? {}, now)
      if (time === undefined) continue
      const relative = match.groups?.['d'] === undefined
      found.push({ text: match[0], start: index, end, time, relative })
      for (let at = index; at < end; at++) taken.add(at)
    }
  return found.sort((left, right) => left.start - right.start)
}

function timeOf(
  groups: Readonly<Record<string, string | undefined>>,
  now: number,
): number | undefined {
  const today = Math.floor(now / day) * day
  if (groups['word'] !== undefined) return today + relativeDays(groups['word'].toLowerCase()) * day
  if (groups['holiday'] !== undefined) return holidayTime(groups['holiday'].toLowerCase(), now)
  if (groups['count'] !== undefined)
    return today + Number(groups['count']) * (groups['unit']?.startsWith('w') ? 7 : 1) * day
  if (groups['weekday'] !== undefined)
    return weekdayTime(groups['weekday'].toLowerCase(), groups['which']?.toLowerCase(), today)
  const year = groups['y'] === undefined ? new Date(now).getUTCFullYear() : Number(groups['y'])
  const month =
    groups['name'] === undefined ? Number(groups['m']) : monthNumber(groups['name'].toLowerCase())
  return utc(year, month, Number(groups['d']))
}

const holidays: readonly (readonly [RegExp, number, number])[] = [
  [/christmas eve/, 12, 24],
  [/christmas/, 12, 25],
  [/new year['’]s eve/, 12, 31],
  [/new year/, 1, 1],
  [/halloween/, 10, 31],
  [/valentine/, 2, 14],
]

/** The next one. */
function holidayTime(name: string, now: number): number | undefined {
  const [, month, date] = holidays.find(([pattern]) => pattern.test(name)) ?? []
  if (month === undefined || date === undefined) return undefined
  const year = new Date(now).getUTCFullYear()
  const time = utc(year, month, date)
  return time !== undefined && time < Math.floor(now / day) * day
    ? utc(year + 1, month, date)
    : time
}

function relativeDays(word: string): number {
  if (word === 'day after tomorrow') return 2
  if (word === 'day before yesterday') return -2
  if (word === 'tomorrow') return 1
  return word === 'yesterday' ? -1 : 0
}

function weekdayTime(name: string, which: string | undefined, today: number): number {
  const wanted = weekdays.indexOf(name)
  const current = new Date(today).getUTCDay()
  const ahead = (wanted - current + 7) % 7
  if (which === 'last') return today + (ahead === 0 ? -7 : ahead - 7) * day
  return today + (ahead === 0 && which === 'next' ? 7 : ahead) * day
}

function monthNumber(name: string): number {
  return months.findIndex((month) => month.startsWith(name.slice(0, 3))) + 1
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

/** Times of day: "3pm", "15:30", "noon". */
export function timesOf(text: string): (Span & { readonly clock: string })[] {
  const spans: (Span & { readonly clock: string })[] = []
  const pattern =
    /(?<!\d)(\d{1,2})(?::(\d{2}))?(?::\d{2})? ?([ap])\.?m\b\.?|(?<!\d)(\d{1,2}):(\d{2})(?!\d)|\b(noon|midnight)\b/gi
  for (const match of text.matchAll(pattern)) {
    const clock = clockOf(match)
    if (clock === undefined) continue
    const written = /[ap]m\.$/i.test(match[0]) ? match[0].slice(0, -1) : match[0]
    spans.push({ text: written, start: match.index, end: match.index + written.length, clock })
  }
  return spans
}

function clockOf(match: RegExpExecArray): string | undefined {
  const word = match[6]?.toLowerCase()
  if (word !== undefined) return word === 'noon' ? '12:00' : '00:00'
  const half = match[3]?.toLowerCase()
  const read = Number(match[1] ?? match[4])
  const minute = Number(match[2] ?? match[5] ?? 0)
  const hour = half === undefined ? read : (read % 12) + (half === 'p' ? 12 : 0)
  if (hour > 23 || minute > 59 || (half !== undefined && read > 12)) return undefined
  return `${String(hour).padStart(2, '0')}:${String(minute).padStart(2, '0')}`
}
