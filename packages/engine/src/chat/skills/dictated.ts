import { type Answer, type Ask, answerOf } from '../ask/ask.ts'
import { sentencesOf } from '../text/sentences.ts'
import { asSentence } from '../text/words.ts'

const politeness = String.raw`^(?:(?:please|kindly|just|now|ok|okay|hey|hi|then|also|can you|could you|would you|i want you to|you must|you should|always|only|simply)[ ,]+){0,5}`
const orders: readonly (readonly ['strict' | 'loose', RegExp])[] = [
  [
    'strict',
    new RegExp(
      `${politeness}(?:(?:reply|respond|answer)(?: (?:to (?:this|me|every(?:thing)?|all|any)(?: messages?| questions?)?|only|exactly|just|simply|back))* (?:with|by saying|using)|repeat(?: (?:after me|back))?)(?= |:|$)`,
      'i',
    ),
  ],
  ['loose', new RegExp(`${politeness}(?:say|echo)(?: back)?(?= |:)`, 'i')],
]

/** Says what the request tells it to say. */
export function dictated(ask: Ask): Answer | undefined {
  return [
    ...sentencesOf(ask.orders).map(standingIn),
    ...[ask.text.trim(), ...sentencesOf(ask.instruction)].map(dictatedIn),
  ].find((answer) => answer !== undefined)
}

const standing =
  /\b(?:reply|respond|answer|say)(?: (?:only|exactly|always|just))*(?: with)?(?: only| exactly| just)?(?: the)?(?: exact| single)?( words?| text| phrase| string| message| sentence)?:? (.{1,2000})$/is

/** A standing order of the system text: "Always reply with the word OK". */
function standingIn(sentence: string): Answer | undefined {
  const isOrder = /\b(?:always|only|must|every time|no matter what)\b/i.test(sentence)
  const [, named, payload] = (isOrder ? standing.exec(sentence) : null) ?? []
  if (payload === undefined) return undefined
  const words = wholeQuotation(payload) ?? (named === undefined ? named : withoutTail(payload))
  return words === undefined ? undefined : verbatim(words)
}

function dictatedIn(sentence: string): Answer | undefined {
  for (const [mode, order] of orders) {
    const match = order.exec(sentence)
    if (match !== null) return fromPayload(sentence.slice(match[0].length), mode)
  }
  return undefined
}

const introducers =
  /^[\s:]*(?:(?:only|just|exactly|simply|the|this|these|following|single|exact|literal|words?|text|phrase|string|message|sentence|letters?|line)\b[\s:]*)+/i
const naming = /\b(?:words?|text|phrase|string|message|sentence|letters?|exactly|following|line)\b/i
/** Describes a response instead of being one. */
const description =
  /^(?:an?|the|your|my|our|its|his|her|their|one|two|three|only|some|any|json|yes or no|true or false|as|in|what|whatever|how|why|whether|if|something|anything|nothing|each|every|all|at|no more|up to|less|more|me|it|that|you|of|to)\b/i

function fromPayload(rest: string, mode: 'strict' | 'loose'): Answer | undefined {
  const introduction = introducers.exec(rest)?.[0] ?? ''
  const isNamed = naming.test(introduction)
  const colon = rest.trimStart().startsWith(':') || introduction.includes(':')
  const isDirect = (mode === 'loose' || colon) && !isNamed
  const payload = (isDirect ? rest.replace(/^[\s:]+/, '') : rest.slice(introduction.length)).trim()
  if (payload === '') return undefined
  const quoted = wholeQuotation(payload)
  if (quoted !== undefined)
    return alone.test(payload.slice(payload.indexOf(quoted) + quoted.length + 1))
      ? verbatim(quoted)
      : undefined
  if (isNamed || colon) return verbatim(withoutTail(payload, !colon))
  const isLong = payload.includes('?') || payload.split(/\s+/).length > 30
  if (isLong || (mode === 'strict' ? description : indefinite).test(payload)) return undefined
  if (mode === 'strict') return verbatim(withoutTail(payload))
  // "Say this is a test": may be written as a sentence.
  const bare = withoutTail(payload, false)
  const sentence = asSentence(bare)
  const ways = new Set([sentence, bare, sentence.replace(/\.$/, '!')])
  return answerOf('dictated', [...ways], bare.replace(/[.!]$/, ''))
}

/** Text after a quotation that adds nothing, or that begins a sentence of its own. */
const alone =
  /^["'”’`\s.!,]*(?:(?:and nothing else|only|please|exactly|back|verbatim|to me|with no other text|without (?:any )?(?:other|additional|extra) (?:text|words))[\s.!,]*)*$|^["'”’`]?[.!]\s/i
const indefinite =
  /^(?:something|anything|what|how|why|whether|if|nothing|an?|some|me|in|your|my)\b/i

function wholeQuotation(payload: string): string | undefined {
  const match =
    /^(?:"([^"]{1,100000})"|“([^”]{1,100000})”|`{1,3}([^`]{1,100000})`{1,3}|['‘]([^\n]{1,4000}?)['’](?=[\s.!,;]|$))/u.exec(
      payload,
    )
  return match?.slice(1).find((group) => group !== undefined)
}

function withoutTail(payload: string, stop = true): string {
  const bare = payload
    .trim()
    .replace(
      /[ ,.;(]{1,3}(?:and (?:absolutely )?nothing else|nothing else|and only that|only|verbatim|please|exactly|with no other (?:text|words)|without (?:any )?(?:other|additional) (?:text|words))[.!)]{0,3}$/i,
      '',
    )
    .trim()
  return stop && /^[^.!?\n]{1,200}\.$/.test(bare) ? bare.slice(0, -1) : bare
}

function verbatim(text: string): Answer {
  return { ...answerOf('dictated', [text], text), verbatim: true }
}
