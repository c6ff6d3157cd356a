import { contentStems } from './words.ts'

/**
 * The part of a question's weight that each sentence covers, 0 to 1. Words that occur in few sentences weigh more (the rarity
 * of BM25, Robertson and Zaragoza, 2009).
 */
export function coverages(sentences: readonly string[], wanted: ReadonlySet<string>): number[] {
  const held = sentences.map((sentence) => new Set(contentStems(sentence)))
  const weights = [...wanted].map((stem) => {
    const holding = held.filter((stems) => stems.has(stem)).length
    const rarity = Math.log(1 + (held.length - holding + 0.5) / (holding + 0.5))
    // Common words count too, otherwise a text of one sentence would have no weight at all.
    return [stem, 0.5 + rarity / Math.log(2 * held.length + 2)] as const
  })
  const total = weights.reduce((sum, [, weight]) => sum + weight, 0)
  return held.map((stems) =>
    weights.reduce((sum, [stem, weight]) => sum + (stems.has(stem) ? weight / total : 0), 0),
  )
}
