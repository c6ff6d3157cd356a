import { conceptsOf } from '../embed/concepts.ts'
import { splitWords } from '../embed/words.ts'

/** A query prepared for matching. */
export interface Query {
  /** Different stems that are looked for, in order; stop words only where there is nothing else. */
  readonly terms: readonly string[]
  /** Neighbours among the telling words, each as two stems with a space between. */
  readonly phrases: ReadonlySet<string>
  /** Which terms a word of a document stands for, and how well (0 to 1). Remembers what it has seen. */
  readonly match: (stem: string) => readonly TermMatch[]
}

export interface TermMatch {
  readonly term: number
  readonly strength: number
}

/** More different words than this add nothing to a question. */
const termsMax = 256
const conceptStrength = 0.4

export function prepareQuery(text: string): Query {
  const words = splitWords(text)
  const telling = words.filter((word) => !word.stop)
  const stems = (telling.length > 0 ? telling : words).map((word) => word.stem)
  const terms = [...new Set(stems)].slice(0, termsMax)
  const phrases = new Set(stems.slice(1).map((stem, i) => `${stems[i]} ${stem}`))
  const known = new Map<string, readonly TermMatch[]>()
  const find = createFinder(terms)
  const match = (stem: string): readonly TermMatch[] => {
    const found = known.get(stem) ?? find(stem)
    known.set(stem, found)
    return found
  }
  return { terms, phrases, match }
}

function createFinder(terms: readonly string[]): (stem: string) => readonly TermMatch[] {
  const exact = new Map(terms.map((term, index) => [term, index]))
  const byConcept = new Map<number, number[]>()
  for (const [term, stem] of terms.entries())
    for (const concept of conceptsOf(stem))
      byConcept.set(concept, [...(byConcept.get(concept) ?? []), term])
  return (stem) => {
    const strengths = new Map<number, number>()
    for (const concept of conceptsOf(stem))
      for (const term of byConcept.get(concept) ?? []) strengths.set(term, conceptStrength)
    const same = exact.get(stem)
    if (same !== undefined) strengths.set(same, 1)
    return [...strengths].map(([term, strength]) => ({ term, strength }))
  }
}
