import { evaluate } from './expression.ts'
import { divide, formatQuantity, isRounded, type Quantity, subtract, toNumber } from './rational.ts'

export interface Solved {
  readonly value: string
  /** The unknown and its value: `x = -3.75`. */
  readonly solution: string
  readonly steps: readonly string[]
}

const equation =
  /(?<![\w.])([-+*/().\d\s]{0,80}[a-z](?![a-z])[-+*/().\d\sa-z]{0,80})=([-+*/().\d\sa-z]{1,80})/i

/** Solves a linear equation with one unknown, such as `8x + 7 = -23`, step by step. */
export function solveLinear(text: string): Solved | undefined {
  const sides = equation.exec(text.replaceAll('−', '-').slice(0, 2000))
  if (sides === null) return undefined
  // Words around the equation ("solve for x: …", "… please") are not part of it.
  const left = sides[1]?.replace(/^.*[a-z]{2,}\S*\s/is, '').trim() ?? ''
  const right = sides[2]?.replace(/\s\S*[a-z]{2,}.*$/is, '').trim() ?? ''
  const unknown = /[a-z]/i.exec(left + right)?.[0]
  if (unknown === undefined) return undefined
  const [one, other] = [linear(left, unknown), linear(right, unknown)]
  if (one === undefined || other === undefined) return undefined
  const slope = subtract(one.slope, other.slope)
  const constant = subtract(other.constant, one.constant)
  if (toNumber(slope) === 0) return undefined
  const quotient = divide(constant, slope)
  const value =
    typeof quotient !== 'number' && isRounded(quotient)
      ? quotient.toFraction()
      : formatQuantity(quotient)
  const factor = formatQuantity(slope)
  const term = `${factor.replace(/^(-?)1$/, '$1')}${unknown}`
  const solution = `${unknown} = ${value}`
  const steps = [
    `Begin with the equation. ${left} = ${right}`,
    `Bring the terms in ${unknown} to one side and the numbers to the other. ${term} = ${formatQuantity(constant)}`,
    ...(factor === '1' ? [] : [`Divide both sides by ${factor}. ${solution}`]),
  ]
  return { value, solution, steps }
}

/** The two numbers of `slope · x + constant`, found by inserting 0, 1 and 2 for the unknown; undefined if it is not linear. */
function linear(
  side: string,
  unknown: string,
): { slope: Quantity; constant: Quantity } | undefined {
  if (new Set(side.toLowerCase().match(/[a-z]/g)).size > 1) return undefined
  const [zero, one, two] = [0, 1, 2].map((value) => {
    const put = side
      .replace(new RegExp(`(?<=[\\d)])\\s*${unknown}`, 'gi'), ` * ${unknown}`)
      .replace(new RegExp(unknown, 'gi'), `(${value})`)
    return evaluate(put)?.value
  })
  if (zero === undefined || one === undefined || two === undefined) return undefined
  const slope = subtract(one, zero)
  const bend = toNumber(subtract(subtract(two, one), slope))
  return bend === 0 ? { slope, constant: zero } : undefined
}
