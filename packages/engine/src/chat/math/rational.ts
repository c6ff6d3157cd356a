import Fraction from 'fraction.js'

/** Exact if possible, otherwise a floating-point number. */
export type Quantity = Fraction | number

const exponentMax = 10_000n
const bitsMax = 30_000
/** Numbers with more digits are no longer kept exact. */
const digitsMax = 9000

export function rational(numerator: bigint, denominator = 1n): Fraction {
  return new Fraction(numerator, denominator)
}

/** Reads plain decimal digits such as `-12.50`. */
export function parseDecimal(digits: string): Fraction {
  return new Fraction(digits.replace(/\.$/, '') || '0')
}

export function toNumber(value: Quantity): number {
  if (typeof value === 'number') return value
  const direct = value.valueOf()
  // Both numerator and denominator are too long.
  return Number.isNaN(direct) ? Number(value.s * (value.n / value.d)) : direct
}

/** Exact unless the numbers have too many digits. */
function operation(
  exact: 'add' | 'sub' | 'mul' | 'div',
  real: (left: number, right: number) => number,
): (left: Quantity, right: Quantity) => Quantity {
  return (left, right) => {
    if (typeof left === 'number' || typeof right === 'number')
      return real(toNumber(left), toNumber(right))
    const result = left[exact](right)
    const long = 10n ** BigInt(digitsMax)
    return result.n > long || result.d > long ? toNumber(result) : result
  }
}

export const add = operation('add', (left, right) => left + right)
export const subtract = operation('sub', (left, right) => left - right)
export const multiply = operation('mul', (left, right) => left * right)
const quotient = operation('div', (left, right) => left / right)

/** NaN for a division by zero. */
export function divide(left: Quantity, right: Quantity): Quantity {
  return toNumber(right) === 0 ? Number.NaN : quotient(left, right)
}

export function negate(value: Quantity): Quantity {
  return typeof value === 'number' ? -value : value.neg()
}

/** The remainder has the sign of the divisor, as in modular arithmetic. */
export function modulo(left: Quantity, right: Quantity): Quantity {
  if (toNumber(right) === 0) return Number.NaN
  return subtract(left, multiply(right, floor(divide(left, right))))
}

export function floor(value: Quantity): Quantity {
  return typeof value === 'number' ? Math.floor(value) : value.floor()
}

export function power(value: Quantity, exponent: Quantity): Quantity {
  if (typeof value !== 'number' && typeof exponent !== 'number') {
    const bits = value.n.toString(2).length + value.d.toString(2).length
    const isShort = exponent.n <= exponentMax && Number(exponent.n) * bits <= bitsMax
    // Null if the result is not a fraction; zero has no negative powers.
    const exact =
      isShort && (value.n !== 0n || exponent.s >= 0n)
        ? (value.pow(exponent) as Fraction | null)
        : null
    if (exact !== null) return exact
  }
  return toNumber(value) ** toNumber(exponent)
}

export function factorial(value: Quantity): Quantity {
  if (typeof value === 'number' || value.d !== 1n || value.s < 0n) return Number.NaN
  if (value.n > 1000n) return Number.POSITIVE_INFINITY
  let product = 1n
  for (let factor = 2n; factor <= value.n; factor++) product *= factor
  return rational(product)
}

const decimalsMax = 20

/** All digits if the decimal fraction ends, otherwise twelve significant ones. */
export function formatQuantity(value: Quantity): string {
  if (typeof value !== 'number') {
    const digits = value.toString(decimalsMax + 1)
    if (!isRounded(value) && (digits.split('.')[1]?.length ?? 0) <= decimalsMax) return digits
  }
  const number = toNumber(value)
  return Number.isFinite(number) ? String(Number(number.toPrecision(12))) : String(number)
}

/** Whether `formatQuantity` leaves out digits. */
export function isRounded(value: Quantity): boolean {
  if (typeof value === 'number') return true
  let denominator = value.d
  for (const prime of [2n, 5n]) while (denominator % prime === 0n) denominator /= prime
  return denominator !== 1n
}
