import { datesOf, timesOf } from '../text/dates.ts'
import { type NumberSpan, numbersOf } from '../text/numbers.ts'
import { coloursOf, namesOf } from '../text/spans.ts'
import { trimEndOf } from '../text/trim.ts'
import { contentStems, rootOf, wordsOf } from '../text/words.ts'

export interface Question {
  readonly text: string
  /** Undefined if it is none of the known kinds. */
  readonly kind: QuestionKind | undefined
  /** Stems that an answer should contain. */
  readonly terms: ReadonlySet<string>
  /** Whom it is about: the user, the assistant, or neither. */
  readonly person: 'first' | 'second' | 'third'
}

type Find = (sentence: string, question: Question) => string | undefined

interface QuestionKind {
  readonly asks: RegExp
  /** Finds the part of a sentence that is of this kind. */
  readonly find?: Find
  /** Matches a sentence that answers, if no part of it is the answer by itself. */
  readonly sign?: RegExp
  /** Whether the answer may be what a sentence says about something: "The capital of France is Paris". */
  readonly isOpen?: true
}

const yesNo: QuestionKind = {
  asks: /^\s*(?:so |and |but |then )?(?:is|are|was|were|do|does|did|can|could|will|would|has|have|had|should|am|isn't|aren't|doesn't|didn't)\b/i,
}
const kinds: readonly QuestionKind[] = [
  {
    asks: /\bwhat colou?rs?\b|\bwhich colou?rs?\b|\bcolou?r (?:is|are|was|were)\b/i,
    find: (sentence) => coloursOf(sentence)[0]?.text,
  },
  {
    asks: /\bhow (?:many|much|old|often)\b|\bwhat (?:number|percentage|percent|age)\b|\bhow (?:long|far|tall|high|big|deep|heavy|fast|large|wide|hot|cold|warm)\b|\bwhat (?:is|was) the (?:price|cost)\b/i,
    find: amount,
  },
  {
    asks: /\bwhen\b|\bwhat (?:year|date|day|time|month)\b|\bwhich (?:year|date|day|month)\b|\bin (?:what|which) year\b/i,
    find: moment,
  },
  {
    asks: /\bwhere\b|\b(?:what|which) (?:city|country|place|town|state|location|continent)\b/i,
    find: place,
    isOpen: true,
  },
  {
    asks: /\bwho(?:se|m)?\b|\bwhich (?:person|man|woman|author|company|team)\b/i,
    find: (sentence, question) =>
      namesOf(sentence).find(({ text }) => !isAsked(text, question) && !/\d/.test(text))?.text,
    isOpen: true,
  },
  {
    asks: /\bwhy\b|\bwhat (?:is|was) the reason\b|\bfor what reason\b/i,
    sign: /\b(?:because|since|due to|so that|in order|owing)\b/i,
  },
  { asks: /\bwhat\b|\bwhich\b|\bhow\b/i, isOpen: true },
]

const scaffolding: ReadonlySet<string> = new Set(
  `question answer context based given use using provided briefly short sentence word words one single please describe
  explain tell mention information info detail details thing kind sort type name-of find state quote remember recall
  told mentioned earlier back again currently now today actually really anything something`
    .split(/\s+/)
    .map(rootOf),
)

export function analyseQuestion(text: string): Question {
  const isYesNo = yesNo.asks.test(text) && !/^(?:can|could|would|will|do) you\b/i.test(text.trim())
  const kind = isYesNo ? yesNo : kinds.find(({ asks }) => asks.test(text))
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
  return { text, kind, terms, person: personOf(text) }
}

function personOf(text: string): Question['person'] {
  if (/\b(?:i|my|mine|myself)\b|(?<!\b(?:tell|give|show|help) )\bme\b/i.test(text)) return 'first'
  return /(?<!\b(?:can|could|would|will|do) )\byou\b|\byours?\b/i.test(text) ? 'second' : 'third'
}

/** Whether a sentence contains the kind of thing that was asked for: a name, a date, a number … */
export function fits(sentence: string, question: Question): boolean {
  const { find, sign } = question.kind ?? {}
  if (sign !== undefined) return sign.test(sentence)
  return find === undefined || find(sentence, question) !== undefined
}

