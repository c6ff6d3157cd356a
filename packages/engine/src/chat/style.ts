import type { Answer, Ask } from './ask/ask.ts'
import { numbersOf } from './text/numbers.ts'
import { quotedOf } from './text/spans.ts'
import { wordsOf } from './text/words.ts'

/** How the answer is to be set, by what the system text or the request itself says. */
export interface Style {
  readonly letters: 'upper' | 'lower' | undefined
  /** Nothing but the value. */
  readonly bare: boolean
  readonly json: boolean
  readonly before: string
  readonly after: string
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
  return {
    letters: upper.test(text) ? 'upper' : lower.test(text) ? 'lower' : undefined,
    bare: oneWord.test(text) || bare.test(text),
    json: json.test(text),
    before: unquoted(opening.exec(text)?.[1]),
    after: unquoted(closing.exec(text)?.[1]),
    wordsMax: limit === null ? undefined : numbersOf(limit[1] ?? limit[2] ?? '')[0]?.value,
  }
}

function unquoted(quotation: string | undefined): string {
  return quotation === undefined ? '' : (quotedOf(quotation)[0]?.text ?? quotation.slice(1, -1))
}

/** The ways to say an answer, set as the style wants them; never empty. */
export function styled(answer: Answer, style: Style): readonly string[] {
  if (answer.verbatim === true) return answer.phrasings
  const chosen = style.bare && answer.value !== undefined ? [answer.value] : answer.phrasings
  // A name of two words is a short answer too; half of it would be none.
  const setting = chosen === answer.phrasings ? style : { ...style, wordsMax: undefined }
  return [...new Set(chosen.map((text) => decorated(text, setting)))]
}

function decorated(text: string, style: Style): string {
  const limited = style.wordsMax === undefined ? text : firstWords(text, style.wordsMax)
  const lettered =
    style.letters === 'upper'
      ? limited.toUpperCase()
      : style.letters === 'lower'
        ? limited.toLowerCase()
        : limited
  const opened =
    style.before === '' || lettered.startsWith(style.before)
      ? lettered
      : `${style.before} ${lettered}`
  return style.after === '' || opened.endsWith(style.after) ? opened : `${opened} ${style.after}`
}

function firstWords(text: string, max: number): string {
  const words = wordsOf(text)
  const last = words[Math.max(1, max) - 1]
  return words.length <= max || last === undefined ? text : text.slice(0, last.end)
}
