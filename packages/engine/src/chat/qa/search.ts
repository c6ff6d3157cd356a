import { coverages } from '../text/ranking.ts'
import type { Fact } from './facts.ts'
import type { Question } from './question.ts'

/** A fact and how well it answers. */
export interface Match {
  readonly fact: Fact
  readonly score: number
  /** The part of the question's weight that it contains, 0 to 1. */
  readonly coverage: number
}

const matchesMax = 20

/** The facts that answer a question best, best first. */
export function search(facts: readonly Fact[], question: Question): Match[] {
  const texts = facts.map((fact) => fact.text)
  return coverages(texts, question.terms)
    .flatMap((coverage, number): Match[] => {
      const fact = facts[number]
      if (coverage === 0 || fact === undefined) return []
      // Of two statements of the user the later one applies; in a document the earlier one is usually the definition.
      const place = (fact.origin === 'user' ? 1 : -1) * 0.001 * (number / facts.length)
      const weight = personWeight(fact, question) * (0.4 + coverage)
      return [{ fact, score: coverage * weight + place, coverage }]
    })
    .sort((left, right) => right.score - left.score)
    .slice(0, matchesMax)
}

function personWeight({ origin, text }: Fact, { person }: Question): number {
  if (person === 'second') return origin === 'system' && /\byou/i.test(text) ? 2 : 0.8
  if (person === 'third') return origin === 'assistant' ? 0.7 : 1
  if (origin === 'user') return /\b(?:i|i'm|my|me|mine)\b/i.test(text) ? 2 : 0.7
  return /\b(?:you|your)\b|\buser\b/i.test(text) ? 1.3 : 0.7
}
