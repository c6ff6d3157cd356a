import type { Ask, Skill } from '../ask/ask.ts'
import { operandOf } from '../ask/operand.ts'
import { capitalised, wordsOf } from '../text/words.ts'

interface Change {
  readonly pattern: RegExp
  readonly change: (text: string) => string
}

const changes: readonly Change[] = [
  {
    pattern: /\b(?:upper[- ]?case|all[- ]caps|(?:all )?capital letters|capitals)\b/i,
    change: (text) => text.toUpperCase(),
  },
  { pattern: /\b(?:lower[- ]?case|small letters)\b/i, change: (text) => text.toLowerCase() },
  {
    pattern:
      /\btitle[- ]?case\b|\bcapitali[sz]e (?:each|every|all|the first letter of (?:each|every))\b/i,
    change: titleCase,
  },
  { pattern: /\bsentence[- ]?case\b/i, change: (text) => capitalised(text.toLowerCase()) },
  { pattern: /\bsnake[-_ ]?case\b/i, change: (text) => parts(text).join('_') },
  { pattern: /\bkebab[- ]?case\b/i, change: (text) => parts(text).join('-') },
  { pattern: /\bcamel[- ]?case\b/i, change: camelCase },
  { pattern: /\bpascal[- ]?case\b/i, change: (text) => capitalised(camelCase(text)) },
  {
    pattern: /\bcapitali[sz]e\b/i,
    change: (text) => (/\s/.test(text.trim()) ? titleCase(text) : capitalised(text)),
  },
]

const leadingCommand =
  /^(?:please |can you |could you |now )?(?:convert|change|turn|make|put|write|rewrite|transform|print|give|translate|return|output|set|format|show|say|what(?: is|'s)|upper[- ]?case|lower[- ]?case|title[- ]?case|capitali[sz]e)\b/i
const caseWords =
  /\b(?:in(?:to)?|to|as|all|using)? ?(?:an? )?(?:(?:upper|lower|title|sentence|snake|kebab|camel|pascal)[-_ ]?case|all[- ]caps|(?:all )?(?:capital|small) letters|capitals)(?: letters)?\b/i
const verb =
  /^(?:please |can you |could you |now )?(?:convert|change|turn|make|put|write|rewrite|transform|print|give|translate|return|output|set|format|show|say|what(?: is|'s)|capitali[sz]e)(?: me)?(?: (?:each|every|all|the first letter of (?:each|every)) words?(?: (?:in|of))?)?/i

/** Upper case, lower case, title case and the cases of program names. */
export const changeCase: Skill = {
  name: 'change-case',
  answer(ask) {
    if (!leadingCommand.test(ask.instruction)) return undefined
    const found = changes.find(({ pattern }) => pattern.test(ask.instruction))
    const text = found === undefined ? undefined : caseOperand(ask)
    if (found === undefined || text === undefined) return undefined
    const changed = found.change(text)
    return {
      skill: 'change-case',
      phrasings: [changed],
      value: changed,
      evidence: [text],
      verbatim: true,
    }
  },
}

function caseOperand(ask: Ask): string | undefined {
  const bare = {
    ...ask,
    instruction: ask.instruction.replace(caseWords, ' ').replace(/\s+/g, ' ').trim(),
  }
  return operandOf(bare, verb)
}

function titleCase(text: string): string {
  return text.replace(/[\p{L}\p{N}][\p{L}\p{M}\p{N}'’]*/gu, (word) =>
    capitalised(word.toLowerCase()),
  )
}

function parts(text: string): string[] {
  return wordsOf(text.replace(/(?<=\p{Ll})(?=\p{Lu})/gu, ' ').replaceAll('_', ' ')).map(
    ({ text: word }) => word.toLowerCase(),
  )
}

function camelCase(text: string): string {
  return parts(text)
    .map((word, index) => (index === 0 ? word : capitalised(word)))
    .join('')
}
