/** What an expression amounts to. */
export interface Evaluated {
  /** NaN for a division by zero. */
  readonly value: number
  /** The expression written with signs: `12 + 30`. */
  readonly written: string
  readonly operators: number
}

/** Stands for what is not computed, so that the rest of its expression is not computed without it. */
const uncomputed = '^'

/** Words for signs, and other forms of them. `%*` is "percent of". */
const signs: readonly (readonly [RegExp, string])[] = [
  [/(?<=\d),(?=\d{3}(?!\d))|[$€£]\s?(?=\d)/g, ''],
  [/\b(?:multiplied by|times)\b|[×·✕]|(?<=\d\s?)x(?=\s?\d)/gi, '*'],
  [/\b(?:divided by|over)\b|÷/gi, '/'],
  [/\bplus\b/gi, '+'],
  [/\bminus\b|[−–]/gi, '-'],
  [/\s?(?:%|\bpercent|\bper cent)\s+of\b/gi, '%*'],
  [
    /\b(?:sqrt|root|factorial|squared?|cubed?|power|hundred|thousand|[mbtr]{1,2}illion)\b(?: of\b)?/gi,
    uncomputed,
  ],
  // `1e3`, `x2`, `f(2)`
  [/(?<![\p{L}_])[\p{L}_]+(?=[\d(])|(?<=\d)[\p{L}_]+/gu, uncomputed],
]

function withSigns(text: string): string {
  return signs.reduce((written, [pattern, sign]) => written.replace(pattern, sign), text)
}

/** The value of a text that consists of a single expression. */
export function evaluate(text: string): Evaluated | undefined {
  return evaluateSigns(withSigns(text))
}

/** Whatever cannot be in an expression, including the full stop of a sentence. */
const between = /[^\s\d.+*/%()^!√²³-]+|\.(?!\d)/u
/** The rest of an expression that begins with a word: "twelve - 5". */
const headless = /^\s*[-+*/]\s/
/** `2024-01-05`, `555-1234`, `3/4`: numbers joined without blanks, only by dashes or slashes. */
const rangeLike = /^[\d.]+(?:[-/][\d.]+)*$/

/** The longest expression within a sentence. Dates, ranges and telephone numbers are not expressions. */
export function findExpression(text: string): Evaluated | undefined {
  let best: Evaluated | undefined
  for (const run of withSigns(text).split(between)) {
    const isPart = rangeLike.test(run.trim()) || headless.test(run)
    const found = isPart ? undefined : evaluateSigns(run)
    if (found !== undefined && found.operators > (best?.operators ?? 0)) best = found
  }
  return best
}

const tokensMax = 1000

function evaluateSigns(text: string): Evaluated | undefined {
  const tokens = text.match(/\d+(?:\.\d+)?|\.\d+|%\*|\S/g) ?? []
  if (tokens.length > tokensMax) return undefined
  const cursor: Cursor = { tokens, at: 0, operators: 0 }
  const value = combined(cursor, 1)
  const isWhole = value !== undefined && cursor.at === tokens.length
  if (!isWhole || Math.abs(value) === Infinity) return undefined
  return { value, written: written(tokens), operators: cursor.operators }
}

/** The position while one expression is read. */
interface Cursor {
  readonly tokens: readonly string[]
  at: number
  operators: number
}

type Combine = (left: number, right: number) => number

/** The operators between two operands: their precedence and what they compute. */
const operators: ReadonlyMap<string, readonly [binds: number, combine: Combine]> = new Map([
  ['+', [1, (left, right) => left + right]],
  ['-', [1, (left, right) => left - right]],
  ['*', [2, (left, right) => left * right]],
  ['/', [2, (left, right) => (right === 0 ? Number.NaN : left / right)]],
  ['%*', [2, (left, right) => (left * right) / 100]],
])

/** Reads operands and operators with a precedence of at least `least` (precedence climbing). */
function combined(cursor: Cursor, least: number): number | undefined {
  let left = operand(cursor)
  for (;;) {
    const [binds, combine] = operators.get(cursor.tokens[cursor.at] ?? '') ?? []
    if (left === undefined || binds === undefined || combine === undefined || binds < least)
      return left
    cursor.at += 1
    const right = combined(cursor, binds + 1)
    if (right === undefined) return undefined
    left = combine(left, right)
    cursor.operators += 1
  }
}

/** A number or a bracket, with the signs before it. */
function operand(cursor: Cursor): number | undefined {
  const token = cursor.tokens[cursor.at] ?? ''
  cursor.at += 1
  if (/\d/.test(token)) return Number(token)
  if (token === '+' || token === '-') {
    const value = operand(cursor)
    return value !== undefined && token === '-' ? -value : value
  }
  const value = token === '(' ? combined(cursor, 1) : undefined
  if (cursor.tokens[cursor.at] !== ')') return undefined
  cursor.at += 1
  return value
}

const shown: ReadonlyMap<string, string> = new Map([
  ['*', ' × '],
  ['/', ' ÷ '],
  ['%*', '% of '],
])

function written(tokens: readonly string[]): string {
  return tokens
    .map((token, at) => {
      const isBetween = /[\d)]$/.test(tokens[at - 1] ?? '')
      return shown.get(token) ?? (isBetween && /^[-+]$/.test(token) ? ` ${token} ` : token)
    })
    .join('')
}

/** All digits of a whole number, otherwise twelve significant ones, which hides the rounding of binary fractions. */
export function formatNumber(value: number): string {
  return String(rounded(value))
}

/** Whether `formatNumber` leaves out digits. */
export function isRounded(value: number): boolean {
  return Math.abs(rounded(value) - value) > Math.abs(value) * 1e-15
}

function rounded(value: number): number {
  return Number.isSafeInteger(value) ? value : Number(value.toPrecision(12))
}
