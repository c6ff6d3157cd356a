import { contentStems, rootOf } from '../text/words.ts'

export type QuestionKind =
  | 'who'
  | 'where'
  | 'when'
  | 'how-many'
  | 'how-much'
  | 'why'
  | 'colour'
  | 'yes-no'
  | 'what'
  | 'how'
  | 'other'

export interface Question {
  readonly text: string
  readonly kind: QuestionKind
  /** Stems that an answer should hold. */
  readonly terms: ReadonlySet<string>
  /** Whom it is about: the one who asks, the one asked, or neither. */
  readonly person: 'first' | 'second' | 'third'
}

const scaffolding: ReadonlySet<string> = new Set(
  `question answer context based given use using provided briefly short sentence word words one single please describe
  explain tell mention information info detail details thing kind sort type name-of find state quote remember recall
  told mentioned earlier back again currently now today actually really anything something`
    .split(/\s+/)
    .map(rootOf),
)

const yesNo =
  /^\s*(?:so |and |but |then )?(?:is|are|was|were|do|does|did|can|could|will|would|has|have|had|should|am|isn't|aren't|doesn't|didn't)\b/i
const kinds: readonly (readonly [RegExp, QuestionKind])[] = [
  [/\bwhat colou?rs?\b|\bwhich colou?rs?\b|\bcolou?r (?:is|are|was|were)\b/i, 'colour'],
  [
    /\bhow (?:many|old|often)\b|\bwhat (?:number|percentage|percent|age)\b|\bhow (?:long|far|tall|high|big|deep|heavy|fast|large|wide|hot|cold|warm)\b/i,
    'how-many',
  ],
  [/\bhow much\b|\bwhat (?:is|was) the (?:price|cost)\b/i, 'how-much'],
  [
    /\bwhen\b|\bwhat (?:year|date|day|time|month)\b|\bwhich (?:year|date|day|month)\b|\bin (?:what|which) year\b/i,
    'when',
  ],
  [/\bwhere\b|\b(?:what|which) (?:city|country|place|town|state|location|continent)\b/i, 'where'],
  [/\bwho(?:se|m)?\b|\bwhich (?:person|man|woman|author|company|team)\b/i, 'who'],
  [/\bwhy\b|\bwhat (?:is|was) the reason\b|\bfor what reason\b/i, 'why'],
  [/\bwhat\b|\bwhich\b/i, 'what'],
  [/\bhow\b/i, 'how'],
]

export function analyseQuestion(text: string): Question {
  const kind =
    yesNo.test(text) && !/^(?:can|could|would|will|do) you\b/i.test(text.trim())
      ? 'yes-no'
      : (kinds.find(([pattern]) => pattern.test(text))?.[1] ?? 'other')
  const terms = new Set(contentStems(text).filter((stem) => !scaffolding.has(stem)))
  if (/\bwho am i\b|\bwho i am\b|\bcalled\b/i.test(text)) terms.add('name')
  if (/\bhow old\b/i.test(text)) terms.delete('old')
  for (const extra of asked(text)) terms.delete(extra)
  return { text, kind, terms, person: personOf(text) }
}

/** Words that say what kind of answer is wanted, not what the answer holds: "What year …", "which city …". */
function asked(text: string): string[] {
  const match =
    /\b(?:what|which) (year|date|day|time|month|city|country|place|town|person|colou?r)\b/i.exec(
      text,
    )
  const possessive = /\b(?:my|your|favou?rite)\b/i.test(text)
  return match?.[1] === undefined || possessive ? [] : [rootOf(match[1].toLowerCase())]
}

function personOf(text: string): Question['person'] {
  if (/\b(?:i|my|mine|myself)\b|(?<!\b(?:tell|give|show|help) )\bme\b/i.test(text)) return 'first'
  return /(?<!\b(?:can|could|would|will|do) )\byou\b|\byours?\b/i.test(text) ? 'second' : 'third'
}
