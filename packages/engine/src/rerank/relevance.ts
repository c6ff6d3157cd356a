import { conceptsOf } from '../embed/concepts.ts'
import { type Features, weighFeatures } from '../embed/features.ts'
import { splitWords } from '../embed/words.ts'
import { countSent, encode } from '../tokens.ts'

export interface JudgeInput {
  readonly query: string
  readonly texts: readonly string[]
  /** Maximum tokens read of each text; the rest is cut off. */
  readonly tokensMax: number
  /** Maximum passages read of each text; the rest is left out. */
  readonly passagesMax: number
}

export interface Judgement {
  /** Relevance per text, 0 to 1. */
  readonly scores: readonly number[]
  /** Tokens read, including the query's. */
  readonly tokens: number
  /** How many texts were cut. */
  readonly cut: number
}

/** A query prepared for matching. */
interface Query {
  /** The different stems to look for, in order; stop words only if there are no others. */
  readonly terms: readonly string[]
  /** Neighbouring meaningful words, each as two stems with a space between. */
  readonly phrases: ReadonlySet<string>
  /** The terms that a word of a document matches, and how well (0 to 1). */
  readonly match: (stem: string) => ReadonlyMap<number, number>
}

/** The parts of the query in one document; collected first for all documents, because rarity depends on all of them. */
interface Evidence {
  readonly passages: readonly Passage[]
  /** The best match of each term anywhere in the document, 0 to 1. */
  readonly best: Float64Array
  /** Cosine similarity with the query's features, 0 to 1. */
  readonly likeness: number
}

interface Passage {
  readonly length: number
  /** How often each term occurs; near matches count partially. */
  readonly counts: Float64Array
  /** Share of the query's phrases that occur. */
  readonly phrases: number
}

/** BM25's constants: low, since passages are short and one occurrence is most important. */
const saturation = 0.9
const lengthWeight = 0.4
/** A long document is judged by its best passage of this many words. */
const passageWords = 512
const likenessCharacters = 4000
/** Further different words add nothing to a question. */
const termsMax = 256
const conceptStrength = 0.4

/** Scores texts against a query. */
export async function judgeDocuments(input: JudgeInput): Promise<Judgement> {
  const { tokensMax, passagesMax } = input
  const query = prepareQuery(input.query)
  const own = weighFeatures(input.query)
  let tokens = countSent(input.query)
  let cut = 0
  const all = input.texts.map((text) => {
    const count = countSent(text)
    const isCut = count > tokensMax
    const read = isCut ? encode(text).slice(0, tokensMax).join('') : text
    tokens += Math.min(count, tokensMax)
    if (isCut) cut++
    const likeness = cosine(own, weighFeatures(read.slice(0, likenessCharacters)))
    return { ...gather(query, read, passagesMax), likeness }
  })
  return { scores: scoreAll(query, all), tokens, cut }
}

function prepareQuery(text: string): Query {
  const words = splitWords(text)
  const telling = words.filter((word) => !word.stop)
  const stems = (telling.length > 0 ? telling : words).map((word) => word.stem)
  const terms = [...new Set(stems)].slice(0, termsMax)
  const phrases = new Set(stems.slice(1).map((stem, i) => `${stems[i]} ${stem}`))
  const concepts = terms.map((term) => new Set(conceptsOf(term)))
  const known = new Map<string, ReadonlyMap<number, number>>()
  const match = (stem: string): ReadonlyMap<number, number> => {
    const found = known.get(stem)
    if (found !== undefined) return found
    const own = conceptsOf(stem)
    const strengths = new Map<number, number>()
    for (const [index, term] of terms.entries())
      if (term === stem) strengths.set(index, 1)
      else if (own.some((concept) => concepts[index]?.has(concept)))
        strengths.set(index, conceptStrength)
    known.set(stem, strengths)
    return strengths
  }
  return { terms, phrases, match }
}

function gather(query: Query, document: string, passagesMax: number) {
  const words = splitWords(document)
  const best = new Float64Array(query.terms.length)
  const passages: Passage[] = []
  for (let at = 0; at < words.length && passages.length < passagesMax; at += passageWords) {
    const counts = new Float64Array(query.terms.length)
    const phrases = new Set<string>()
    let before = ''
    const part = words.slice(at, at + passageWords)
    for (const { stem, stop } of part) {
      for (const [term, strength] of query.match(stem)) {
        counts[term] = (counts[term] ?? 0) + strength
        best[term] = Math.max(best[term] ?? 0, strength)
      }
      if (stop) continue
      if (query.phrases.has(`${before} ${stem}`)) phrases.add(`${before} ${stem}`)
      before = stem
    }
    const share = query.phrases.size === 0 ? 0 : phrases.size / query.phrases.size
    passages.push({ length: part.length, counts, phrases: share })
  }
  return { passages, best }
}

function scoreAll(query: Query, all: readonly Evidence[]): readonly number[] {
  const rarity = Float64Array.from(query.terms, (_, term) => {
    const having = all.reduce((sum, evidence) => sum + (evidence.best[term] ?? 0), 0)
    // The constant gives some weight to a term that every document contains.
    return 0.3 + Math.log(1 + Math.max(0, all.length - having + 0.5) / (having + 0.5))
  })
  const whole = rarity.reduce((sum, value) => sum + value, 0)
  const passages = all.flatMap((evidence) => evidence.passages)
  const words = passages.reduce((sum, passage) => sum + passage.length, 0)
  const usualLength = words / Math.max(1, passages.length)
  return all.map((evidence) => {
    let top = 0
    for (const passage of evidence.passages) {
      const match = bm25(passage, rarity, usualLength) / Math.max(1e-9, whole)
      const phrases = query.phrases.size === 0 ? Math.min(1, match) : passage.phrases
      top = Math.max(top, 0.82 * (1 - Math.exp(-1.7 * match)) + 0.1 * phrases)
    }
    return Math.min(1, top + 0.08 * evidence.likeness)
  })
}

function bm25(passage: Passage, rarity: Float64Array, usualLength: number): number {
  const length = 1 - lengthWeight + lengthWeight * (passage.length / Math.max(1, usualLength))
  let sum = 0
  for (const [term, count] of passage.counts.entries())
    if (count > 0)
      sum += ((rarity[term] ?? 0) * count * (saturation + 1)) / (count + saturation * length)
  return sum
}

function cosine(a: Features, b: Features): number {
  let product = 0
  for (const [feature, weight] of a) product += weight * (b.get(feature) ?? 0)
  return product === 0 ? 0 : product / Math.sqrt(square(a) * square(b))
}

function square(features: Features): number {
  let sum = 0
  for (const weight of features.values()) sum += weight * weight
  return sum
}
