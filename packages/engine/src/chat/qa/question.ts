import { contentStems, rootOf } from '../text/words.ts'

export interface Question {
  /** Stems that an answer should contain. */
  readonly terms: ReadonlySet<string>
  /** Whom it is about: the user, the assistant, or neither. */
  readonly person: 'first' | 'second' | 'third'
}

const scaffolding: ReadonlySet<string> = new Set(
  `question answer context based given use using provided briefly short sentence word words one single please describe
  explain tell mention information info detail details thing kind sort type name-of find state quote remember recall
  told mentioned earlier back again currently now today actually really anything something`
    .split(/\s+/)
    .map(rootOf),
)

export function analyseQuestion(text: string): Question {
  const terms = new Set(contentStems(text).filter((stem) => !scaffolding.has(stem)))
  if (/\bwho am i\b|\bwho i am\b|\bcalled\b/i.test(text)) terms.add('name')
  if (/\bhow old\b/i.test(text)) terms.delete('old')
  // "What year …", "which city …" state the kind of answer, not its content.
  const wanted =
    /\b(?:what|which) (year|date|day|time|month|city|country|place|town|person|colou?r)\b/i.exec(
      text,
    )?.[1]
  if (wanted !== undefined && !/\b(?:my|your|favou?rite)\b/i.test(text))
    terms.delete(rootOf(wanted.toLowerCase()))
  return { terms, person: personOf(text) }
}

function personOf(text: string): Question['person'] {
  if (/\b(?:i|my|mine|myself)\b|(?<!\b(?:tell|give|show|help) )\bme\b/i.test(text)) return 'first'
  return /(?<!\b(?:can|could|would|will|do) )\byou\b|\byours?\b/i.test(text) ? 'second' : 'third'
}
