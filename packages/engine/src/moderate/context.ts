import { type ModeratedWord, stemOf } from './words.ts'

/** Words of those who report, study, heal or tell stories: what such a text describes it seldom urges. */
const reporting = new Set(
  (
    'according report reported reporter journalist newspaper police detective investigate investigation arrest convict ' +
    'sentence court trial prosecutor charged war battle soldier history historian historical century museum ' +
    'documentary study studies researcher research statistics doctor nurse patient surgeon surgery hospital medical ' +
    'medicine clinic therapist treatment anatomy symptom diagnosis novel chapter character plot film movie episode ' +
    'author fiction game player level law bill policy campaign charity survivor memorial condemn denounce encyclopedia ' +
    'textbook scholar analysis article news educational'
  )
    .split(' ')
    .map(stemOf),
)

/** How much is left of a score: 1 in plain speech, down to a half where much speaks for a report. */
export function reportingFactor(words: readonly ModeratedWord[]): number {
  const found = new Set<string>()
  for (const { stem } of words) if (reporting.has(stem)) found.add(stem)
  if (found.size === 0) return 1
  return found.size === 1 ? 0.72 : found.size === 2 ? 0.6 : 0.5
}
