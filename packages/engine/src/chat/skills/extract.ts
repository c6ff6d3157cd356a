import type { Ask, Skill } from '../ask/ask.ts'
import { operandOf } from '../ask/operand.ts'
import { datesOf } from '../text/dates.ts'
import { numbersOf } from '../text/numbers.ts'
import { coloursOf, emailsOf, namesOf, phonesOf, quotedOf, urlsOf } from '../text/spans.ts'
import { wordsOf } from '../text/words.ts'

const textMax = 200_000

interface Finder {
  readonly pattern: RegExp
  readonly find: (text: string, ask: Ask) => readonly string[]
}

const hashtags = (text: string): string[] => text.match(/#[\p{L}\p{N}_]{1,100}/gu) ?? []
const mentions = (text: string): string[] => text.match(/(?<![\w.])@\w{1,60}/g) ?? []

const finders: readonly Finder[] = [
  {
    pattern: /\be-?mails?(?: address(?:es)?)?\b/i,
    find: (text) => emailsOf(text).map((span) => span.text),
  },
  {
    pattern: /\b(?:urls?|links?|web ?(?:sites?|addresses))\b/i,
    find: (text) => urlsOf(text).map((span) => span.text),
  },
  {
    pattern: /\b(?:phone|telephone) ?(?:numbers?)?\b/i,
    find: (text) => phonesOf(text).map((span) => span.text),
  },
  { pattern: /\bhash ?tags?\b/i, find: hashtags },
  { pattern: /\bmentions\b/i, find: mentions },
  { pattern: /\bdates?\b/i, find: (text, ask) => datesOf(text, ask.now).map((span) => span.text) },
  {
    pattern: /\b(?:numbers?|digits?|integers?|figures?)\b/i,
    find: (text) => numbersOf(text).map((span) => text.slice(span.start, span.end)),
  },
  { pattern: /\bcolou?rs?\b/i, find: (text) => coloursOf(text).map((span) => span.text) },
  {
    pattern: /\b(?:quotes|quotations|quoted)\b/i,
    find: (text) => quotedOf(text).map((span) => span.text),
  },
  {
    pattern:
      /\b(?:proper nouns?|names?|entities|people|persons|places|locations|cities|countries)\b/i,
    find: (text) => namesOf(text).map((span) => span.text),
  },
  {
    pattern: /\bcapitali[sz]ed words\b/i,
    find: (text) =>
      wordsOf(text)
        .filter((word) => /^\p{Lu}/u.test(word.text))
        .map((word) => word.text),
  },
]

const command =
  /^(?:please |can you |could you )?(?:extract|find|list|pull out|get|give(?: me)?|identify|return|show(?: me)?|output|what (?:are|is)|what's|which)\b(?: (?:all|every|any|the|only|me|of|out))*/i

/** "Extract all e-mail addresses from …". */
export const extract: Skill = {
  name: 'extract',
  answer(ask) {
    const match = command.exec(ask.instruction)
    if (match === null) return undefined
    const kind = ask.instruction.slice(match[0].length, match[0].length + 60)
    // The kind must be what is extracted, not something further on in the sentence.
    const object = kind.split(/\b(?:from|in|of|mentioned|that|which|below)\b|[:.]/i)[0] ?? kind
    const finder = finders.find(({ pattern }) => pattern.test(object))
    const explicit =
      /extract|pull out|identify|from|mention|list all|find all|contain|appear|\bin (?:this|the following|the text)/i.test(
        ask.instruction,
      )
    const short = object.trim().split(/\s+/).length <= 3
    const text = finder === undefined || !explicit || !short ? undefined : operand(ask)
    if (finder === undefined || text === undefined) return undefined
    const found = [...new Set(finder.find(text.slice(0, textMax), ask))]
    if (found.length === 0)
      return {
        skill: 'extract',
        phrasings: [`There are no ${object.trim()} in the text.`],
        evidence: [],
      }
    return {
      skill: 'extract',
      phrasings: phrasings(found),
      value: found.join(', '),
      evidence: found,
    }
  },
}

function operand(ask: Ask): string | undefined {
  return operandOf(
    ask,
    /\b(?:from|in|within|mentioned in|that appear in)\b(?: the| this| following| text| sentence| string)*:?/i,
  )
}

function phrasings(found: readonly string[]): string[] {
  if (found.length === 1) return [found[0] ?? '']
  return [found.join('\n'), found.join(', '), found.map((item) => `- ${item}`).join('\n')]
}
