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
const spellingStrength = 0.75
/** Dice's coefficient of letter pairs from which two words are taken for spellings of one. */
const spellingMin = 0.6
/** Only so many terms are looked for in other spellings: a long question has words enough that are spelt right. */
const spellingTermsMax = 32

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
  const byConcept = index(terms, conceptsOf)
  const byPair = index(terms.slice(0, spellingTermsMax), letterPairs)
  const pairCounts = terms.map((term) => letterPairs(term).length)
  return (stem) => {
    const same = exact.get(stem)
    const strengths = new Map<number, number>()
    const add = (term: number, strength: number): void => {
      strengths.set(term, Math.max(strength, strengths.get(term) ?? 0))
    }
    for (const concept of conceptsOf(stem))
      for (const term of byConcept.get(concept) ?? []) add(term, conceptStrength)
    // A word that is spelt like one term is no misspelling of another.
    if (same !== undefined) add(same, 1)
    else
      for (const [term, likeness] of spellings(letterPairs(stem), byPair, pairCounts))
        add(term, likeness * spellingStrength)
    return [...strengths].map(([term, strength]) => ({ term, strength }))
  }
}

function index<Key>(
  terms: readonly string[],
  keysOf: (term: string) => readonly Key[],
): ReadonlyMap<Key, readonly number[]> {
  const found = new Map<Key, number[]>()
  for (const [term, stem] of terms.entries())
    for (const key of keysOf(stem)) {
      const list = found.get(key)
      if (list === undefined) found.set(key, [term])
      else list.push(term)
    }
  return found
}

function* spellings(
  own: readonly string[],
  byPair: ReadonlyMap<string, readonly number[]>,
  pairCounts: readonly number[],
): Iterable<[number, number]> {
  const common = new Map<number, number>()
  for (const pair of own)
    for (const term of byPair.get(pair) ?? []) common.set(term, (common.get(term) ?? 0) + 1)
  for (const [term, count] of common) {
    const likeness = (2 * count) / (own.length + (pairCounts[term] ?? 0))
    if (likeness >= spellingMin) yield [term, likeness]
  }
}

/**
 * The different pairs of neighbouring letters in a word, its beginning and end included, each with the first letter in
 * front: typing errors seldom change that. Short words and numbers have none, for they have too many neighbours.
 */
function letterPairs(stem: string): readonly string[] {
  if (stem.length < 4 || /\p{N}/u.test(stem)) return []
  const edged = `<${stem}>`
  const found = new Set<string>()
  for (let at = 0; at + 2 <= edged.length; at++) found.add(`${stem[0]}${edged.slice(at, at + 2)}`)
  return [...found]
}
