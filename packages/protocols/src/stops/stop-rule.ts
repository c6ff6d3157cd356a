import { listOf } from '@sluice/contract'

/** Which stop sequences a target accepts. */
export interface StopRule {
  /** The greatest number of them; 0 if the target has none. */
  readonly most: number
  /** Whether one may consist of white space alone. Default true. */
  readonly takesBlank?: boolean
}

/** Claude does not stop at white space alone (Messages API; "each stop sequence must contain non-whitespace"). */
export const claudeStops: StopRule = { most: Number.POSITIVE_INFINITY, takesBlank: false }

/** A target without stop sequences. */
export const noStops: StopRule = { most: 0 }

/** Whether a target with this rule stops by itself at all sequences of a request. Without a rule it accepts any. */
export function takesStops(stop: unknown, rule: StopRule | undefined): boolean {
  if (rule === undefined || stop == null) return true
  const words = typeof stop === 'string' ? [stop] : listOf(stop)
  return words.length <= rule.most && (rule.takesBlank !== false || !words.some(isBlank))
}

function isBlank(word: unknown): boolean {
  return typeof word === 'string' && word.trim() === ''
}

/** Those of the sequences that can be sent. */
export function sentStops(words: readonly string[], rule: StopRule): readonly string[] {
  return words.filter((word) => rule.takesBlank !== false || !isBlank(word)).slice(0, rule.most)
}

/** https://ai.google.dev/api/generate-content#GenerationConfig. */
export const geminiStops: StopRule = { most: 5 }
