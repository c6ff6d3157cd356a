import { countTokens, encode } from '../tokens.ts'
import { createJudge } from './relevance.ts'

export interface JudgeInput {
  readonly query: string
  readonly texts: readonly string[]
  /** Tokens read of each text; the rest is cut off. */
  readonly tokensMax: number
  readonly passagesMax: number
}

export interface Judgement {
  /** Relevance per text, 0 to 1. */
  readonly scores: readonly number[]
  /** Tokens read, the query's included. */
  readonly tokens: number
  /** How many texts were cut. */
  readonly cut: number
}

/** Scores texts against a query. */
export async function judgeDocuments(input: JudgeInput): Promise<Judgement> {
  const { query, texts, tokensMax, passagesMax } = input
  const judge = createJudge(query, { passagesMax })
  let tokens = countTokens(query)
  let cut = 0
  for (const text of texts) {
    const count = countTokens(text)
    const tooLong = count > tokensMax
    judge.add(tooLong ? encode(text).slice(0, tokensMax).join('') : text)
    tokens += Math.min(count, tokensMax)
    if (tooLong) cut++
  }
  return { scores: judge.scores(), tokens, cut }
}
