import type { Answer } from '../ask/ask.ts'
import { numbersOf } from '../text/numbers.ts'
import { namesOf } from '../text/spans.ts'
import type { Fact } from './facts.ts'

const most =
  /\b(?:oldest|tallest|largest|biggest|highest|longest|most|heaviest|fastest|greatest|warmest|hottest|richest|older|taller|larger|bigger|higher|heavier|faster|warmer|hotter|more)\b/i
const least =
  /\b(?:youngest|shortest|smallest|lowest|cheapest|least|fewest|lightest|slowest|coldest|coolest|nearest|younger|shorter|smaller|lower|cheaper|fewer|lighter|slower|colder|cooler|nearer)\b/i

/** "Who is the oldest?" over facts that each give one name and one number. */
export function superlative(question: string, facts: readonly Fact[]): Answer | undefined {
  const up = most.exec(question)
  const word = up ?? least.exec(question)
  if (word === null || !/\b(?:who|which|what)\b/i.test(question)) return undefined
  const valued = facts.slice(0, 2000).flatMap((fact) => {
    const [number, second] = numbersOf(fact.searched)
    const name = namesOf(fact.searched)[0]?.text ?? /^([^:]{1,60}):/.exec(fact.searched)?.[1]
    return number === undefined || second !== undefined || name === undefined
      ? []
      : [{ fact, name, value: number.value }]
  })
  const names = new Set(valued.map((entry) => entry.name))
  if (names.size < 2 || valued.length < 0.5 * facts.length) return undefined
  const [best] = valued.toSorted(
    (left, right) => (up === null ? 1 : -1) * (left.value - right.value),
  )
  if (best === undefined) return undefined
  return {
    skill: 'question',
    phrasings: [
      `${best.name} is the ${word[0].toLowerCase()}: ${best.fact.searched}`,
      `${best.name}.`,
      best.fact.searched,
    ],
    value: best.name,
    evidence: [best.fact.text],
  }
}
