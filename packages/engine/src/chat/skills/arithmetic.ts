import { type Answer, type Ask, answerOf, type Skill } from '../ask/ask.ts'
import { solveLinear } from '../math/equation.ts'
import { type Evaluated, evaluate, findExpression } from '../math/expression.ts'
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
  subtract,
  toNumber,
} from '../math/rational.ts'
import { type NumberSpan, numbersOf } from '../text/numbers.ts'

/** Sums, expressions, percentages, averages and linear equations, exactly if decimals allow it. */
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

/** A long text is information and not a question: numbers in it are not to be calculated. */
function searched(ask: Ask): string {
  if (ask.passage === '') return ask.instruction
  return ask.passage.length < 200 &&
    /\b(?:calculate|compute|evaluate|solve|expression|work out)\b/i.test(ask.instruction)
    ? `${ask.instruction}; ${ask.passage}`
    : ask.instruction
}

function expressionAnswer({ value, written }: Evaluated): Answer {
  return Number.isNaN(toNumber(value)) ? undefinedResult(written) : result(written, value)
}

function undefinedResult(written: string): Answer {
  const reason = written.includes('÷')
    ? 'since nothing can be divided by zero'
    : 'in the real numbers'
  const text = `${written} has no result, ${reason}.`
  return answerOf('arithmetic', [text], 'undefined', [written])
}

function result(written: string, value: Quantity): Answer {
  const shown = formatQuantity(value)
  const sentence = `${written} ${isRounded(value) ? '≈' : '='} ${shown}`
  return told(sentence, shown, [`The answer is ${shown}.`, shown, `The result is ${shown}.`])
}

function told(sentence: string, value: string, others: readonly string[]): Answer {
  return answerOf('arithmetic', [sentence, ...others], value, [sentence])
}

function equation({ text, instruction }: Ask): Answer | undefined {
  if (!text.includes('=')) return undefined
  const solved = solveLinear(text.length <= 2000 ? text : instruction)
  if (solved === undefined) return undefined
  const { solution, value, steps } = solved
  const isShort = /\b(?:only|just)\b/i.test(instruction)
  const phrasings = isShort
    ? [solution, value]
    : [[...steps, `So ${solution}.`].join('\n'), solution, `The solution is ${solution}.`]
  return answerOf('arithmetic', phrasings, value, steps)
}

type Aggregate = (values: readonly Quantity[], sorted: readonly Quantity[]) => Quantity | undefined

const aggregates: readonly (readonly [RegExp, string, Aggregate])[] = [
  [
    /\b(?:average|arithmetic mean|mean)\b/i,
    'average',
    (values) => divide(values.reduce(add), rational(BigInt(values.length))),
  ],
  [/\bmedian\b/i, 'median', (_, sorted) => middle(sorted)],
  [/\bproduct\b|\bmultiply\b/i, 'product', (values) => values.reduce(multiply)],
  [
    /\bdifference\b|\bsubtract\b/i,
    'difference',
    (_, [small, large, more]) =>
      small === undefined || large === undefined || more !== undefined
        ? undefined
        : subtract(large, small),
  ],
  [
    /\b(?:maximum|max|largest|biggest|highest|greatest)\b/i,
    'maximum',
    (_, sorted) => sorted.at(-1),
  ],
  [/\b(?:minimum|min|smallest|lowest|least)\b/i, 'minimum', (_, sorted) => sorted[0]],
  [/\b(?:sum|total|add(?: up)?|altogether)\b/i, 'sum', (values) => values.reduce(add)],
]

