const smallNames =
  'zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen'.split(
    ' ',
  )
const tens = ['', '', 'twenty', 'thirty', 'forty', 'fifty', 'sixty', 'seventy', 'eighty', 'ninety']

/** Words of numbers, and what they are worth. */
const units = new Map([
  ...smallNames.map((name, value) => [name, value] as const),
  ...tens.map((name, ten) => [name, 10 * ten] as const).slice(2),
])
const scales = new Map([
  ['hundred', 100],
  ['thousand', 1000],
  ['million', 1e6],
  ['billion', 1e9],
  ['trillion', 1e12],
])

/** A number written in a text: its digits, and where it stood. */
export interface NumberSpan {
  readonly value: number
  /** Plain digits with an optional point and sign, whatever the text had. */
  readonly digits: string
  readonly start: number
  readonly end: number
}

const pattern =
  /(?<![\p{L}\p{N}_.])[-−+]?\d{1,3}(?:,\d{3})+(?:\.\d+)?(?![\d,])|(?<![\p{L}\p{N}_.])[-−+]?\d+(?:\.\d+)?|[A-Za-z]+/gu

/** Every number of a text, in digits or in words ("twenty-one", "three hundred and five", "2 million"). */
export function numbersOf(text: string): NumberSpan[] {
  const spans: NumberSpan[] = []
  const tokens = [...text.matchAll(pattern)]
  for (let index = 0; index < tokens.length; ) {
    const read = readNumber(text, tokens, index)
    if (read === undefined) index += 1
    else {
      spans.push(read.span)
      index = read.next
    }
  }
  return spans
}

function readNumber(
  text: string,
  tokens: readonly RegExpExecArray[],
  from: number,
): { span: NumberSpan; next: number } | undefined {
  const first = tokens[from]
  if (first === undefined) return undefined
  const start = first.index
  const raw = first[0]
  if (/\d/.test(raw)) {
    const digits = raw.replaceAll(',', '').replace('−', '-').replace('+', '')
    const scale = scaleAfter(text, tokens, from)
    const end = scale?.end ?? start + raw.length
    const value = Number(digits) * (scale?.factor ?? 1)
    return {
      span: { value, digits: scale === undefined ? digits : plainDigits(value), start, end },
      next: from + (scale === undefined ? 1 : 2),
    }
  }
  return readWords(text, tokens, from)
}

function scaleAfter(
  text: string,
  tokens: readonly RegExpExecArray[],
  from: number,
): { factor: number; end: number } | undefined {
  const here = tokens[from]
  const next = tokens[from + 1]
  if (here === undefined || next === undefined) return undefined
  if (!/^[ ]$/.test(text.slice(here.index + here[0].length, next.index))) return undefined
  const factor = scales.get(next[0].toLowerCase())
  return factor === undefined || factor === 100
    ? undefined
    : { factor, end: next.index + next[0].length }
}

function readWords(
  text: string,
  tokens: readonly RegExpExecArray[],
  from: number,
): { span: NumberSpan; next: number } | undefined {
  let total = 0
  let group = 0
  let last = -1
  let lastSmall = 0
  for (let index = from; index < tokens.length; index++) {
    const token = tokens[index]
    if (token === undefined) break
    if (last >= 0 && !touches(text, tokens[index - 1], token)) break
    const word = token[0].toLowerCase()
    const unit = units.get(word)
    const scale = scales.get(word)
    if (unit !== undefined) {
      if (lastSmall > 0 && !(lastSmall >= 20 && unit < 10 && unit > 0)) break
      group += unit
      lastSmall = unit === 0 ? 100 : unit
    } else if (scale !== undefined && last >= 0) {
      if (scale === 100) group = Math.max(1, group) * 100
      else {
        total += Math.max(1, group) * scale
        group = 0
      }
      lastSmall = 0
    } else if (word === 'and' && last >= 0 && lastSmall === 0 && isUnit(tokens[index + 1])) continue
    else break
    last = index
  }
  const first = tokens[from]
  const end = tokens[last]
  if (first === undefined || end === undefined) return undefined
  const value = total + group
  const span = {
    value,
    digits: plainDigits(value),
    start: first.index,
    end: end.index + end[0].length,
  }
  return { span, next: last + 1 }
}

function isUnit(token: RegExpExecArray | undefined): boolean {
  return token !== undefined && units.has(token[0].toLowerCase())
}

function touches(text: string, left: RegExpExecArray | undefined, right: RegExpExecArray): boolean {
  return left !== undefined && /^[ -]$/.test(text.slice(left.index + left[0].length, right.index))
}

/** Digits without an exponent. */
function plainDigits(value: number): string {
  return Number.isInteger(value) ? BigInt(value).toString() : String(value)
}

/** The text with its number words written as digits. */
export function withDigits(text: string): string {
  let result = ''
  let from = 0
  for (const { start, end, digits } of numbersOf(text)) {
    if (!/[a-z]/i.test(text.slice(start, end))) continue
    result += text.slice(from, start) + digits
    from = end
  }
  return result + text.slice(from)
}
