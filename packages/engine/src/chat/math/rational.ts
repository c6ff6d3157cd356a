/** An exact fraction in lowest terms; the denominator is positive. */
export interface Rational {
  readonly numerator: bigint
  readonly denominator: bigint
}

/** Exact while it can be, a floating-point number otherwise. */
export type Quantity = Rational | number

const exponentMax = 10_000
const bitsMax = 30_000

export function rational(numerator: bigint, denominator = 1n): Rational {
  const sign = denominator < 0n ? -1n : 1n
  const divisor = greatestCommonDivisor(numerator, denominator) || 1n
  return { numerator: (sign * numerator) / divisor, denominator: (sign * denominator) / divisor }
}

function greatestCommonDivisor(left: bigint, right: bigint): bigint {
  let a = left < 0n ? -left : left
  let b = right < 0n ? -right : right
  while (b > 0n) [a, b] = [b, a % b]
  return a
}

/** Reads plain decimal digits such as `-12.50`. */
export function parseDecimal(digits: string): Rational {
  const [whole = '0', fraction = ''] = digits.split('.')
  return rational(
    BigInt(`${whole === '' || whole === '-' ? `${whole}0` : whole}${fraction}`),
    10n ** BigInt(fraction.length),
  )
}

export function toNumber(value: Quantity): number {
  if (typeof value === 'number') return value
  const { numerator, denominator } = value
  const direct = Number(numerator) / Number(denominator)
  if (Number.isFinite(direct)) return direct
  const shift = BigInt(Math.max(0, denominator.toString(2).length - 1000))
  return Number(numerator >> shift) / Number(denominator >> shift)
}

export function add(left: Quantity, right: Quantity): Quantity {
  if (typeof left === 'number' || typeof right === 'number') return toNumber(left) + toNumber(right)
  const numerator = left.numerator * right.denominator + right.numerator * left.denominator
  return bounded(rational(numerator, left.denominator * right.denominator))
}

export function negate(value: Quantity): Quantity {
  return typeof value === 'number' ? -value : { ...value, numerator: -value.numerator }
}

export function subtract(left: Quantity, right: Quantity): Quantity {
  return add(left, negate(right))
}

export function multiply(left: Quantity, right: Quantity): Quantity {
  if (typeof left === 'number' || typeof right === 'number') return toNumber(left) * toNumber(right)
  return bounded(rational(left.numerator * right.numerator, left.denominator * right.denominator))
}

/** NaN for a division by zero. */
export function divide(left: Quantity, right: Quantity): Quantity {
  if (isZero(right)) return Number.NaN
  if (typeof left === 'number' || typeof right === 'number') return toNumber(left) / toNumber(right)
  return bounded(rational(left.numerator * right.denominator, left.denominator * right.numerator))
}

/** The remainder has the sign of the divisor, as in everyday modular arithmetic. */
export function modulo(left: Quantity, right: Quantity): Quantity {
  if (isZero(right)) return Number.NaN
  return subtract(left, multiply(right, floor(divide(left, right))))
}

export function floor(value: Quantity): Quantity {
  if (typeof value === 'number') return Math.floor(value)
  const { numerator, denominator } = value
  const down = numerator / denominator
  return rational(numerator < 0n && down * denominator !== numerator ? down - 1n : down)
}

export function power(value: Quantity, exponent: Quantity): Quantity {
  if (typeof value !== 'number' && typeof exponent !== 'number' && exponent.denominator === 1n) {
    const times = exponent.numerator < 0n ? -exponent.numerator : exponent.numerator
    const bits = value.numerator.toString(2).length + value.denominator.toString(2).length
    if (times <= BigInt(exponentMax) && Number(times) * bits <= bitsMax) {
      const raised = rational(value.numerator ** times, value.denominator ** times)
      return exponent.numerator < 0n ? divide(rational(1n), raised) : raised
    }
  }
  return toNumber(value) ** toNumber(exponent)
}

/** Exact for squares of fractions. */
export function squareRoot(value: Quantity): Quantity {
  if (typeof value !== 'number' && value.numerator >= 0n) {
    const top = integerRoot(value.numerator)
    const bottom = integerRoot(value.denominator)
    if (top * top === value.numerator && bottom * bottom === value.denominator)
      return rational(top, bottom)
  }
  return Math.sqrt(toNumber(value))
}

function integerRoot(value: bigint): bigint {
  if (value < 2n) return value
  let guess = 1n << BigInt(Math.ceil(value.toString(2).length / 2))
  for (;;) {
    const next = (guess + value / guess) >> 1n
    if (next >= guess) return guess
    guess = next
  }
}

export function factorial(value: Quantity): Quantity {
  if (typeof value === 'number' || value.denominator !== 1n) return Number.NaN
  if (value.numerator < 0n) return Number.NaN
  if (value.numerator > 1000n) return Number.POSITIVE_INFINITY
  let product = 1n
  for (let factor = 2n; factor <= value.numerator; factor++) product *= factor
  return rational(product)
}

export function compare(left: Quantity, right: Quantity): number {
  const difference = subtract(left, right)
  return typeof difference === 'number'
    ? Math.sign(difference)
    : Number(difference.numerator > 0n) - Number(difference.numerator < 0n)
}

function isZero(value: Quantity): boolean {
  return typeof value === 'number' ? value === 0 : value.numerator === 0n
}

function bounded(value: Rational): Quantity {
  const long = 10n ** 9000n
  return value.numerator > long || value.numerator < -long || value.denominator > long
    ? toNumber(value)
    : value
}

const decimalsMax = 20

/** All digits where the decimal fraction ends, otherwise twelve significant ones. */
export function formatQuantity(value: Quantity): string {
  if (typeof value === 'number') return formatNumber(value)
  const { numerator, denominator } = value
  if (denominator === 1n) return numerator.toString()
  for (let decimals = 1; decimals <= decimalsMax; decimals++) {
    const scale = 10n ** BigInt(decimals)
    if ((numerator * scale) % denominator === 0n)
      return placed((numerator * scale) / denominator, decimals)
  }
  return formatNumber(toNumber(value))
}

function placed(scaled: bigint, decimals: number): string {
  const sign = scaled < 0n ? '-' : ''
  const digits = (scaled < 0n ? -scaled : scaled).toString().padStart(decimals + 1, '0')
  return `${sign}${digits.slice(0, -decimals)}.${digits.slice(-decimals)}`
}

function formatNumber(value: number): string {
  if (!Number.isFinite(value)) return String(value)
  return String(Number(value.toPrecision(12)))
}

/** Whether `formatQuantity` leaves digits out. */
export function isRounded(value: Quantity): boolean {
  if (typeof value === 'number') return true
  let { denominator } = value
  for (const prime of [2n, 5n]) while (denominator % prime === 0n) denominator /= prime
  return denominator !== 1n
}