/** The part of a sentence that is of the kind asked for; undefined if only the whole sentence answers. */
export function spanOf(sentence: string, question: Question): string | undefined {
  const { find, isOpen } = question.kind ?? { isOpen: true }
  const found = find?.(sentence, question)
  if (found !== undefined || isOpen !== true) return found
  return (
    (find === undefined ? labelled(sentence, question) : undefined) ?? predicate(sentence, question)
  )
}

function isAsked(text: string, question: Question): boolean {
  const stems = contentStems(text)
  return stems.length > 0 && stems.every((stem) => question.terms.has(stem))
}

const placePattern =
  /\b(?:in|at|on|near|to|inside|under|behind)\s+((?:the |a |an |her |his |their |your |my )?[^,.;!?()\d]{2,80}?)(?=[,.;!?()]|$|\s(?:on|in|at|and|since|by|with|for|from|to|until|during|because)\b)/gi

function place(sentence: string, question: Question): string | undefined {
  const found = [...sentence.matchAll(placePattern)]
    .map((match) => match[1]?.trim() ?? '')
    .filter((spot) => !isAsked(spot, question) && datesOf(spot, 0).length === 0)
  return found.find((spot) => /^(?:the )?\p{Lu}/u.test(spot)) ?? found[0]
}

function moment(sentence: string): string | undefined {
  const year = /\b(?:\p{Lu}\p{Ll}+ )?(?:1\d{3}|20\d{2})\b/u.exec(sentence)?.[0]
  const named = [...datesOf(sentence, 0), ...timesOf(sentence)][0]?.text
  return named ?? year?.replace(/^(?:In|Since|By) /, '')
}

function amount(sentence: string, question: Question): string | undefined {
  const asked = new Set(numbersOf(question.text).map((span) => span.value))
  const spans = numbersOf(sentence).filter((span) => !asked.has(span.value))
  const near = spans.find((span) =>
    wordsOf(sentence.slice(span.end, span.end + 60))
      .slice(0, 2)
      .some((word) => question.terms.has(rootOf(word.lower))),
  )
  const chosen = near ?? spans.find((span) => !/^(?:1[5-9]|20)\d\d$/.test(span.digits)) ?? spans[0]
  return chosen === undefined ? undefined : quantityAt(sentence, chosen)
}

/** The number with its currency or its unit. */
function quantityAt(sentence: string, { start, end }: NumberSpan): string {
  const sign = /[$€£]\s?$/.exec(sentence.slice(Math.max(0, start - 2), start))?.[0] ?? ''
  const unit =
    /^(?:\s?(?:%|°[CF]?)| (?:percent|million|billion|years?|months?|weeks?|days?|hours?|minutes?|seconds?|km|kilomet(?:re|er)s?|met(?:re|er)s?|miles?|kg|kilograms?|dollars?|euros?|pounds?|degrees|pixels?)\b)/.exec(
      sentence.slice(end, end + 30),
    )?.[0] ?? ''
  return `${sign}${sentence.slice(start, end)}${unit}`
}

/** "colour: blue". */
function labelled(sentence: string, question: Question): string | undefined {
  const [, label = '', value] = /^([^:]{1,80}):\s+(.{1,500})$/s.exec(sentence) ?? []
  const isOf = contentStems(label).some((stem) => question.terms.has(stem))
  return isOf && value !== undefined ? trimEndOf(value, '.') : undefined
}

/** "The capital of France is Paris", asked from either side. */
function predicate(sentence: string, question: Question): string | undefined {
  const match =
    /^(.{1,200}?)\s(?:is|are|was|were|equals|means)\s(?:(?:called|named|known as)\s)?(.{1,400})$/is.exec(
      sentence,
    )
  const [subject, said] = [match?.[1], trimEndOf(match?.[2] ?? '', '.!')]
  if (subject === undefined || said === '') return undefined
  const covered = (text: string): number =>
    contentStems(text).filter((stem) => question.terms.has(stem)).length
  if (covered(subject) === 0) return covered(said) > 0 ? subject : undefined
  return covered(subject) >= covered(said)
    ? said.split(/;|, (?:and|but|which|who)\b/)[0]
    : undefined
}
