import type { Answer, Ask, Skill } from '../ask/ask.ts'
import { datesOf, isoDay, longDay, weekdayName } from '../text/dates.ts'
import { numbersOf } from '../text/numbers.ts'
import { capitalised, plural } from '../text/words.ts'

const day = 86_400_000

/** Days between dates, days and weeks before and after a date, weekdays, leap years, and today's date. */
export const calendar: Skill = {
  name: 'calendar',
  answer: (ask) => between(ask) ?? shifted(ask) ?? weekday(ask) ?? leapYear(ask) ?? today(ask),
}

function calendarAnswer(sentence: string, value: string, evidence: readonly string[] = []): Answer {
  return { skill: 'calendar', phrasings: [sentence, value], value, evidence }
}

function between({ instruction, now }: Ask): Answer | undefined {
  const match =
    /\bhow (?:many (days?|weeks?|months?|years?)|long)\b.*?\b(?:between|from|until|till|since|are there|left)\b/is.exec(
      instruction,
    )
  if (match === null) return undefined
  const unit = (match[1] ?? 'days').toLowerCase().replace(/s$/, '')
  const found = datesOf(instruction, now)
  const toToday = /\b(?:until|till|since|left)\b/i.test(instruction)
  const [from, to] =
    found.length >= 2
      ? found
      : toToday && found[0] !== undefined
        ? [{ time: Math.floor(now / day) * day }, found[0]]
        : []
  if (from === undefined || to === undefined) return undefined
  const days = Math.abs(to.time - from.time) / day
  const amount = amountIn(unit, days, from.time, to.time)
  const sentence = `There ${amount === 1 ? 'is' : 'are'} ${amount} ${plural(amount, unit)} between ${longDay(from.time)} and ${longDay(to.time)}.`
  return {
    skill: 'calendar',
    phrasings: [sentence, `${amount} ${plural(amount, unit)}`, String(amount)],
    value: String(amount),
    evidence: [],
  }
}

function amountIn(unit: string, days: number, from: number, to: number): number {
  if (unit === 'week') return Number((days / 7).toFixed(2))
  if (unit === 'day') return days
  const [early, late] = from < to ? [new Date(from), new Date(to)] : [new Date(to), new Date(from)]
  const months =
    (late.getUTCFullYear() - early.getUTCFullYear()) * 12 +
    late.getUTCMonth() -
    early.getUTCMonth() -
    Number(late.getUTCDate() < early.getUTCDate())
  return unit === 'month' ? months : Math.floor(months / 12)
}

function shifted({ instruction, now }: Ask): Answer | undefined {
  const match =
    /\b([\w-]{1,30}(?: [\w-]{1,20}){0,3}?) (days?|weeks?|months?|years?) (after|before|from|ago)\b(.{0,60})/is.exec(
      instruction,
    )
  const amount = numbersOf(match?.[1] ?? '').at(-1)?.value
  if (
    match === null ||
    amount === undefined ||
    !Number.isInteger(amount) ||
    Math.abs(amount) > 1_000_000
  )
    return undefined
  const [, , unit = 'days', way = ''] = match
  const tail = match[4] ?? ''
  const start =
    datesOf(tail, now)[0]?.time ??
    (/\b(?:now|today)\b/i.test(tail) || way.toLowerCase() === 'ago'
      ? Math.floor(now / day) * day
      : undefined)
  if (start === undefined || !/\b(?:what|which|date|day)\b/i.test(instruction)) return undefined
  const sign = /before|ago/i.test(way) ? -1 : 1
  const time = moved(start, unit.toLowerCase().replace(/s$/, ''), sign * amount)
  if (Number.isNaN(time)) return undefined
  const sentence = `${amount} ${plural(amount, unit.toLowerCase().replace(/s$/, ''))} ${sign > 0 ? 'after' : 'before'} ${longDay(start)} is ${weekdayName(time)}, ${longDay(time)}.`
  return calendarAnswer(sentence, isoDay(time))
}

function moved(start: number, unit: string, amount: number): number {
  if (unit === 'day') return new Date(start + amount * day).getTime()
  if (unit === 'week') return new Date(start + amount * 7 * day).getTime()
  const date = new Date(start)
  const months = unit === 'month' ? amount : amount * 12
  const wanted = date.getUTCDate()
  date.setUTCDate(1)
  date.setUTCMonth(date.getUTCMonth() + months)
  const length = new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 0)).getUTCDate()
  date.setUTCDate(Math.min(wanted, length))
  return date.getTime()
}

function weekday({ instruction, now }: Ask): Answer | undefined {
  if (!/\b(?:what|which) (?:day of the week|weekday|day)\b/i.test(instruction)) return undefined
  const date = datesOf(instruction, now).find((span) =>
    /\d|today|tomorrow|yesterday/i.test(span.text),
  )
  if (date === undefined) return undefined
  const name = weekdayName(date.time)
  return calendarAnswer(`${longDay(date.time)} is a ${name}.`, name)
}

function leapYear({ instruction }: Ask): Answer | undefined {
  const match = /\bis (?:the year )?(\d{1,4}) a leap year\b/i.exec(instruction)
  if (match === null) return undefined
  const year = Number(match[1])
  const leap = (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0
  const answer = leap ? 'Yes' : 'No'
  return {
    skill: 'calendar',
    phrasings: [`${answer}, ${year} is ${leap ? '' : 'not '}a leap year.`, `${answer}.`],
    value: answer,
    evidence: [],
  }
}

const asksDate =
  /^(?:what|which)(?:['’]s| is| was| will be)? (?:the )?(?:date|day)(?: (?:is|was|it|will|be|of|the|week|on))*$/i

function today({ instruction, now }: Ask): Answer | undefined {
  if (
    /^(?:what(?:'s| is)|tell me|give me) (?:the )?(?:current )?time(?: is it)?(?: now| right now)?(?: in utc)?[?.]?$|^what time is it(?: now)?(?: in utc)?\??$/i.test(
      instruction.trim(),
    )
  ) {
    const clock = new Date(now).toISOString().slice(11, 16)
    return calendarAnswer(`It is ${clock} UTC.`, clock)
  }
  const named = datesOf(instruction, now)[0]
  const rest = instruction.replace(named?.text ?? '', '').replace(/[\s?]+$/, '')
  if (named?.relative === true && asksDate.test(rest))
    return calendarAnswer(
      `${capitalised(named.text)} is ${weekdayName(named.time)}, ${longDay(named.time)}.`,
      isoDay(named.time),
    )
  if (
    !/\b(?:today'?s date|current date|date is it(?: today)?|date today|the date\??$)|^what (?:day|year|month) is (?:it|today)/i.test(
      instruction,
    )
  )
    return undefined
  if (/\bweek|what day\b/i.test(instruction))
    return calendarAnswer(`Today is ${weekdayName(now)}, ${longDay(now)} (UTC).`, weekdayName(now))
  if (/\byear\b/i.test(instruction))
    return calendarAnswer(`It is ${isoDay(now).slice(0, 4)}.`, isoDay(now).slice(0, 4))
  return calendarAnswer(`Today is ${weekdayName(now)}, ${longDay(now)} (UTC).`, isoDay(now))
}
