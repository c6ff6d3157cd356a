import { readFileSync } from 'node:fs'
import { type ModerationCategory, moderationCategories } from '@sluice/contract'
import { stemOf } from '../embed/words.ts'
import { type ModeratedWord, moderatedWords, wordOf } from './words.ts'

export type Scores = Record<ModerationCategory, number>

/**
 * Each rule is a line with categories and scores, followed by patterns (see patterns.ts), separated by lines and `;`. If a
 * pattern itself contains `not`, that negation does not weaken the rule.
 */
const rules = readFileSync(new URL('./moderation-rules.txt', import.meta.url), 'utf8')
/** Patterns of harmless phrases: the words they match are ignored by all rules. */
const harmless = readFileSync(new URL('./harmless-phrases.txt', import.meta.url), 'utf8')

const compiledRules = `\n${rules}`
  .split('\n# ')
  .slice(1)
  .map((rule) => {
    const [head = '', ...patterns] = rule.split('\n')
    const scores = new Map(
      head.split(', ').map((part): [string, number] => {
        const [category = '', score] = part.split(' ')
        return [category, Number(score)]
      }),
    )
    return { scores, patterns: parsePatterns(patterns.join('\n')) }
  })
const rulePatterns = indexPatterns(
  compiledRules.flatMap(({ patterns, scores }) => patterns.map((one) => [one, scores] as const)),
)
const harmlessPatterns = indexPatterns(parsePatterns(harmless).map((one) => [one, undefined]))

/** Categories about one's own intent or with words aimed at somebody. Words of a report weaken them less. */
const neverReports: ReadonlySet<ModerationCategory> = new Set([
  'self-harm/intent',
  'sexual/minors',
  'harassment/threatening',
  'hate/threatening',
])
/**
 * The share of a score that remains, by how many different words show that the text is a report: a report seldom incites what
 * it describes.
 */
const reportFactors = [1, 0.72, 0.6, 0.5]
const negatedFactor = 0.3
/** A second kind of evidence raises a score by this share of the difference to 1. */
const secondShare = 0.35

export function perCategory<Value>(
  valueOf: (category: ModerationCategory) => Value,
): Record<ModerationCategory, Value> {
  // Every category is a key of the result.
  return Object.fromEntries(
    moderationCategories.map((category) => [category, valueOf(category)]),
  ) as Record<ModerationCategory, Value>
}

/** Scores a text of a few pages, 0 to 1 per category. Takes time in proportion to its length. */
export function scoreText(text: string): Scores {
  const words = maskHarmless(moderatedWords(text))
  const reporting = new Set(words.filter(({ keys }) => keys.has('@reporting')))
  const report = reportFactors[Math.min(3, reporting.size)] ?? 1
  const found = [...findRules(words)]
  return perCategory((category) => {
    const factor = neverReports.has(category) ? Math.sqrt(report) : report
    const [best = 0, second = 0] = found
      .map(([scores, strength]) => (scores.get(category) ?? 0) * strength * factor)
      .toSorted((a, b) => b - a)
    return Math.round((best + (1 - best) * secondShare * second * second) * 1e6) / 1e6
  })
}

/** The scores of the rules with a matching pattern, each with strength 1, or less if all its matches are negated. */
function findRules(words: readonly ModeratedWord[]) {
  const strengths = new Map<ReadonlyMap<string, number>, number>()
  for (const [at, word] of words.entries())
    for (const [pattern, scores] of rulePatterns(word)) {
      if (strengths.get(scores) === 1) continue
      const end = matchPattern(pattern, words, at)
      if (end >= 0) strengths.set(scores, isNegated(pattern, words, at, end) ? negatedFactor : 1)
    }
  return strengths
}

function isNegated(
  pattern: Pattern,
  words: readonly ModeratedWord[],
  start: number,
  end: number,
): boolean {
  if (pattern.flat().some((choice) => wordOf(choice).keys.has('@negation'))) return false
  const before = words.slice(Math.max(0, start - 2), start)
  const since = before.findLastIndex(({ plain }) => plain === '.')
  return [...before.slice(since + 1), ...words.slice(start, end)].some(({ keys }) =>
    keys.has('@negation'),
  )
}

function maskHarmless(words: readonly ModeratedWord[]): readonly ModeratedWord[] {
  const masked = [...words]
  for (const [at, first] of words.entries())
    for (const [pattern] of harmlessPatterns(first)) {
      const end = matchPattern(pattern, words, at)
      for (let i = at; i < end; i++) {
        const word = masked[i]
        if (word !== undefined && !isGlue(word)) masked[i] = maskedWord
      }
    }
  return masked
}

const maskedWord: ModeratedWord = { plain: '', keys: new Set() }

/** Short words connect masked words to others, and other rules need them. */
function isGlue({ plain }: ModeratedWord): boolean {
  return plain === '.' || plain === 'i' || plain === 'you' || plain === 'not'
}

/**
 * A sequence of words, written as text: `a|b` is either word in any of its forms, `@tag` a word of a word list, `~3` up to
 * three other words of the same sentence, `=word` this exact form, `<` the beginning of a sentence.
 */
type Pattern = readonly (readonly string[])[]

/** Reads patterns separated by lines and `;`. */
function parsePatterns(source: string): readonly Pattern[] {
  return source
    .split(/[;\n]/)
    .filter((pattern) => pattern.trim() !== '')
    .map((pattern) => pattern.trim().split(' ').map(choicesOf))
}

function choicesOf(element: string): readonly string[] {
  return element.split('|').map((choice) => (/^[@=~<]/.test(choice) ? choice : stemOf(choice)))
}

/** Returns a function that finds the patterns that may begin with a word, each with its value. */
function indexPatterns<Value>(all: readonly (readonly [Pattern, Value])[]) {
  const byKey = new Map<string, (readonly [Pattern, Value])[]>()
  for (const entry of all)
    for (const key of entry[0].find(([choice = '']) => !/^[~<]/.test(choice)) ?? [])
      byKey.set(key, [...(byKey.get(key) ?? []), entry])
  return ({ keys }: ModeratedWord) => [...keys].flatMap((key) => byKey.get(key) ?? [])
}

/** The end (exclusive) of the pattern's match that begins at `at`, or -1. The pattern's gaps limit the work. */
function matchPattern(
  pattern: Pattern,
  words: readonly ModeratedWord[],
  at: number,
  index = 0,
): number {
  const choices = pattern[index]
  if (choices === undefined) return at
  const [first = ''] = choices
  const { keys } = words[at] ?? {}
  if (first === '<')
    return at === 0 || words[at - 1]?.plain === '.'
      ? matchPattern(pattern, words, at, index + 1)
      : -1
  if (!first.startsWith('~'))
    return choices.some((key) => keys?.has(key))
      ? matchPattern(pattern, words, at + 1, index + 1)
      : -1
  const last = at + Number(first.slice(1))
  for (let next = at; next <= last; next++) {
    const end = matchPattern(pattern, words, next, index + 1)
    const word = words[next]
    if (end >= 0 || word === undefined || word.plain === '.') return end
  }
  return -1
}
