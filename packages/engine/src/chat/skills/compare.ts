import type { Answer, Ask, Skill } from '../ask/ask.ts'
import { evaluate, type Evaluated } from '../math/expression.ts'
import {
  compare as compareQuantities,
  formatQuantity,
  modulo,
  parseDecimal,
  rational,
  toNumber,
} from '../math/rational.ts'
import { itemsOf } from '../text/items.ts'
import { numbersOf } from '../text/numbers.ts'

const which =
  /\b(?:which|what)(?: of (?:these|them|the following))?(?: number| one| word| name)?(?: is| are|'s) (?:the )?(larger|bigger|greater|higher|largest|biggest|greatest|highest|more|smaller|lower|less|smallest|lowest|least|longer|longest|shorter|shortest|heavier)\b(?: number| one| word| value)?[\s,:-]*(?:between |of |among |in )?(.+?)[?.]*$/is
const isRelation =
  /^(?:is|are) (.{1,60}?) (larger|bigger|greater|higher|more|smaller|lower|less|equal|the same)(?: (?:than|to|as))+ (.{1,60}?)[?.]*$/i
const isKind =
  /^(?:is|are) (?:the number )?(-?[\d,]{1,18}) (?:an? )?(prime|even|odd|divisible by (\d{1,12})|a? ?multiple of (\d{1,12})|perfect square)(?: number)?[?.]*$/i

/** "Which is larger, 9.11 or 9.9?", "Is 7 greater than 5?", "Is 17 prime?", "Is level a palindrome?" */
export const compare: Skill = {
  name: 'compare',
  answer: (ask) => superlative(ask) ?? relation(ask) ?? kind(ask) ?? palindrome(ask),
}

function superlative({ instruction, passage }: Ask): Answer | undefined {
  const match = which.exec(
    passage === '' ? instruction : `${instruction.replace(/\?$/, '')}: ${passage.slice(0, 1000)}`,
  )
  if (match?.[1] === undefined || match[2] === undefined) return undefined
  const { items } = itemsOf(match[2])
  if (items.length < 2 || items.length > 200) return undefined
  const adjective = match[1].toLowerCase()
  const down = /^(?:small|low|less|least|short)/.test(adjective)
  const chosen = /^(?:long|short)/.test(adjective) ? byLength(items, down) : byValue(items, down)
  if (chosen === undefined) return undefined
  const relationWord =
    /est$|^most/.test(adjective) || items.length > 2 ? `is the ${adjective}` : `is ${adjective}`
  const others = items.filter((item) => item !== chosen)
  const sentence =
    items.length === 2 && !adjective.endsWith('est')
      ? `${chosen} ${relationWord} than ${others[0] ?? ''}.`
      : `${chosen} ${relationWord}.`
  return {
    skill: 'compare',
    phrasings: [sentence, chosen],
    value: chosen,
    evidence: [items.join(', ')],
  }
}

function byLength(items: readonly string[], down: boolean): string | undefined {
  return items.toSorted(
    (left, right) => (down ? 1 : -1) * ([...left].length - [...right].length),
  )[0]
}

function byValue(items: readonly string[], down: boolean): string | undefined {
  const valued = items.map((item) => ({ item, value: valueOf(item) }))
  const known = valued.flatMap(({ item, value }) =>
    value === undefined ? [] : [{ item, value: value.value }],
  )
  if (known.length !== items.length) return undefined
  return known.toSorted(
    (left, right) => (down ? 1 : -1) * compareQuantities(left.value, right.value),
  )[0]?.item
}

/** A number or an expression; a word in front of it ("the number 5") does not matter. */
function valueOf(text: string): Pick<Evaluated, 'value'> | undefined {
  const found = evaluate(text)
  if (found !== undefined) return found
  const spans = numbersOf(text)
  return spans.length === 1 && spans[0] !== undefined && text.length < 40
    ? { value: parseDecimal(spans[0].digits) }
    : undefined
}

function relation({ instruction }: Ask): Answer | undefined {
  const match = isRelation.exec(instruction.trim())
  const left = valueOf(match?.[1] ?? '')
  const right = valueOf(match?.[3] ?? '')
  if (match === null || left === undefined || right === undefined) return undefined
  const order = compareQuantities(left.value, right.value)
  const word = (match[2] ?? '').toLowerCase()
  const holds = /^(?:equal|the same)/.test(word)
    ? order === 0
    : /^(?:small|low|less)/.test(word)
      ? order < 0
      : order > 0
  const sign = order === 0 ? 'equal to' : order > 0 ? 'greater than' : 'less than'
  const fact = `${formatQuantity(left.value)} is ${sign} ${formatQuantity(right.value)}`
  return yesNo(holds, fact)
}

function yesNo(holds: boolean, fact: string): Answer {
  const word = holds ? 'Yes' : 'No'
  return {
    skill: 'compare',
    phrasings: [`${word}, ${fact}.`, `${word}. ${fact}.`, `${word}.`],
    value: word,
    evidence: [fact],
  }
}

function kind({ instruction }: Ask): Answer | undefined {
  const match = isKind.exec(instruction.trim())
  if (match?.[1] === undefined || match[2] === undefined) return undefined
  const digits = match[1].replaceAll(',', '')
  if (!/^-?\d+$/.test(digits)) return undefined
  const value = Number(digits)
  const word = match[2].toLowerCase()
  const divisor = match[3] ?? match[4]
  if (divisor !== undefined) {
    const rest = modulo(parseDecimal(digits), parseDecimal(divisor))
    if (Number.isNaN(toNumber(rest))) return undefined
    const holds = toNumber(rest) === 0
    return yesNo(
      holds,
      `${digits} divided by ${divisor} leaves the remainder ${formatQuantity(rest)}`,
    )
  }
  if (word === 'even' || word === 'odd') {
    const even = toNumber(modulo(parseDecimal(digits), rational(2n))) === 0
    return yesNo(even === (word === 'even'), `${digits} is ${even ? 'even' : 'odd'}`)
  }
  if (word.includes('square')) {
    const root = Math.round(Math.sqrt(value))
    const holds = root * root === value
    return yesNo(
      holds,
      holds ? `${digits} is ${root} squared` : `${digits} is not a perfect square`,
    )
  }
  if (!word.includes('prime') || value > 1e12) return undefined
  const factor = smallestFactor(value)
  const prime = value > 1 && factor === value
  return yesNo(
    prime,
    prime || value < 2
      ? `${digits} is ${prime ? '' : 'not '}a prime number`
      : `${digits} = ${factor} × ${value / factor}`,
  )
}

function smallestFactor(value: number): number {
  for (let factor = 2; factor * factor <= value; factor++) if (value % factor === 0) return factor
  return value
}

function palindrome({ instruction }: Ask): Answer | undefined {
  const match =
    /^is (?:the (?:word|phrase|number) )?["'“]?(.{1,200}?)["'”]? a palindrome[?.]*$/i.exec(
      instruction.trim(),
    )
  if (match?.[1] === undefined) return undefined
  const letters = [...match[1].toLowerCase()].filter((character) => /[\p{L}\p{N}]/u.test(character))
  const holds = letters.join('') === letters.toReversed().join('')
  return yesNo(
    holds,
    `"${match[1]}" ${holds ? 'reads the same' : 'does not read the same'} backwards`,
  )
}
