import type { Answer, Ask, Skill } from '../ask/ask.ts'
import { type Evaluated, evaluate, findExpression } from '../math/expression.ts'
import { solution, solveLinear } from '../math/equation.ts'
import {
  add,
  compare,
  divide,
  formatQuantity,
  isRounded,
  multiply,
  parseDecimal,
  type Quantity,
  rational,
  squareRoot,
  subtract,
  toNumber,
} from '../math/rational.ts'
import { inWords, type NumberSpan, numbersOf } from '../text/numbers.ts'
import { asSentence } from '../text/words.ts'

/** Sums, expressions, percentages, averages and linear equations, exactly where decimals allow it. */
export const arithmetic: Skill = {
  name: 'arithmetic',
  answer: (ask) => equation(ask) ?? ofList(ask) ?? percentage(ask) ?? expression(ask),
}

const preamble =
  /^(?:(?:please|can you|could you|hey|hi|hello|so|ok|okay|now|and|then|quick|question|q|what(?:'s| is| are| does| do| would)?|how much (?:is|are)|how many (?:is|are)|calculate|compute|evaluate|solve|work out|figure out|find|determine|simplify|tell me|give me|the|result of|value of|answer to|answer|sum)[\s,:]+)+/i
const ending =
  /(?:[\s,]*(?:=|equals?|equal to|is|make|come to|\?|!|\.|please|\b(?:in total|exactly|step by step|show your work)\b))+$/i

function expression(ask: Ask): Answer | undefined {
  const whole = ask.text.length <= 2000 ? ask.text.trim() : ''
  const bare = whole.replace(preamble, '').replace(ending, '').trim()
  const direct = bare === '' ? undefined : evaluate(bare)
  const found =
    direct !== undefined && direct.operators > 0 ? direct : findExpression(searched(ask))
  return found === undefined ? undefined : expressionAnswer(found)
}

/** A long text is told, not asked: numbers in it are not sums to be done. */
function searched(ask: Ask): string {
  if (ask.passage === '') return ask.instruction
  return ask.passage.length < 200 &&
    /\b(?:calculate|compute|evaluate|solve|expression|work out)\b/i.test(ask.instruction)
    ? `${ask.instruction}; ${ask.passage}`
    : ask.instruction
}

function expressionAnswer({ value, written }: Evaluated): Answer {
  const number = toNumber(value)
  if (Number.isNaN(number)) return undefinedResult(written)
  const shown = formatQuantity(value)
  return result(written, shown, isRounded(value))
}

function undefinedResult(written: string): Answer {
  const reason = written.includes('÷')
    ? 'since nothing can be divided by zero'
    : 'in the real numbers'
  const text = `${written} has no result, ${reason}.`
  return { skill: 'arithmetic', phrasings: [text], value: 'undefined', evidence: [written] }
}

function result(written: string, shown: string, rounded: boolean): Answer {
  const word = inWords(Number(shown))
  const equals = rounded ? '≈' : '='
  return {
    skill: 'arithmetic',
    phrasings: [
      `${written} ${equals} ${shown}`,
      `The answer is ${shown}.`,
      shown,
      `The result is ${shown}.`,
      ...(word === undefined ? [] : [asSentence(word)]),
    ],
    value: shown,
    evidence: [`${written} ${equals} ${shown}`],
  }
}

function equation(ask: Ask): Answer | undefined {
  if (!ask.text.includes('=')) return undefined
  const solved = solveLinear(ask.text.length <= 2000 ? ask.text : ask.instruction)
  if (solved === undefined) return undefined
  const steps = solved.steps.map((step) => `${step.explanation} ${step.output}`)
  const working = [...steps, `So ${solution(solved)}.`].join('\n')
  const short = /\b(?:only|just)\b/i.test(ask.instruction)
  const full = `${solution(solved)}`
  return {
    skill: 'arithmetic',
    phrasings: short ? [full, solved.value] : [working, full, `The solution is ${full}.`],
    value: solved.value,
    evidence: steps,
  }
}

type Aggregate =
  | 'sum'
  | 'product'
  | 'average'
  | 'median'
  | 'range'
  | 'mode'
  | 'deviation'
  | 'maximum'
  | 'minimum'
  | 'difference'

const aggregates: readonly (readonly [RegExp, Aggregate])[] = [
  [/\b(?:average|arithmetic mean|mean)\b/i, 'average'],
  [/\bmedian\b/i, 'median'],
  [/\bstandard deviation\b/i, 'deviation'],
  [/\bmode\b/i, 'mode'],
  [/\brange\b/i, 'range'],
  [/\bproduct\b|\bmultiply\b/i, 'product'],
  [/\bdifference\b|\bsubtract\b/i, 'difference'],
  [/\b(?:maximum|max|largest|biggest|highest|greatest)\b/i, 'maximum'],
  [/\b(?:minimum|min|smallest|lowest|least)\b/i, 'minimum'],
  [/\b(?:sum|total|add(?: up)?|altogether)\b/i, 'sum'],
]

/** What may stand between "the average" and its numbers. */
const filler =
  /^(?:of|between|the|these|those|following|numbers?|values?|list|up|for|is|from|among|in|scores?|prices?|and|amounts?|me|all|together|[\s:,([])*$/i
const pointing =
  /\b(?:numbers?|values?|list|these|them|following|scores?|prices?|amounts?|figures?|it all|up)\b/i

function ofList(ask: Ask): Answer | undefined {
  const found = aggregates.flatMap(([pattern, kind]) => {
    const match = pattern.exec(ask.instruction)
    return match === null ? [] : [{ kind, end: match.index + match[0].length }]
  })[0]
  if (found === undefined) return undefined
  const { kind, end } = found
  const run = runOf(ask.instruction)
  if (run !== undefined) return aggregateAnswer(kind, run.values, run.name)
  const own = numbersOf(ask.instruction)
  const first = own.find((span) => span.start >= end)
  const direct =
    own.length >= 2 && first !== undefined && filler.test(ask.instruction.slice(end, first.start))
  const given = !direct && pointing.test(ask.instruction) && ask.passage.length < 100_000
  const spans = direct ? own : given ? numbersOf(ask.passage) : []
  if (spans.length < 2 || spans.length > 20_000) return undefined
  if (direct ? !isRow(ask.instruction, own) : !isList(ask.passage, spans.length)) return undefined
  const values = spans.map((span) => parseDecimal(span.digits.includes('e') ? '0' : span.digits))
  return aggregateAnswer(kind, values)
}

function aggregateAnswer(
  kind: Aggregate,
  values: readonly Quantity[],
  named?: string,
): Answer | undefined {
  if (kind === 'difference' && values.length !== 2) return undefined
  const value = aggregate(kind, values)
  if (value === undefined) return undefined
  const shown = formatQuantity(value)
  const name = kind === 'deviation' ? 'standard deviation' : kind
  const numbers =
    named ??
    (values.length > 12 ? `the ${values.length} numbers` : values.map(formatQuantity).join(', '))
  return {
    skill: 'arithmetic',
    phrasings: [`The ${name} of ${numbers} is ${shown}.`, shown, `The ${name} is ${shown}.`],
    value: shown,
    evidence: [`${name}(${numbers}) = ${shown}`],
  }
}

const runPattern =
  /\b(?:numbers|integers|whole numbers)?\s?(?:from (-?\d{1,6}) (?:up )?(?:to|through)|(?:numbers|integers) between (-?\d{1,6}) and) (-?\d{1,6})\b/i
const runMax = 100_000

/** "the numbers from 1 to 100". */
function runOf(
  instruction: string,
): { readonly values: Quantity[]; readonly name: string } | undefined {
  const match = runPattern.exec(instruction)
  const [from, to] = [Number(match?.[1] ?? match?.[2]), Number(match?.[3])]
  if (match === null || to <= from || to - from > runMax) return undefined
  const values = Array.from({ length: to - from + 1 }, (_, index) => rational(BigInt(from + index)))
  return { values, name: `the numbers from ${from} to ${to}` }
}

/** Numbers with nothing but commas and "and" between them. */
function isRow(text: string, spans: readonly NumberSpan[]): boolean {
  return spans.slice(1).every((span, index) => {
    const before = spans[index]
    return (
      before !== undefined &&
      /^[\s,;&+)(]*(?:(?:and|plus|from|with|by|or)[\s,]*)*$/i.test(
        text.slice(before.end, span.start),
      )
    )
  })
}

/** Numbers in prose ("In 1843, two hundred people …") are no list. */
function isList(text: string, numbers: number): boolean {
  return (text.match(/\p{L}{3,}/gu)?.length ?? 0) <= 4 * numbers + 8
}

function aggregate(kind: Aggregate, values: readonly Quantity[]): Quantity | undefined {
  const sorted = values.toSorted(compare)
  const size = rational(BigInt(values.length))
  const sum = values.reduce(add)
  const [smallest, largest] = [sorted[0], sorted.at(-1)]
  if (smallest === undefined || largest === undefined) return undefined
  switch (kind) {
    case 'sum':
      return sum
    case 'product':
      return values.reduce(multiply)
    case 'average':
      return divide(sum, size)
    case 'median':
      return middle(sorted)
    case 'mode':
      return mostFrequent(values)
    case 'range':
      return subtract(largest, smallest)
    case 'difference':
      return subtract(largest, smallest)
    case 'maximum':
      return largest
    case 'minimum':
      return smallest
    case 'deviation': {
      const mean = divide(sum, size)
      const squares = values.map((value) => multiply(subtract(value, mean), subtract(value, mean)))
      return squareRoot(divide(squares.reduce(add), size))
    }
  }
}

function middle(sorted: readonly Quantity[]): Quantity | undefined {
  const half = Math.floor(sorted.length / 2)
  const [below, above] = [sorted[half - 1], sorted[half]]
  if (above === undefined) return undefined
  return sorted.length % 2 === 1 || below === undefined
    ? above
    : divide(add(below, above), rational(2n))
}

function mostFrequent(values: readonly Quantity[]): Quantity | undefined {
  const times = new Map<string, number>()
  for (const value of values)
    times.set(formatQuantity(value), (times.get(formatQuantity(value)) ?? 0) + 1)
  const [best] = [...times].sort((left, right) => right[1] - left[1])
  return best === undefined || best[1] === 1 ? undefined : parseDecimal(best[0])
}

const number = String.raw`[$€£]?\s?(\d[\d,]*(?:\.\d+)?)`
const percent = String.raw`(\d+(?:\.\d+)?) ?(?:%|percent|per cent)`

function percentage(ask: Ask): Answer | undefined {
  const text = ask.instruction
  const share =
    new RegExp(
      `what (?:percent(?:age)?|%) (?:of ${number} is ${number}|is ${number} of ${number})`,
      'i',
    ).exec(text) ??
    new RegExp(`${number} is what (?:percent(?:age)?|%) of ${number}()()`, 'i').exec(text)
  if (share !== null) return shareAnswer(share)
  const off = new RegExp(`${percent} (?:off|discount on|less than) (?:of )?${number}`, 'i').exec(
    text,
  )
  if (off !== null) return changed(off[2], off[1], -1)
  const change = new RegExp(
    `\\b(increase|raise|decrease|reduce|lower)d? ${number} by ${percent}`,
    'i',
  ).exec(text)
  if (change !== null)
    return changed(change[2], change[3], /^(?:inc|rai)/i.test(change[1] ?? '') ? 1 : -1)
  const by = new RegExp(
    `${number} (increased|raised|decreased|reduced|lowered) by ${percent}`,
    'i',
  ).exec(text)
  return by === null ? undefined : changed(by[1], by[3], /^(?:inc|rai)/i.test(by[2] ?? '') ? 1 : -1)
}

function shareAnswer(match: RegExpExecArray): Answer | undefined {
  const [, whole, part, otherPart, otherWhole] = match
  const isWhat = match[0].toLowerCase().startsWith('what')
  const partText = isWhat ? (part ?? otherPart) : whole
  const wholeText = isWhat ? (whole ?? otherWhole) : part
  if (partText === undefined || wholeText === undefined) return undefined
  const [top, bottom] = [plain(partText), plain(wholeText)]
  const value = multiply(divide(top, bottom), rational(100n))
  if (Number.isNaN(toNumber(value)))
    return undefinedResult(`${formatQuantity(top)} ÷ ${formatQuantity(bottom)}`)
  const shown = `${formatQuantity(value)}%`
  const sentence = `${formatQuantity(top)} is ${shown} of ${formatQuantity(bottom)}.`
  return {
    skill: 'arithmetic',
    phrasings: [sentence, shown, `The answer is ${shown}.`],
    value: shown,
    evidence: [sentence],
  }
}

function changed(
  base: string | undefined,
  rate: string | undefined,
  sign: 1 | -1,
): Answer | undefined {
  if (base === undefined || rate === undefined) return undefined
  const share = multiply(rational(BigInt(sign)), divide(plain(rate), rational(100n)))
  const value = multiply(plain(base), add(rational(1n), share))
  return result(
    `${formatQuantity(plain(base))} ${sign > 0 ? '+' : '-'} ${rate}%`,
    formatQuantity(value),
    isRounded(value),
  )
}

function plain(digits: string): Quantity {
  return parseDecimal(digits.replaceAll(',', ''))
}
