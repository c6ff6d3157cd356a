import { contentStems } from './words.ts'

/** Sentences indexed by the stems in them, for BM25 (Robertson and Zaragoza, 2009). */
export interface Index {
  readonly stems: readonly (readonly string[])[]
  readonly documentFrequency: ReadonlyMap<string, number>
  readonly averageLength: number
}

export function indexSentences(sentences: readonly string[]): Index {
  const stems: string[][] = []
  const documentFrequency = new Map<string, number>()
  let total = 0
  for (const sentence of sentences) {
    const own = contentStems(sentence)
    for (const stem of new Set(own))
      documentFrequency.set(stem, (documentFrequency.get(stem) ?? 0) + 1)
    stems.push(own)
    total += own.length
  }
  return { stems, documentFrequency, averageLength: total / Math.max(1, sentences.length) }
}

const saturation = 1.2
const lengthWeight = 0.5

/** How rare a stem is among the sentences; always above zero. */
function rarity(index: Index, stem: string): number {
  const holding = index.documentFrequency.get(stem) ?? 0
  return Math.log(1 + (index.stems.length - holding + 0.5) / (holding + 0.5))
}

/** The BM25 score of one sentence for the stems of a question. */
export function score(index: Index, sentence: number, wanted: ReadonlySet<string>): number {
  const own = index.stems[sentence] ?? []
  const times = new Map<string, number>()
  for (const stem of own) if (wanted.has(stem)) times.set(stem, (times.get(stem) ?? 0) + 1)
  const length = lengthWeight * (own.length / Math.max(1, index.averageLength)) + 1 - lengthWeight
  let sum = 0
  for (const [stem, count] of times)
    sum += (rarity(index, stem) * count * (saturation + 1)) / (count + saturation * length)
  return sum
}

/** Which part of a question's weight a sentence covers, 0 to 1. */
export function coverage(index: Index, sentence: number, wanted: ReadonlySet<string>): number {
  const own = new Set(index.stems[sentence])
  let covered = 0
  let total = 0
  for (const stem of wanted) {
    // Common words count too, or a text of one sentence would hold no weight at all.
    const weight = 0.5 + rarity(index, stem) / Math.log(2 * index.stems.length + 2)
    total += weight
    if (own.has(stem)) covered += weight
  }
  return total === 0 ? 0 : covered / total
}
