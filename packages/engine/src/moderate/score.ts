import { moderationCategories, type ModerationCategory } from '@sluice/contract'
import { reportingFactor } from './context.ts'
import {
  type Element,
  indexPatterns,
  matchPattern,
  type Pattern,
  parsePattern,
} from './patterns.ts'
import { harmless, rules } from './rules.ts'
import { wordLists } from './word-lists.ts'
import { type ModeratedWord, moderatedWords } from './words.ts'

export type Scores = Record<ModerationCategory, number>

const compiledRules = rules.map(({ scores, patterns }) => ({
  scores: moderationCategories.flatMap((category) => {
    const score = scores[category]
    return score === undefined ? [] : [[category, score] as const]
  }),
  patterns: parseAll(patterns),
}))

const rulePatterns = indexPatterns(
  compiledRules.flatMap(({ patterns }, rule) => patterns.map((pattern) => ({ pattern, rule }))),
)
const harmlessPatterns = indexPatterns(
  parseAll(harmless.trim().replaceAll('\n', ';')).map((pattern) => ({ pattern })),
)

/** Somebody's own wish and words aimed at somebody are no report, whoever is quoted beside them. */
const neverReports: ReadonlySet<ModerationCategory> = new Set([
  'self-harm/intent',
  'sexual/minors',
  'harassment/threatening',
  'hate/threatening',
])
const negatedFactor = 0.3
const negations = ['not', 'no', 'without', 'nobody'].map((plain) => ({ plain, stem: plain }))
/** A second kind of evidence raises a score by this share of what is missing to 1. */
const secondShare = 0.35

export function zeroScores(): Scores {
  // Every category is a key of the result.
  return Object.fromEntries(moderationCategories.map((category) => [category, 0])) as Scores
}

/** Scores a text of some pages, 0 to 1 per category. Work is linear in its length. */
export function scoreText(text: string): Scores {
  const words = maskHarmless(moderatedWords(text))
  const report = reportingFactor(words)
  const found = moderationCategories.map(() => ({ best: 0, second: 0 }))
  for (const [rule, strength] of findRules(words)) {
    for (const [category, score] of compiledRules[rule]?.scores ?? []) {
      const evidence = found[moderationCategories.indexOf(category)]
      if (evidence === undefined) continue
      const value = score * strength * (neverReports.has(category) ? Math.sqrt(report) : report)
      evidence.second = Math.max(evidence.second, Math.min(value, evidence.best))
      evidence.best = Math.max(evidence.best, value)
    }
  }
  const scores = zeroScores()
  for (const [i, category] of moderationCategories.entries()) {
    const { best = 0, second = 0 } = found[i] ?? {}
    scores[category] = Math.round((best + (1 - best) * secondShare * second * second) * 1e6) / 1e6
  }
  return scores
}

/** The rules of which a pattern is found, each with 1, or less where it is only found negated. */
function findRules(words: readonly ModeratedWord[]): ReadonlyMap<number, number> {
  const strengths = new Map<number, number>()
  for (const [at, word] of words.entries())
    for (const { pattern, rule } of rulePatterns(word)) {
      if (strengths.get(rule) === 1) continue
      const end = matchPattern(pattern, words, at)
      if (end >= 0) strengths.set(rule, isNegated(pattern, words, at, end) ? negatedFactor : 1)
    }
  return strengths
}

function isNegated(
  pattern: Pattern,
  words: readonly ModeratedWord[],
  start: number,
  end: number,
): boolean {
  const negates = (word: ModeratedWord): boolean => wordLists.negation(word)
  const fitsNegation = (element: Element): boolean =>
    element.kind === 'word' && negations.some((word) => element.fits(word))
  if (pattern.elements.some(fitsNegation)) return false
  const before = words.slice(Math.max(0, start - 2), start)
  const since = before.findLastIndex(({ plain }) => plain === '.')
  return before.slice(since + 1).some(negates) || words.slice(start, end).some(negates)
}

function maskHarmless(words: readonly ModeratedWord[]): readonly ModeratedWord[] {
  const masked = [...words]
  for (const [at, first] of words.entries())
    for (const { pattern } of harmlessPatterns(first)) {
      const end = matchPattern(pattern, words, at)
      for (let i = at; i < end; i++) {
        const word = masked[i]
        if (word !== undefined && !isGlue(word)) masked[i] = maskedWord
      }
    }
  return masked
}

const maskedWord: ModeratedWord = { plain: '', stem: '' }

/** Short words join what is masked to what is not, and are needed by other rules. */
function isGlue({ plain }: ModeratedWord): boolean {
  return plain === '.' || plain === 'i' || plain === 'you' || plain === 'not'
}

function parseAll(source: string): readonly Pattern[] {
  return source
    .split(';')
    .filter((pattern) => pattern.trim() !== '')
    .map((pattern) => parsePattern(pattern.trim(), wordLists))
}
