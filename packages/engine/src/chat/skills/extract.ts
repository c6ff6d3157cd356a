import { type Ask, answerOf, type Skill } from '../ask/ask.ts'
import { operandOf } from '../ask/operand.ts'
import { datesOf } from '../text/dates.ts'
import { numbersOf } from '../text/numbers.ts'
import {
  coloursOf,
  emailsOf,
  namesOf,
  phonesOf,
  quotedOf,
  type Span,
  urlsOf,
} from '../text/spans.ts'

const textMax = 200_000

type Place = Pick<Span, 'start' | 'end'>

const finders: readonly (readonly [RegExp, (text: string, ask: Ask) => readonly Place[]])[] = [
  [/\be-?mails?(?: address(?:es)?)?\b/i, emailsOf],
  [/\b(?:urls?|links?|web ?(?:sites?|addresses))\b/i, urlsOf],
  [/\b(?:phone|telephone) ?(?:numbers?)?\b/i, phonesOf],
  [/\bdates?\b/i, (text, ask) => datesOf(text, ask.now)],
  [/\b(?:numbers?|digits?|integers?|figures?)\b/i, numbersOf],
  [/\bcolou?rs?\b/i, coloursOf],
  [/\b(?:quotes|quotations|quoted)\b/i, quotedOf],
  [/\b(?:proper nouns?|names?|entities|people|persons|places|cities|countries)\b/i, namesOf],
]

const command =
  /^(?:please |can you |could you )?(?:extract|find|list|pull out|get|give(?: me)?|identify|return|show(?: me)?|output|what (?:are|is)|what's|which)\b(?: (?:all|every|any|the|only|me|of|out))*/i
const explicit =
  /extract|pull out|identify|from|mention|list all|find all|contain|appear|\bin (?:this|the following|the text)/i

const source =
  /\b(?:from|in|within|mentioned in|that appear in)\b(?: the| this| following| text| sentence| string)*:?/i

/** "Extract all e-mail addresses from …". */
export const extract: Skill = {
  name: 'extract',
  answer(ask) {
    const match = command.exec(ask.instruction)
    if (match === null || !explicit.test(ask.instruction)) return undefined
    const kind = ask.instruction.slice(match[0].length, match[0].length + 60)
    // The kind must be the object of the command, not a word further on in the sentence.
    const [object = kind] = kind.split(/\b(?:from|in|of|mentioned|that|which|below)\b|[:.]/i)
    const find = finders.find(([pattern]) => pattern.test(object))?.[1]
    const isShort = object.trim().split(/\s+/).length <= 3
    const text = find && isShort ? operandOf(ask, source)?.slice(0, textMax) : undefined
    if (find === undefined || text === undefined) return undefined
    const found = [...new Set(find(text, ask).map(({ start, end }) => text.slice(start, end)))]
    if (found.length === 0)
      return answerOf('extract', [`There are no ${object.trim()} in the text.`])
    const ways = new Set([found.join('\n'), found.join(', ')])
    return answerOf('extract', [...ways], found.join(', '), found)
  },
}
