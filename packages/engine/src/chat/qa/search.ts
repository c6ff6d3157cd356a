import { datesOf } from '../text/dates.ts'
import { numbersOf } from '../text/numbers.ts'
import { coverage, type Index, indexSentences, score } from '../text/ranking.ts'
import { coloursOf, namesOf } from '../text/spans.ts'
import { contentStems } from '../text/words.ts'
import type { Fact } from './facts.ts'
import type { Question } from './question.ts'

/** A fact and how well it answers. */
export interface Match {
  readonly fact: Fact
  readonly score: number
  /** The part of the question's weight that it holds, 0 to 1. */
  readonly coverage: number
  /** Whether it holds the kind of thing that was asked for: a name, a date, a number … */
  readonly fits: boolean
}

const matchesMax = 20

/** The facts that answer a question best, best first. */
export function search(facts: readonly Fact[], question: Question): Match[] {
  const index = indexSentences(facts.map((fact) => fact.searched))
  const matches: Match[] = []
  for (const [number, fact] of facts.entries()) {
    const plain = score(index, number, question.terms)
    if (plain > 0) matches.push(weigh({ index, number, fact, question }, plain))
  }
  return matches.sort((left, right) => right.score - left.score).slice(0, matchesMax)
}

interface Candidate {
  readonly index: Index
  readonly number: number
  readonly fact: Fact
  readonly question: Question
}

function weigh({ index, number, fact, question }: Candidate, plain: number): Match {
  const fits = fitsKind(fact.searched, question)
  const kind = fits ? 1.35 : 1
  const covered = coverage(index, number, question.terms)
  // Of two sayings of the user the later one holds; in a document the earlier one is usually the definition.
  const place =
    (fact.origin === 'user' ? 1 : -1) * 0.001 * (number / Math.max(1, index.stems.length))
  const value = plain * kind * personWeight(fact, question) * (0.4 + covered) + place
  return { fact, score: value, coverage: covered, fits }
}

function personWeight(fact: Fact, question: Question): number {
  if (question.person === 'first') {
    const own = fact.origin === 'user' && /\b(?:i|i'm|my|me|mine)\b/i.test(fact.text)
    const aboutUser = fact.origin !== 'user' && /\b(?:you|your)\b|\buser\b/i.test(fact.text)
    return own ? 2 : aboutUser ? 1.3 : 0.7
  }
  if (question.person === 'second')
    return fact.origin === 'system' && /\byou/i.test(fact.text) ? 2 : 0.8
  return fact.origin === 'assistant' ? 0.7 : 1
}

function fitsKind(sentence: string, question: Question): boolean {
  switch (question.kind) {
    case 'who':
      return namesOf(sentence).some(
        (span) => !contentStems(span.text).every((stem) => question.terms.has(stem)),
      )
    case 'when':
      return (
        datesOf(sentence, 0).length > 0 ||
        /\b\d{4}\b|\b(?:o'clock|noon|midnight|am|pm)\b/i.test(sentence)
      )
    case 'where':
      return /\b(?:in|at|on|near|from|to|inside|under|behind)\b/i.test(sentence)
    case 'how-many':
    case 'how-much':
      return numbersOf(sentence).length > 0
    case 'colour':
      return coloursOf(sentence).length > 0
    case 'why':
      return /\b(?:because|since|due to|so that|in order|owing)\b/i.test(sentence)
    default:
      return true
  }
}
