import { withDigits } from '../text/numbers.ts'
import {
  add,
  divide,
  factorial,
  floor,
  modulo,
  multiply,
  negate,
  parseDecimal,
  power,
  type Quantity,
  rational,
  subtract,
  toNumber,
} from './rational.ts'

export interface Evaluated {
  readonly value: Quantity
  /** The expression written with signs: `12 + 30`. */
  readonly written: string
  readonly operators: number
}

interface Token {
  readonly kind: 'number' | 'operator' | 'function' | 'break'
  readonly text: string
  readonly spaced: boolean
}

const phrases: readonly (readonly [RegExp, string])[] = [
  [/(\d)\s*(?:percent|per cent)\b/gi, '$1%'],
  [/\b(?:multiplied by|times)\b|[×·✕]/gi, ' * '],
  [/(\d)\s*x\s*(?=\d)/gi, '$1 * '],
  [/\b(?:divided by|over)\b|÷/gi, ' / '],
  [/\b(?:plus|added to)\b/gi, ' + '],
  [/\b(?:minus|less)\b|[−–]/gi, ' - '],
  [/\b(?:raised )?to the (?:power of|power)\b|\braised to\b|\*\*/gi, ' ^ '],
  [/\b(?:mod|modulo|modulus)\b/gi, ' mod '],
  [/\b(?:the )?square of (\d+(?:\.\d+)?)/gi, ' $1 ^2 '],
  [/\b(?:the )?cube of (\d+(?:\.\d+)?)/gi, ' $1 ^3 '],
  [/\bsquared\b|²/gi, ' ^2 '],
  [/\bcubed\b|³/gi, ' ^3 '],
  [/\b(?:the )?(?:square root|sqrt)(?: of)?|√/gi, ' sqrt '],
  [/\b(?:the )?factorial of (\d{1,6})/gi, ' $1! '],
  [/(\d) factorial\b/gi, '$1!'],
  [/\bhalf of\b/gi, ' 0.5 * '],
  [/\b(?:double|twice)\b/gi, ' 2 * '],
  [/%\s*of\b/gi, ' %of '],
  [/\bpi\b|π/gi, ` ${Math.PI} `],
  [/[$€£]\s?(?=\d)/g, ''],
]

const tokenPattern =
  /(?<number>(?:\d{1,3}(?:,\d{3})+(?!\d)|\d+)(?:\.\d+)?(?:e[+-]?\d{1,4}(?![\w]))?|\.\d+)|(?<function>\b(?:sqrt|abs|round)\b)|(?<operator>%of|\bmod\b|[-+*/^%!()])|(?<break>[\p{L}_]+|[^\s])/giu

function tokensOf(text: string): Token[] {
  let source = withDigits(text)
  for (const [pattern, sign] of phrases) source = source.replace(pattern, sign)
  return [...source.matchAll(tokenPattern)].map(({ groups = {}, index, 0: found }) => {
    const kinds = ['number', 'operator', 'function'] as const
    const kind = kinds.find((name) => groups[name] !== undefined) ?? 'break'
    const spaced = source.charAt(index - 1) === ' ' && source.charAt(index + found.length) === ' '
    return { kind, text: found.toLowerCase().replaceAll(',', ''), spaced }
  })
}

/** The value of a text that consists of a single expression, in digits or in words. */
export function evaluate(text: string): Evaluated | undefined {
  const tokens = tokensOf(text)
  return tokens.some((token) => token.kind === 'break') ? undefined : parse(tokens)
}

/** The longest expression within a sentence. Dates, ranges and telephone numbers are not expressions. */
export function findExpression(text: string): Evaluated | undefined {
  let best: Evaluated | undefined
  let run: Token[] = []
  for (const token of [...tokensOf(text), { kind: 'break', text: '', spaced: true } as const]) {
    if (token.kind !== 'break') {
      run.push(token)
      continue
    }
    const found = longestIn(run)
    if (found !== undefined && found.operators > (best?.operators ?? 0)) best = found
    run = []
  }
  return best
}

function longestIn(run: readonly Token[]): Evaluated | undefined {
  if (isRangeLike(run)) return undefined
  for (let drop = 0; drop < Math.min(3, run.length); drop++) {
    const found = parse(run.slice(0, run.length - drop)) ?? parse(run.slice(drop))
    if (found !== undefined && found.operators > 0) return found
  }
  return undefined
}

/** `2024-01-05`, `555-1234`, `3/4`: numbers joined without spaces, only by dashes or slashes. */
function isRangeLike(run: readonly Token[]): boolean {
  const operators = run.filter((token) => token.kind === 'operator')
  const same = operators.every(({ text, spaced }) => (text === '-' || text === '/') && !spaced)
  return operators.length > 0 && same
}

/** The position while one expression is read. */
interface Cursor {
  readonly tokens: readonly Token[]
  at: number
  operators: number
}

