import type { Answer, Ask, Skill } from '../ask/ask.ts'
import { numbersOf } from '../text/numbers.ts'
import { sentencesOf } from '../text/sentences.ts'
import { asSentence, capitalised } from '../text/words.ts'

const politeness = String.raw`^(?:(?:please|kindly|just|now|ok|okay|hey|hi|then|also|can you|could you|would you|will you|i want you to|you must|you should|always|only|simply)[ ,]+){0,5}`
const reply = new RegExp(
  `${politeness}(?:reply|respond|answer)(?: (?:to (?:this|me|every(?:thing)?|all|any)(?: messages?| questions?)?|only|exactly|just|simply|back))* (?:with|by saying|using)(?= |:)`,
  'i',
)
const say = new RegExp(`${politeness}(?:say|echo)(?: back)?(?= |:)`, 'i')
const repeat = new RegExp(`${politeness}repeat(?: (?:after me|back))?(?= |:)`, 'i')
const write = new RegExp(`${politeness}(?:print|output|write|type|return|send back)(?= |:)`, 'i')

/** Says what it is told to say. */
export const dictated: Skill = {
  name: 'dictated',
  answer: (ask) => fromSystem(ask) ?? fromRequest(ask),
}

function fromRequest(ask: Ask): Answer | undefined {
  const whole = ask.text.trim()
  for (const sentence of [whole, ...sentencesOf(ask.instruction)]) {
    const answer = dictatedIn(sentence)
    if (answer !== undefined) return answer
  }
  return undefined
}

/** A standing order of the system text: "Always reply with the word OK". */
function fromSystem(ask: Ask): Answer | undefined {
  for (const sentence of sentencesOf(ask.instructions.slice(0, 20_000))) {
    const order = /\b(?:always|only|must|every time|no matter what)\b/i.test(sentence)
    if (!order) continue
    const match =
      /\b(?:reply|respond|answer|say)(?: (?:only|exactly|always|just))*(?: with)?(?: only| exactly| just)?(?: the)?(?: exact| single)?( words?| text| phrase| string| message| sentence)?:? (.{1,2000})$/is.exec(
        sentence,
      )
    const payload = match?.[2]
    if (payload === undefined) continue
    const quoted = wholeQuotation(payload)
    if (quoted !== undefined) return verbatim(quoted)
    if (match?.[1] !== undefined) return verbatim(withoutTail(payload))
  }
  return undefined
}

function dictatedIn(sentence: string): Answer | undefined {
  const replyMatch = reply.exec(sentence)
  if (replyMatch !== null) return fromPayload(sentence.slice(replyMatch[0].length), 'strict')
  const repeatMatch = repeat.exec(sentence)
  if (repeatMatch !== null) return repeated(sentence.slice(repeatMatch[0].length))
  const sayMatch = say.exec(sentence)
  if (sayMatch !== null)
    return greeted(sentence) ?? fromPayload(sentence.slice(sayMatch[0].length), 'loose')
  const writeMatch = write.exec(sentence)
  if (writeMatch !== null) return fromPayload(sentence.slice(writeMatch[0].length), 'named')
  return undefined
}

function greeted(sentence: string): Answer | undefined {
  const match =
    /\bsay (hello|hi|hey|goodbye|bye|thanks|thank you|good morning|good evening|welcome) to ([^.!?\n]{1,80})[.!?]?$/i.exec(
      sentence,
    )
  if (match?.[1] === undefined || match[2] === undefined) return undefined
  const name = match[2].replace(/^(?:my|our) /i, 'your ')
  const text = `${capitalised(match[1])}, ${name}!`
  return { skill: 'dictated', phrasings: [text, `${capitalised(match[1])} ${name}!`], evidence: [] }
}

const introducers =
  /^[\s:]*(?:(?:only|just|exactly|simply|an?(?= (?:single|one) )|the|this|these|following|single|exact|one|literal|words?|text|phrase|string|message|sentence|letters?|quote|line)\b[\s:]*)+/i
