import { type Features, weighFeatures } from '../embed/features.ts'
import { countSent, encode } from '../tokens.ts'

interface JudgeInput {
  readonly query: string
  readonly texts: readonly string[]
  /** Maximum tokens read of each text; the rest is cut off. */
  readonly tokensMax: number
  /** Maximum passages read of each text; the rest is left out. */
  readonly passagesMax: number
}

interface Judgement {
  /** Relevance per text, 0 to 1. */
  readonly scores: readonly number[]
  /** Tokens read, including the query's. */
  readonly tokens: number
  /** How many texts were cut. */
  readonly cut: number
}

/** The features of the query in one passage of a document. */
interface Passage {
  readonly length: number
  /** How strongly the passage has each feature, compared with the query. */
  readonly found: ReadonlyMap<string, number>
}

/** BM25's constants: low, since passages are short and one occurrence is most important. */
const saturation = 0.9
const lengthWeight = 0.4
/** How fast the score of a passage approaches 1 with the part of the query that it has. */
const steepness = 1.7
/** A long document is judged by its best passage of this many characters. */
const passagePattern = /[^]{1,3000}(?:\s|$)|[^]{1,3000}/g

/** Scores texts against a query. */
export async function judgeDocuments(input: JudgeInput): Promise<Judgement> {
  const { query, texts, tokensMax, passagesMax } = input
  const wanted = weighFeatures(query)
  let tokens = countSent(query)
  let cut = 0
  const documents = texts.map((text) => {
    const count = countSent(text)
    const isCut = count > tokensMax
    tokens += Math.min(count, tokensMax)
    if (isCut) cut++
    const read = isCut ? encode(text).slice(0, tokensMax).join('') : text
    const passages = (read.match(passagePattern) ?? []).slice(0, passagesMax)
    return passages.map((passage) => findFeatures(passage, wanted))
  })
  return { scores: scoreAll(documents, wanted), tokens, cut }
}

function findFeatures(text: string, wanted: Features): Passage {
  const found = new Map<string, number>()
  for (const [feature, weight] of weighFeatures(text)) {
    const asked = wanted.get(feature)
    if (asked !== undefined) found.set(feature, weight / asked)
  }
  return { length: text.length, found }
}

/** The score of a document is that of its best passage: BM25 over the features, as a part of what the whole query has. */
function scoreAll(documents: readonly (readonly Passage[])[], wanted: Features): number[] {
  const weights = new Map<string, number>()
  let whole = 0
  for (const [feature, weight] of wanted) {
    const having = documents.filter((all) => all.some(({ found }) => found.has(feature))).length
    // The constant gives some weight to a feature that every document has.
    const rarity = 0.3 + Math.log(1 + (documents.length - having + 0.5) / (having + 0.5))
    weights.set(feature, weight * rarity)
    whole += weight * rarity
  }
  const passages = documents.flat()
  const characters = passages.reduce((sum, { length }) => sum + length, 0)
  const usual = Math.max(1, characters / Math.max(1, passages.length))
  return documents.map((all) => {
    const best = all.reduce((most, { length, found }) => {
      const damping = saturation * (1 - lengthWeight + lengthWeight * (length / usual))
      let sum = 0
      for (const [feature, strength] of found)
        sum += ((weights.get(feature) ?? 0) * strength * (saturation + 1)) / (strength + damping)
      return Math.max(most, sum)
    }, 0)
    return 1 - Math.exp((-steepness * best) / Math.max(1e-9, whole))
  })
}