function parse(tokens: readonly Token[]): Evaluated | undefined {
  if (tokens.length === 0 || tokens.length > 1000) return undefined
  const cursor: Cursor = { tokens, at: 0, operators: 0 }
  const value = combined(cursor, 1)
  if (value === undefined || cursor.at !== tokens.length) return undefined
  return { value, written: written(tokens), operators: cursor.operators }
}

type Combine = (left: Quantity, right: Quantity) => Quantity

/** The operators between two operands: their precedence and what they compute. */
const operators: Readonly<Record<string, readonly [binds: number, combine: Combine]>> = {
  '+': [1, add],
  '-': [1, subtract],
  '*': [2, multiply],
  '/': [2, divide],
  '%': [2, modulo],
  mod: [2, modulo],
  '%of': [2, (left, right) => multiply(hundredth(left), right)],
  '^': [4, power],
}
/** A sign before an operand has a lower precedence than a power: -2^2 is -4. */
const signBinds = 3

/** Reads operands and operators with a precedence of at least `least` (precedence climbing). */
function combined(cursor: Cursor, least: number): Quantity | undefined {
  let left = operand(cursor)
  for (;;) {
    const sign = operatorAt(cursor)
    const [binds, combine] = operators[sign] ?? []
    if (left === undefined || binds === undefined || combine === undefined || binds < least)
      return left
    // "2(3 + 4)" has no sign to skip.
    if (cursor.tokens[cursor.at]?.text !== '(') cursor.at += 1
    const from = cursor.at
    const right = combined(cursor, sign === '^' ? signBinds : binds + 1)
    if (right === undefined) return undefined
    const [only, percent] = cursor.tokens.slice(from, cursor.at)
    // "50 + 10%" adds a tenth of 50.
    const isShare =
      binds === 1 && cursor.at - from === 2 && only?.kind === 'number' && percent?.text === '%'
    left = combine(left, isShare ? multiply(left, right) : right)
    cursor.operators += 1
  }
}

function operatorAt({ tokens, at }: Cursor): string {
  const token = tokens[at]
  if (token?.kind !== 'operator' || isPercent(tokens, at)) return ''
  return token.text === '(' ? '*' : token.text
}

/** A percent sign without an operand after it does not mean a remainder. */
function isPercent(tokens: readonly Token[], at: number): boolean {
  const next = tokens[at + 1]
  const divides = next?.kind === 'number' || next?.kind === 'function' || next?.text === '('
  return tokens[at]?.text === '%' && !divides
}

function hundredth(value: Quantity): Quantity {
  return divide(value, rational(100n))
}

/** A number, a function call or a bracket, with the signs before it and the marks after it. */
function operand(cursor: Cursor): Quantity | undefined {
  const { tokens } = cursor
  const token = tokens[cursor.at]
  cursor.at += 1
  if (token?.kind === 'operator' && (token.text === '-' || token.text === '+')) {
    const value = combined(cursor, signBinds)
    return value !== undefined && token.text === '-' ? negate(value) : value
  }
  let value = token === undefined ? undefined : primary(token, cursor)
  for (; value !== undefined; cursor.at += 1) {
    if (tokens[cursor.at]?.text === '!') {
      value = factorial(value)
      cursor.operators += 1
    } else if (isPercent(tokens, cursor.at)) value = hundredth(value)
    else break
  }
  return value
}

function primary({ kind, text }: Token, cursor: Cursor): Quantity | undefined {
  if (kind === 'number') return readNumber(text)
  if (kind === 'function') {
    const argument = operand(cursor)
    cursor.operators += 1
    return argument === undefined ? undefined : functions[text]?.(argument)
  }
  const value = text === '(' ? combined(cursor, 1) : undefined
  if (cursor.tokens[cursor.at]?.text !== ')') return undefined
  cursor.at += 1
  return value
}

function readNumber(text: string): Quantity {
  const [digits = '0', exponent] = text.split('e')
  const value = parseDecimal(digits.startsWith('.') ? `0${digits}` : digits)
  return exponent === undefined
    ? value
    : multiply(value, power(rational(10n), rational(BigInt(Number(exponent)))))
}

const functions: Readonly<Record<string, (value: Quantity) => Quantity>> = {
  // Exact for squares of fractions.
  sqrt: (value) => power(value, rational(1n, 2n)),
  abs: (value) => (toNumber(value) < 0 ? negate(value) : value),
  round: (value) => floor(add(value, rational(1n, 2n))),
}

const shown: Readonly<Record<string, string>> = { '*': '×', '/': '÷', sqrt: '√' }

function written(tokens: readonly Token[]): string {
  return tokens
    .map(({ text }, at) => {
      const before = tokens[at - 1]
      const sign = shown[text] ?? text
      const isBetween = before?.kind === 'number' || /^[)!%]$/.test(before?.text ?? '')
      if (text === '%of') return '% of '
      if (text === 'mod') return ' mod '
      return isBetween && /^[-+*/%]$/.test(text) && !isPercent(tokens, at) ? ` ${sign} ` : sign
    })
    .join('')
    .replaceAll('  ', ' ')
}