const naming =
  /\b(?:words?|text|phrase|string|message|sentence|letters?|exactly|following|literal|line)\b/i
const notDictated =
  /^(?:a|an|the|your|my|our|its|his|her|their|one|two|three|only|some|any|json|yes or no|true or false|as|in|what|whatever|how|why|whether|if|something|anything|nothing|each|every|all|at|no more|up to|less|more|me|it|that you|of|to)\b/i

function fromPayload(rest: string, mode: 'strict' | 'loose' | 'named'): Answer | undefined {
  const introduction = introducers.exec(rest)?.[0] ?? ''
  const named = naming.test(introduction)
  const colon = rest.trimStart().startsWith(':') || introduction.includes(':')
  const direct =
    (mode === 'loose' || colon) && !named
      ? rest.replace(/^[\s:]+/, '')
      : rest.slice(introduction.length)
  const payload = direct.trim()
  if (payload === '') return undefined
  const quoted = wholeQuotation(payload)
  if (quoted !== undefined) return fromQuotation(quoted, payload)
  if (mode !== 'loose' && /\bone\b/i.test(introduction) && !colon) return undefined
  if (named || colon) return verbatim(colon ? withoutTail(payload, false) : withoutTail(payload))
  if (mode === 'named' || payload.includes('?') || payload.split(/\s+/).length > 30)
    return undefined
  if (mode === 'loose') return spoken(payload)
  return notDictated.test(payload) ? undefined : verbatim(withoutTail(payload))
}

/** Nothing but the quotation, or the quotation so many times; what else is said of it is another matter. */
function fromQuotation(quoted: string, payload: string): Answer | undefined {
  const rest = payload.slice(payload.indexOf(quoted) + quoted.length + 1)
  if (
    /^["'”’`\s.!,]*(?:(?:and nothing else|only|please|exactly|back|verbatim|to me|with no other text|without (?:any )?(?:other|additional|extra) (?:text|words))[\s.!,]*)*$/i.test(
      rest,
    )
  )
    return verbatim(quoted)
  const times = repeatedTimes(payload)
  if (times !== undefined) return verbatim(times)
  // A sentence of its own behind the quotation says something else again.
  return /^["'”’`]?[.!]\s/.test(rest) ? verbatim(quoted) : undefined
}

/** "Say this is a test": free to be set as a sentence. */
function spoken(payload: string): Answer | undefined {
  if (
    /^(?:something|anything|what|how|why|whether|if|nothing|a|an|some|me|in|your|my|whatever|goodbye in|hello in|hi in)\b/i.test(
      payload,
    )
  )
    return undefined
  const bare = withoutTail(payload, false)
  const repetition = repeatedTimes(bare)
  if (repetition !== undefined) return verbatim(repetition)
  const sentence = asSentence(bare)
  const phrasings = [...new Set([sentence, bare, sentence.replace(/\.$/, '!')])]
  return { skill: 'dictated', phrasings, evidence: [], value: bare.replace(/[.!]$/, '') }
}

function repeated(rest: string): Answer | undefined {
  const times = repeatedTimes(rest.replace(introducers, '').trim())
  if (times !== undefined) return verbatim(times)
  const answer = fromPayload(rest, 'strict')
  return answer === undefined || /^(?:that|it|yourself|your|the last)\b/i.test(rest.trim())
    ? undefined
    : answer
}

const repetitionsMax = 1000

/** "hello three times". */
function repeatedTimes(text: string): string | undefined {
  const match = /^(.{1,500}?)[ ,]+([\w-]{1,20}) times\.?$/is.exec(text)
  const unit = match?.[1]
  if (unit === undefined) return undefined
  const count = numbersOf(match?.[2] ?? '')[0]?.value
  if (count === undefined || count < 1 || !Number.isInteger(count)) return undefined
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
