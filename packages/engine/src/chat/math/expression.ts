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
  squareRoot,
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
  [/\b(?:the )?(?:cube root|cbrt)(?: of)?/gi, ' cbrt '],
  [/\b(?:the )?factorial of (\d{1,6})/gi, ' $1! '],
  [/(\d) factorial\b/gi, '$1!'],
  [/\bhalf of\b/gi, ' 0.5 * '],
  [/\b(?:double|twice)\b/gi, ' 2 * '],
  [/%\s*of\b/gi, ' %of '],
  [/\bpi\b|π/gi, ` ${Math.PI} `],
  [/[$€£]\s?(?=\d)/g, ''],
]

const tokenPattern =
  /(?<number>(?:\d{1,3}(?:,\d{3})+(?!\d)|\d+)(?:\.\d+)?(?:e[+-]?\d{1,4}(?![\w]))?|\.\d+)|(?<function>\b(?:sqrt|cbrt|abs|round|floor|ceil|ln|log10|log2|log|sin|cos|tan|exp)\b)|(?<operator>%of|\bmod\b|[-+*/^%!()])|(?<break>[\p{L}_]+|[^\s])/giu

function tokensOf(text: string): Token[] {
  let source = withDigits(text)
  for (const [pattern, sign] of phrases) source = source.replace(pattern, sign)
  return [...source.matchAll(tokenPattern)].map((match) => {
    const groups = match.groups ?? {}
    const kind =
      groups['number'] !== undefined
        ? 'number'
        : groups['function'] !== undefined
          ? 'function'
          : groups['operator'] !== undefined
            ? 'operator'
            : 'break'
    const before = source.charAt(match.index - 1)
    const after = source.charAt(match.index + match[0].length)
    const spaced = before === ' ' && after === ' '
    return { kind, text: match[0].toLowerCase().replaceAll(',', ''), spaced }
  })
}

/** The value of a text that is an expression from end to end, in digits or in words. */
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

/** `2024-01-05`, `555-1234`, `3/4`: numbers joined closely by nothing but dashes or by nothing but slashes. */
function isRangeLike(run: readonly Token[]): boolean {
  const operators = run.filter((token) => token.kind === 'operator')
  const same = operators.every(({ text, spaced }) => (text === '-' || text === '/') && !spaced)
  return operators.length > 0 && same
}

/** Recursive descent; one instance per expression. */
interface Cursor {
  readonly tokens: readonly Token[]
  at: number
  operators: number
}

function parse(tokens: readonly Token[]): Evaluated | undefined {
  if (tokens.length === 0 || tokens.length > 1000) return undefined
  const cursor: Cursor = { tokens, at: 0, operators: 0 }
  const value = sum(cursor)
  if (value === undefined || cursor.at !== tokens.length) return undefined
  return { value, written: written(tokens), operators: cursor.operators }
}

function take(cursor: Cursor, ...texts: readonly string[]): string | undefined {
  const token = cursor.tokens[cursor.at]
  if (token?.kind !== 'operator' || !texts.includes(token.text)) return undefined
  cursor.at += 1
  return token.text
}

function sum(cursor: Cursor): Quantity | undefined {
  let left = product(cursor)
  for (;;) {
    const sign = left === undefined ? undefined : take(cursor, '+', '-')
    if (sign === undefined || left === undefined) return left
    const from = cursor.at
    let right = product(cursor)
    if (right === undefined) return undefined
    // "50 + 10%" adds a tenth of 50.
    if (cursor.at - from === 2 && cursor.tokens[cursor.at - 1]?.text === '%')
      right = multiply(left, right)
    left = sign === '+' ? add(left, right) : subtract(left, right)
    cursor.operators += 1
  }
}

function product(cursor: Cursor): Quantity | undefined {
  let left = signed(cursor)
  for (;;) {
    const sign = left === undefined ? undefined : productSign(cursor)
    if (sign === undefined || left === undefined) return left
    const right = signed(cursor)
    if (right === undefined) return undefined
    left = combine(sign, left, right)
    cursor.operators += 1
  }
}

function productSign(cursor: Cursor): string | undefined {
  const sign = take(cursor, '*', '/', '%of', 'mod')
  if (sign !== undefined) return sign
  if (cursor.tokens[cursor.at]?.text === '(') return '*'
  return !isPercent(cursor) && take(cursor, '%') !== undefined ? 'mod' : undefined
}

