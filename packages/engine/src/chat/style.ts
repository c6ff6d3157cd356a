import type { Answer, Ask } from './ask/ask.ts'
import { numbersOf } from './text/numbers.ts'
import { quotedOf } from './text/spans.ts'
import { firstWords } from './text/words.ts'

/** How the answer is to be set, by what the system text or the request itself says. */
export interface Style {
  /** Letters as they are to be, and what is put before and behind. */
  readonly decorate: (text: string) => string
  /** Nothing but the value. */
  readonly bare: boolean
  readonly json: boolean
  readonly wordsMax: number | undefined
}

const said = String.raw`\b(?:answer|respond|reply|speak|write|output|return|responses?|answers?|replies)\b`
const upper = new RegExp(
  `${said}[^.\\n]{0,80}\\b(?:upper ?case|all caps|capital letters|capitals)\\b`,
  'i',
)
const lower = new RegExp(`${said}[^.\\n]{0,80}\\b(?:lower ?case|small letters)\\b`, 'i')
const oneWord = /\b(?:one|single|1)[- ]word\b(?: (?:answers?|only|repl\w+|responses?))?/i
const bare =
  /\b(?:only|just)(?: with| give| return| output| reply| respond| answer)*(?: me)?(?: the)? (?:final |numeric(?:al)? |correct |exact |bare )?(?:number|answer|result|value|name|digits?|date|year|word|label|category|letter|sentiment)\b|\b(?:number|answer|digits?|label|name|result) only\b|\bno (?:explanations?|other (?:text|words)|extra (?:text|words)|commentary|prose)\b|\bnothing (?:else|but)\b|\bwithout (?:any )?(?:explanation|other text|further text|additional text)\b|\bas a (?:single )?number\b|\byes or no\b.{0,20}\bonly\b|\bonly (?:yes or no|with yes or no)\b|\b(?:answer|reply|respond)(?: with)? (?:simply |just )?["']?yes["']? or ["']?no["']?\b|\bbe (?:very |extremely )?(?:terse|brief|concise)\b|\bconcisely\b/i
const json = new RegExp(
  `${said}[^.\\n]{0,60}\\bjson\\b|\\bjson (?:object|format|only|output|response)\\b|\\bas json\\b|\\bin json\\b|\\binto json\\b|\\bto json\\b`,
  'i',
)
const opening =
  /\b(?:start|begin|prefix|preface)\b[^.\n"'“]{0,60}\bwith\b[^.\n"'“]{0,30}(["'“][^"'”\n]{1,200}["'”])/i
const closing =
  /\b(?:end|finish|close|sign off)\b[^.\n"'“]{0,60}\bwith\b[^.\n"'“]{0,30}(["'“][^"'”\n]{1,200}["'”])/i
const wordLimit =
  /\b(?:at most|no more than|under|fewer than|less than|maximum(?: of)?|max|up to|within|in) (\d{1,4}|[a-z]{3,7}) words?\b|\b(\d{1,4}|[a-z]{3,7}) words? (?:or (?:less|fewer)|max(?:imum)?|at most)\b/i

export function styleOf(ask: Ask): Style {
  const text = `${ask.orders}\n${ask.manner}\n${ask.instruction}`
  const limit = wordLimit.exec(text)
  const [before, after] = [opening, closing].map((pattern) => unquoted(pattern.exec(text)?.[1]))
  const isUpper = upper.test(text)
  const isLower = lower.test(text)
  return {
    decorate(plain) {
      const set = isUpper ? plain.toUpperCase() : isLower ? plain.toLowerCase() : plain
      const opened = before && !set.startsWith(before) ? `${before} ${set}` : set
      return after && !opened.endsWith(after) ? `${opened} ${after}` : opened
    },
    bare: oneWord.test(text) || bare.test(text),
    json: json.test(text),
    wordsMax: numbersOf(limit?.[1] ?? limit?.[2] ?? '')[0]?.value,
  }
}

function unquoted(quotation = ''): string {
  return quotedOf(quotation)[0]?.text ?? quotation.slice(1, -1)
}

/** The ways to say an answer, set as the style wants them; never empty. */
export function styled(answer: Answer, { bare, wordsMax = 0, decorate }: Style): readonly string[] {
  if (answer.verbatim === true) return answer.phrasings
  const ways = bare && answer.value !== undefined ? [answer.value] : answer.phrasings
  // A name of two words is a short answer too; half of it would be none, nor is one word of a sentence.
  const isCut = ways === answer.phrasings && wordsMax > 1
  return [...new Set(ways.map((text) => decorate(isCut ? firstWords(text, wordsMax) : text)))]
}
