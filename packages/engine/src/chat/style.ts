import type { Answer, Ask } from './ask/ask.ts'

/** The form of the answer that the system text or the request asks for. */
export interface Style {
  /** Changes the case of letters. */
  readonly decorate: (text: string) => string
  /** Only the value. */
  readonly bare: boolean
  readonly json: boolean
}

const said = String.raw`\b(?:answer|respond|reply|speak|write|output|return|responses?|answers?|replies)\b`
const upper = new RegExp(
  `${said}[^.\\n]{0,80}\\b(?:upper ?case|all caps|capital letters|capitals)\\b`,
  'i',
)
const oneWord = /\b(?:one|single|1)[- ]word\b(?: (?:answers?|only|repl\w+|responses?))?/i
const bare =
  /\b(?:only|just)(?: with| give| return| output| reply| respond| answer)*(?: me)?(?: the)? (?:final |numeric(?:al)? |correct |exact |bare )?(?:number|answer|result|value|name|digits?|date|year|word|label|category|letter|sentiment)\b|\b(?:number|answer|digits?|label|name|result) only\b|\bno (?:explanations?|other (?:text|words)|extra (?:text|words)|commentary|prose)\b|\bnothing (?:else|but)\b|\bwithout (?:any )?(?:explanation|other text|further text|additional text)\b|\bas a (?:single )?number\b|\byes or no\b.{0,20}\bonly\b|\bonly (?:yes or no|with yes or no)\b|\b(?:answer|reply|respond)(?: with)? (?:simply |just )?["']?yes["']? or ["']?no["']?\b|\bbe (?:very |extremely )?(?:terse|brief|concise)\b|\bconcisely\b/i
const json = new RegExp(
  `${said}[^.\\n]{0,60}\\bjson\\b|\\bjson (?:object|format|only|output|response)\\b|\\bas json\\b|\\bin json\\b|\\binto json\\b|\\bto json\\b`,
  'i',
)
export function styleOf(ask: Ask): Style {
  const text = `${ask.orders}\n${ask.manner}\n${ask.instruction}`
  const isUpper = upper.test(text)
  return {
    decorate: (plain) => (isUpper ? plain.toUpperCase() : plain),
    bare: oneWord.test(text) || bare.test(text),
    json: json.test(text),
  }
}

/** The wordings of an answer in the requested style; never empty. */
export function styled(answer: Answer, { bare, decorate }: Style): readonly string[] {
  if (answer.verbatim === true) return answer.phrasings
  const ways = bare && answer.value !== undefined ? [answer.value] : answer.phrasings
  return [...new Set(ways.map(decorate))]
}