/** Words allowed between "the average" and its numbers. */
const filler =
  /^(?:of|between|the|these|those|following|numbers?|values?|list|up|for|is|from|among|in|scores?|prices?|and|amounts?|me|all|together|[\s:,([])*$/i
const pointing =
  /\b(?:numbers?|values?|list|these|them|following|scores?|prices?|amounts?|figures?|it all|up)\b/i

function ofList({ instruction, passage }: Ask): Answer | undefined {
  const found = aggregates.flatMap(([pattern, name, aggregate]) => {
    const match = pattern.exec(instruction)
    return match === null ? [] : [{ name, aggregate, end: match.index + match[0].length }]
  })[0]
  if (found === undefined) return undefined
  const { name, aggregate, end } = found
  const run = runOf(instruction)
  const values = run?.values ?? listIn(instruction, passage, end)
  if (values === undefined) return undefined
  const value = aggregate(values, values.toSorted(compare))
  if (value === undefined) return undefined
  const many = values.length > 12 ? `the ${values.length} numbers` : undefined
  const numbers = run?.name ?? many ?? values.map(formatQuantity).join(', ')
  const shown = formatQuantity(value)
  const others = [shown, `The ${name} is ${shown}.`]
  return told(`The ${name} of ${numbers} is ${shown}.`, shown, others)
}

/** The numbers after "the average of", or those of the passage that it refers to. */
function listIn(instruction: string, passage: string, end: number): Quantity[] | undefined {
  const own = numbersOf(instruction)
  const first = own.find((span) => span.start >= end)
  const isDirect =
    own.length >= 2 && first !== undefined && filler.test(instruction.slice(end, first.start))
  const isGiven = !isDirect && pointing.test(instruction) && passage.length < 100_000
  const spans = isDirect ? own : isGiven ? numbersOf(passage) : []
  if (spans.length < 2 || spans.length > 20_000) return undefined
  if (isDirect ? !isRow(instruction, own) : !isList(passage, spans.length)) return undefined
  return spans.map(({ digits }) => parseDecimal(digits.includes('e') ? '0' : digits))
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

/** Whether there are only commas and "and" between the numbers. */
function isRow(text: string, spans: readonly NumberSpan[]): boolean {
  return spans
    .slice(1)
    .every(({ start }, index) =>
      /^[\s,;&+)(]*(?:(?:and|plus|from|with|by|or)[\s,]*)*$/i.test(
        text.slice(spans[index]?.end, start),
      ),
    )
}

/** Numbers in prose ("In 1843, two hundred people …") are not a list. */
function isList(text: string, numbers: number): boolean {
  return (text.match(/\p{L}{3,}/gu)?.length ?? 0) <= 4 * numbers + 8
}

function middle(sorted: readonly Quantity[]): Quantity | undefined {
  const half = Math.floor(sorted.length / 2)
  const [below, above] = [sorted[half - 1], sorted[half]]
  if (above === undefined) return undefined
  return sorted.length % 2 === 1 || below === undefined
    ? above
    : divide(add(below, above), rational(2n))
}

const number = String.raw`[$€£]?\s?\d[\d,]*(?:\.\d+)?`
const percent = String.raw`\d+(?:\.\d+)? ?(?:%|percent|per cent)`

const pattern = (source: string): RegExp => new RegExp(source, 'i')
const shareOf = [
  pattern(`what (?:percent(?:age)?|%) of (?<whole>${number}) is (?<part>${number})`),
  pattern(`what (?:percent(?:age)?|%) is (?<part>${number}) of (?<whole>${number})`),
  pattern(`(?<part>${number}) is what (?:percent(?:age)?|%) of (?<whole>${number})`),
]
const changed = [
  pattern(`(?<rate>${percent}) (?<down>off|less than) (?:of )?(?<base>${number})`),
  pattern(
    `\\b(?:(?<down>decrease|reduce|lower)|increase|raise|add)d? (?:a )?(?<base>${number}) by (?<rate>${percent})`,
  ),
  pattern(
    `(?<base>${number}) (?:(?<down>decreased|reduced|lowered)|increased|raised) by (?<rate>${percent})`,
  ),
  pattern(
    `(?<rate>${percent}) (?<share>tip|gratuity|(?:[a-z]+ )?tax|vat|interest|fee|increase|(?<down>discount|reduction|decrease))\\b.{0,20}?\\bon (?:an? )?(?<base>${number})`,
  ),
]
/** Asks not for a share but for what it leads to. */
const inAll =
  /\b(?:total|includ(?:es?|ed|ing)|with|plus|after|final|altogether|in all|pay|costs?)\b/i

/** The named groups of the first pattern that matches. */
function groupsOf(patterns: readonly RegExp[], text: string): RegExpExecArray['groups'] {
  return patterns.map((each) => each.exec(text)?.groups).find((groups) => groups !== undefined)
}

function percentage({ instruction }: Ask): Answer | undefined {
  const share = groupsOf(shareOf, instruction)
  if (share !== undefined) return shareAnswer(plain(share['part']), plain(share['whole']))
  const change = groupsOf(changed, instruction)
  if (change === undefined) return undefined
  const [base, rate] = [plain(change['base']), plain(change['rate'])]
  const part = multiply(base, divide(rate, rational(100n)))
  if (change['share'] !== undefined && !inAll.test(instruction))
    return result(`${formatQuantity(rate)}% of ${formatQuantity(base)}`, part)
  const isDown = change['down'] !== undefined
  const written = `${formatQuantity(base)} ${isDown ? '-' : '+'} ${formatQuantity(rate)}%`
  return result(written, isDown ? subtract(base, part) : add(base, part))
}

function shareAnswer(part: Quantity, whole: Quantity): Answer {
  const value = multiply(divide(part, whole), rational(100n))
  if (Number.isNaN(toNumber(value)))
    return undefinedResult(`${formatQuantity(part)} ÷ ${formatQuantity(whole)}`)
  const shown = `${formatQuantity(value)}%`
  const sentence = `${formatQuantity(part)} is ${shown} of ${formatQuantity(whole)}.`
  return told(sentence, shown, [shown, `The answer is ${shown}.`])
}

function plain(written = '0'): Quantity {
  return parseDecimal(written.replace(/[^\d.]/g, ''))
}
