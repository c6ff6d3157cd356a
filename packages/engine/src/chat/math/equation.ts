import { divide, formatQuantity, isRounded, type Quantity, subtract, toNumber } from './rational.ts'
import { evaluate } from './expression.ts'

export interface Solved {
  readonly unknown: string
  readonly value: string
  readonly steps: readonly Step[]
}

export interface Step {
  readonly explanation: string
  readonly output: string
}

/** A linear equation in one unknown, such as `8x + 7 = -23`, solved step by step. */
export function solveLinear(text: string): Solved | undefined {
  const match =
    /(?<![\w.])([-+*/().\d\s]{0,80}[a-z](?![a-z])[-+*/().\d\sa-z]{0,80})=([-+*/().\d\sa-z]{1,80})/i.exec(
      text.replaceAll('−', '-').slice(0, 2000),
    )
  if (match === null) return undefined
  const [, leftText = '', rightText = ''] = match
  const left = trimmedSide(leftText, 'left')
  const right = trimmedSide(rightText, 'right')
  const unknown = /[a-z]/i.exec(left + right)?.[0]
  if (unknown === undefined) return undefined
  const terms = [linear(left, unknown), linear(right, unknown)] as const
  if (terms[0] === undefined || terms[1] === undefined) return undefined
  const slope = subtract(terms[0].slope, terms[1].slope)
  const constant = subtract(terms[1].constant, terms[0].constant)
  if (toNumber(slope) === 0) return undefined
  const value = divide(constant, slope)
  return {
    unknown,
    value: shown(value),
    steps: stepsOf(unknown, [left, right], [slope, constant, value]),
  }
}

function shown(value: Quantity): string {
  if (typeof value !== 'number' && isRounded(value)) return value.toFraction()
  return formatQuantity(value)
}

function stepsOf(
  unknown: string,
  [left, right]: readonly [string, string],
  [slope, constant, value]: readonly [Quantity, Quantity, Quantity],
): Step[] {
  const factor = formatQuantity(slope)
  const term = factor === '1' ? unknown : factor === '-1' ? `-${unknown}` : `${factor}${unknown}`
  const collected = `${term} = ${formatQuantity(constant)}`
  const steps = [
    { explanation: 'Begin with the equation.', output: `${left} = ${right}` },
    {
      explanation: `Bring the terms in ${unknown} to one side and the numbers to the other.`,
      output: collected,
    },
  ]
  if (factor !== '1')
    steps.push({
      explanation: `Divide both sides by ${factor}.`,
      output: `${unknown} = ${shown(value)}`,
    })
  return steps
}

/** Words around the equation ("solve for x: …", "… please") are not part of it. */
function trimmedSide(side: string, which: 'left' | 'right'): string {
  const words = side.trim().split(/\s+/)
  const isWord = (word: string | undefined): boolean => word !== undefined && /[a-z]{2}/i.test(word)
  const found = which === 'left' ? words.findLastIndex(isWord) : words.findIndex(isWord)
  if (found < 0) return words.join(' ')
  return (which === 'left' ? words.slice(found + 1) : words.slice(0, found)).join(' ')
}

/** The two numbers of `slope · x + constant`, found by putting 0, 1 and 2 for the unknown; undefined if not linear. */
function linear(
  side: string,
  unknown: string,
): { slope: Quantity; constant: Quantity } | undefined {
  if (new Set(side.toLowerCase().match(/[a-z]/g)).size > 1) return undefined
  const at = (value: number): Quantity | undefined => {
    const put = side
      .replace(new RegExp(`(?<=[\\d)])\\s*${unknown}`, 'gi'), ` * ${unknown}`)
      .replace(new RegExp(unknown, 'gi'), `(${value})`)
    return evaluate(put)?.value
  }
  const [zero, one, two] = [at(0), at(1), at(2)]
  if (zero === undefined || one === undefined || two === undefined) return undefined
  const slope = subtract(one, zero)
  const bend = toNumber(subtract(subtract(two, one), slope))
  return bend === 0 ? { slope, constant: zero } : undefined
}

/** The unknown and its value put in words. */
export function solution({ unknown, value }: Solved): string {
  return `${unknown} = ${value}`
}
