import { stem, wordsOf } from './words.ts'

const good = `good great excellent amazing awesome wonderful fantastic love loved loves lovely like liked enjoy enjoyed happy
pleased delighted perfect best better beautiful brilliant superb outstanding nice glad thank thanks recommend recommended
impressive impressed satisfied fast friendly helpful easy comfortable delicious fun fresh clean reliable smooth win won
terrific incredible marvelous pleasant positive exceptional favorite favourite joy joyful excited exciting thrilled
charming stunning worth flawless gorgeous magnificent splendid fabulous cheerful grateful remarkable enjoyable`
const bad = `bad terrible awful horrible worst worse hate hated hates dislike disliked disappointing disappointed poor sad
angry upset annoying annoyed useless broken broke slow rude ugly dirty boring bored waste wasted fail failed fails failure
problem problems wrong unhappy unfortunately defective refund cold painful pain difficult hard cheap noisy dreadful
disgusting pathetic mediocre frustrating frustrated regret negative unreliable expensive crash crashed crashes bug bugs
lousy miserable unpleasant nasty atrocious damaged missing late tasteless stale overpriced worthless scam`
const negations: ReadonlySet<string> = new Set(
  "not no never don't didn't doesn't isn't wasn't aren't can't won't hardly without nothing neither wouldn't couldn't".split(
    ' ',
  ),
)
const boosters: ReadonlySet<string> = new Set(
  'very really so extremely absolutely totally incredibly highly too'.split(' '),
)

const weights = new Map<string, number>()
for (const word of good.split(/\s+/)) weights.set(stem(word), 1)
for (const word of bad.split(/\s+/)) weights.set(stem(word), -1)

/** How favourable a text sounds: the sum over its words, turned round by a negation up to three words before. */
export function sentimentOf(text: string): {
  readonly score: number
  readonly words: readonly string[]
} {
  const words = wordsOf(text)
  let score = 0
  const found: string[] = []
  for (const [index, { lower }] of words.entries()) {
    const weight = weights.get(stem(lower))
    if (weight === undefined) continue
    const before = words
      .slice(Math.max(0, index - 3), index)
      .map((word) => word.lower.replace('’', "'"))
    const negated = before.some((word) => negations.has(word))
    const boosted = before.at(-1) !== undefined && boosters.has(before.at(-1) ?? '')
    score += weight * (negated ? -1 : 1) * (boosted ? 1.5 : 1)
    found.push(negated ? `not ${lower}` : lower)
  }
  return { score, words: found }
}
