import { formatHex, type Rgb } from './colors.ts'
import { measureText, round, textSvg } from './draw-text.ts'
import type { Size } from './picture.ts'

export interface BarChart {
  readonly title: string
  readonly color: Rgb
  readonly bars: readonly { readonly label: string; readonly value: number }[]
}

const barsMax = 24
const chartPattern = /\bbar (?:chart|graph|diagram)\b(.{1,2000})$/i
/** Where the values may begin: immediately, or after a title. */
const beginnings = [
  /^,? ?(?:of|for|showing|with)?:? ?(?:the )?(?:values? (?:of )?)?/i,
  /: ?|,? with (?:the )?values?(?: of)? /gi,
]
const quotedTitle =
  /,? ?(?:and |with )?(?:the |a )?(?:titled?|called|named) ["“']([^"”']{1,60})["”']/i
const itemPattern = /^([\p{L}\p{N}._ -]{0,24}?)[ =:(]*(-?\d{1,9}(?:\.\d{1,6})?) ?%?\)?$/u

/** Reads "a bar chart of sales: mon 10, tue 20"; undefined if there is no chart, or a value cannot be read. */
export function parseBarChart(prompt: string, color: Rgb): BarChart | undefined {
  const whole = chartPattern.exec(prompt.replaceAll(/\s+/g, ' '))?.[1]?.trim()
  if (whole === undefined) return undefined
  const [given = '', title] = quotedTitle.exec(whole) ?? []
  const behind = whole.replace(given, '')
  for (const beginning of beginnings)
    for (const { 0: found, index } of behind.matchAll(new RegExp(beginning, 'gi'))) {
      const bars = parseBars(behind.slice(index + found.length))
      if (bars !== undefined)
        return { title: title ?? titleOf(behind.slice(0, index)), color, bars }
    }
  return undefined
}

/** Values that either all have a label or none. */
function parseBars(values: string): BarChart['bars'] | undefined {
  const items = values
    .replace(/[.!?]$/, '')
    .split(/, ?(?:and )?| and |; ?/)
    .map((item) => itemPattern.exec(item.trim()))
  const bars = items.flatMap((item) =>
    item === null ? [] : [{ label: (item[1] ?? '').trim(), value: Number(item[2]) }],
  )
  const labelled = bars.filter(({ label }) => label !== '').length
  const isWhole = bars.length === items.length && bars.length <= barsMax
  return isWhole && (labelled === 0 || labelled === bars.length) ? bars : undefined
}

function titleOf(words: string): string {
  const title = words.replace(
    /^(?:,? ?(?:of|for|showing|with|titled|called|the|title|named)\b)+/i,
    '',
  )
  return title
    .replaceAll(/["“”'‘’]/g, '')
    .trim()
    .slice(0, 60)
}

/** The SVG of a chart that fills a canvas: bars on a base line, with their values above and their labels below. */
export function barChartSvg({ title, color, bars }: BarChart, { width, height }: Size): string {
  const unit = Math.min(width, height)
  const [low, high] = [
    Math.min(0, ...bars.map(({ value }) => value)),
    Math.max(0, ...bars.map(({ value }) => value)),
  ]
  const frame = {
    left: width * 0.06,
    right: width * 0.94,
    top: height * 0.2,
    bottom: height * 0.88,
  }
  const perValue = (frame.bottom - frame.top) / (high - low || 1)
  const base = frame.bottom + low * perValue
  const step = (frame.right - frame.left) / bars.length
  const ink: Rgb = [34, 34, 34]
  const line = (text: string, x: number, y: number, room: number): string => {
    if (text === '') return ''
    const size = unit * 0.035
    const fitting = Math.min(size, (size * room) / Math.max(1, measureText(text, size)))
    return textSvg([text], { x, y }, { size: fitting, color: ink })
  }
  const drawn = bars.map(({ label, value }, index) => {
    const x = frame.left + step * index
    const top = base - Math.max(0, value) * perValue
    const tall = Math.abs(value) * perValue
    const middle = x + step / 2
    return [
      `<rect x="${round(x + step * 0.12)}" y="${round(top)}" width="${round(step * 0.76)}" height="${round(tall)}" fill="${formatHex(color)}"/>`,
      line(String(value), middle, top - unit * 0.055, step),
      line(label, middle, frame.bottom + unit * 0.035, step * 0.92),
    ].join('')
  })
  const axis = `<rect x="${round(frame.left)}" y="${round(base)}" width="${round(frame.right - frame.left)}" height="${round(unit * 0.004)}" fill="${formatHex(ink)}"/>`
  return `${drawn.join('')}${axis}${line(title, width / 2, height * 0.06, width * 0.8)}`
}