function combine(sign: string, left: Quantity, right: Quantity): Quantity {
  switch (sign) {
    case '*':
      return multiply(left, right)
    case '/':
      return divide(left, right)
    case 'mod':
      return modulo(left, right)
    default:
      return multiply(divide(left, rational(100n)), right)
  }
}

function signed(cursor: Cursor): Quantity | undefined {
  let negative = false
  for (let sign = take(cursor, '-', '+'); sign !== undefined; sign = take(cursor, '-', '+'))
    if (sign === '-') negative = !negative
  const value = raised(cursor)
  return value !== undefined && negative ? negate(value) : value
}

function raised(cursor: Cursor): Quantity | undefined {
  let value = postfix(cursor)
  if (value !== undefined && take(cursor, '^') !== undefined) {
    const exponent = signed(cursor)
    if (exponent === undefined) return undefined
    value = power(value, exponent)
    cursor.operators += 1
  }
  return value
}

function postfix(cursor: Cursor): Quantity | undefined {
  let value = primary(cursor)
  while (value !== undefined) {
    if (take(cursor, '!') !== undefined) {
      value = factorial(value)
      cursor.operators += 1
    } else if (isPercent(cursor)) {
      cursor.at += 1
      value = divide(value, rational(100n))
    } else break
  }
  return value
}

/** A percent sign with nothing to be divided behind it is no remainder. */
function isPercent({ tokens, at }: Pick<Cursor, 'tokens' | 'at'>): boolean {
  return tokens[at]?.text === '%' && !isOperand(tokens[at + 1])
}

function isOperand(token: Token | undefined): boolean {
  return token?.kind === 'number' || token?.kind === 'function' || token?.text === '('
}

function primary(cursor: Cursor): Quantity | undefined {
  const token = cursor.tokens[cursor.at]
  if (token?.kind === 'number') {
    cursor.at += 1
    return readNumber(token.text)
  }
  if (token?.kind === 'function') {
    cursor.at += 1
    const argument = postfix(cursor)
    cursor.operators += 1
    return argument === undefined ? undefined : apply(token.text, argument)
  }
  if (take(cursor, '(') === undefined) return undefined
  const value = sum(cursor)
  return value !== undefined && take(cursor, ')') !== undefined ? value : undefined
}

function readNumber(text: string): Quantity {
  const [digits = '0', exponent] = text.split('e')
  const value = parseDecimal(digits.startsWith('.') ? `0${digits}` : digits)
  return exponent === undefined
    ? value
    : multiply(value, power(rational(10n), rational(BigInt(Number(exponent)))))
}

function apply(name: string, argument: Quantity): Quantity {
  switch (name) {
    case 'sqrt':
      return squareRoot(argument)
    case 'abs':
      return toNumber(argument) < 0 ? negate(argument) : argument
    case 'floor':
      return floor(argument)
    case 'ceil':
      return negate(floor(negate(argument)))
    case 'round':
      return floor(add(argument, rational(1n, 2n)))
    default:
      return float(name, toNumber(argument))
  }
}

const floats: Readonly<Record<string, (value: number) => number>> = {
  cbrt: Math.cbrt,
  ln: Math.log,
  log: Math.log10,
  log10: Math.log10,
  log2: Math.log2,
  sin: Math.sin,
  cos: Math.cos,
  tan: Math.tan,
  exp: Math.exp,
}

function float(name: string, value: number): number {
  return floats[name]?.(value) ?? Number.NaN
}

const roots: Readonly<Record<string, string>> = { sqrt: '√', cbrt: '∛' }

function written(tokens: readonly Token[]): string {
  let text = ''
  for (const [index, { text: token }] of tokens.entries()) {
    const before = tokens[index - 1]
    const binary =
      before !== undefined && (before.kind === 'number' || [')', '!', '%'].includes(before.text))
    if (token === '%of') text += '% of '
    else if (token === 'sqrt' || token === 'cbrt') text += `${roots[token]}`
    else if (
      token === 'mod' ||
      (binary &&
        ['+', '-', '*', '/', '^', '%'].includes(token) &&
        !isPercent({ tokens, at: index }))
    )
      text += ` ${token} `
    else text += token
  }
  return text
    .replaceAll(' * ', ' × ')
    .replaceAll(' / ', ' ÷ ')
    .replaceAll(' ^ ', '^')
    .replaceAll('  ', ' ')
}
