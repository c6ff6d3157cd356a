import type { Answer, Ask, Skill } from '../ask/ask.ts'
import { numbersOf } from '../text/numbers.ts'
import { sentencesOf } from '../text/sentences.ts'
import { asSentence, capitalised } from '../text/words.ts'

const politeness = String.raw`^(?:(?:please|kindly|just|now|ok|okay|hey|hi|then|also|can you|could you|would you|i want you to|you must|you should|always|only|simply)[ ,]+){0,5}`
const orders: readonly (readonly ['strict' | 'loose' | 'named', RegExp])[] = [
  [
    'strict',
    new RegExp(
      `${politeness}(?:(?:reply|respond|answer)(?: (?:to (?:this|me|every(?:thing)?|all|any)(?: messages?| questions?)?|only|exactly|just|simply|back))* (?:with|by saying|using)|repeat(?: (?:after me|back))?)(?= |:|$)`,
      'i',
    ),
  ],
  ['loose', new RegExp(`${politeness}(?:say|echo)(?: back)?(?= |:)`, 'i')],
  ['named', new RegExp(`${politeness}(?:print|output|write|type|return|send back)(?= |:)`, 'i')],
]

/** Says what it is told to say. */
export const dictated: Skill = {
  name: 'dictated',
  answer: (ask) =>
    fromSystem(ask) ??
    [ask.text.trim(), ...sentencesOf(ask.instruction)]
      .map(dictatedIn)
      .find((answer) => answer !== undefined),
}

const standing =
  /\b(?:reply|respond|answer|say)(?: (?:only|exactly|always|just))*(?: with)?(?: only| exactly| just)?(?: the)?(?: exact| single)?( words?| text| phrase| string| message| sentence)?:? (.{1,2000})$/is

/** A standing order of the system text: "Always reply with the word OK". */
function fromSystem(ask: Ask): Answer | undefined {
  for (const sentence of sentencesOf(ask.orders)) {
    const isOrder = /\b(?:always|only|must|every time|no matter what)\b/i.test(sentence)
    const [, named, payload] = (isOrder ? standing.exec(sentence) : null) ?? []
    const quoted = payload === undefined ? undefined : wholeQuotation(payload)
    if (quoted !== undefined) return verbatim(quoted)
    if (named !== undefined && payload !== undefined) return verbatim(withoutTail(payload))
  }
  return undefined
}

function dictatedIn(sentence: string): Answer | undefined {
  for (const [mode, order] of orders) {
    const match = order.exec(sentence)
    if (match !== null)
      return greeted(sentence) ?? fromPayload(sentence.slice(match[0].length), mode)
  }
  return undefined
}

function greeted(sentence: string): Answer | undefined {
  const match =
    /\bsay (hello|hi|hey|goodbye|bye|thanks|thank you|good morning|welcome) to ([^.!?\n]{1,80})[.!?]?$/i.exec(
      sentence,
    )
  if (match?.[1] === undefined || match[2] === undefined) return undefined
  const [greeting, name] = [capitalised(match[1]), match[2].replace(/^(?:my|our) /i, 'your ')]
  const phrasings = [`${greeting}, ${name}!`, `${greeting} ${name}!`]
  return { skill: 'dictated', phrasings, evidence: [] }
}

const introducers =
  /^[\s:]*(?:(?:only|just|exactly|simply|the|this|these|following|single|exact|literal|words?|text|phrase|string|message|sentence|letters?|line)\b[\s:]*)+/i
const naming = /\b(?:words?|text|phrase|string|message|sentence|letters?|exactly|following|line)\b/i
/** What describes an answer rather than being one. */
const description =
  /^(?:an?|the|your|my|our|its|his|her|their|one|two|three|only|some|any|json|yes or no|true or false|as|in|what|whatever|how|why|whether|if|something|anything|nothing|each|every|all|at|no more|up to|less|more|me|it|that|you|of|to)\b/i

function fromPayload(rest: string, mode: 'strict' | 'loose' | 'named'): Answer | undefined {
  const introduction = introducers.exec(rest)?.[0] ?? ''
  const isNamed = naming.test(introduction)
  const colon = rest.trimStart().startsWith(':') || introduction.includes(':')
  const isDirect = (mode === 'loose' || colon) && !isNamed
  const payload = (isDirect ? rest.replace(/^[\s:]+/, '') : rest.slice(introduction.length)).trim()
  if (payload === '') return undefined
  const quoted = wholeQuotation(payload)
  const times = repeatedTimes(payload)
  if (times !== undefined) return verbatim(times)
  if (quoted !== undefined) return isAlone(quoted, payload) ? verbatim(quoted) : undefined
  if (isNamed || colon) return verbatim(colon ? withoutTail(payload, false) : withoutTail(payload))
  if (mode === 'named' || payload.includes('?') || payload.split(/\s+/).length > 30)
    return undefined
  if (mode === 'strict')
    return description.test(payload) ? undefined : verbatim(withoutTail(payload))
  return spoken(payload)
}

/** Nothing is said of the quotation but that it is all, or a sentence of its own says something else. */
function isAlone(quoted: string, payload: string): boolean {
  const rest = payload.slice(payload.indexOf(quoted) + quoted.length + 1)
  return /^["'”’`\s.!,]*(?:(?:and nothing else|only|please|exactly|back|verbatim|to me|with no other text|without (?:any )?(?:other|additional|extra) (?:text|words))[\s.!,]*)*$|^["'”’`]?[.!]\s/i.test(
    rest,
  )
}

/** "Say this is a test": free to be set as a sentence. */
function spoken(payload: string): Answer | undefined {
  if (
    /^(?:something|anything|what|how|why|whether|if|nothing|an?|some|me|in|your|my)\b/i.test(
      payload,
    )
  )
    return undefined
  const bare = withoutTail(payload, false)
  const sentence = asSentence(bare)
  const phrasings = [...new Set([sentence, bare, sentence.replace(/\.$/, '!')])]
  return { skill: 'dictated', phrasings, evidence: [], value: bare.replace(/[.!]$/, '') }
}

const repetitionsMax = 1000

/** "hello three times". */
function repeatedTimes(text: string): string | undefined {
  const match = /^(.{1,500}?)[ ,]+([\w-]{1,20}) times\.?$/is.exec(text)
  const unit = match?.[1]
  const count = numbersOf(match?.[2] ?? '')[0]?.value
  if (unit === undefined || count === undefined || !Number.isInteger(count)) return undefined
  const word = wholeQuotation(unit) ?? unit
  return Array.from({ length: Math.min(count, repetitionsMax) }, () => word).join(' ')
}

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
  return { skill: 'dictated', phrasings: [text], value: text, evidence: [], verbatim: true }
}
