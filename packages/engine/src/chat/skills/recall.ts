import type { Answer, Ask, Skill } from '../ask/ask.ts'
import { lastUserTurn } from '../ask/conversation.ts'

const ofUser =
  /\bwhat (?:did i|have i|was it i|i) (?:just |last |first |previously )?(?:say|said|ask|asked|tell|told|write|wrote|mention|mentioned)\b|\bmy (first|last|previous|earlier|second) (?:message|question|prompt|request)\b|\bwhat i (?:just )?(?:said|asked)\b/i
const ofEngine =
  /\b(?:what did you|you) (?:just |last )?(?:say|said|answer|answered|reply|replied)\b|\byour (first|last|previous) (?:answer|reply|message|response)\b|^(?:please )?(?:repeat|say) (?:that|it|yourself)(?: again)?[.!?]*$/i

/** What was said before in this conversation. */
export const recall: Skill = {
  name: 'recall',
  answer: (ask) => said(ask, ofUser, 'user') ?? said(ask, ofEngine, 'assistant'),
}

function said(ask: Ask, pattern: RegExp, role: 'user' | 'assistant'): Answer | undefined {
  const match = pattern.exec(ask.instruction)
  // "What did I say about …?" asks for a fact, not for the message.
  if (
    match === null ||
    ask.passage !== '' ||
    /\b(?:about|regarding|was my name|is my)\b/i.test(ask.instruction)
  )
    return undefined
  const before = lastUserTurn(ask.conversation)?.index ?? 0
  const texts = ask.conversation.turns
    .filter((turn) => turn.role === role && turn.index < before && turn.text !== '')
    .map((turn) => turn.text)
  const which = match[1]?.toLowerCase() ?? (/\bfirst\b/i.test(match[0]) ? 'first' : 'last')
  const text = which === 'first' ? texts[0] : which === 'second' ? texts[1] : texts.at(-1)
  if (text === undefined) return undefined
  const who = role === 'user' ? 'You' : 'I'
  const sentence = `${who} said: "${text}"`
  const repeat = /^(?:please )?(?:repeat|say)\b/i.test(ask.instruction)
  return {
    skill: 'recall',
    phrasings: repeat ? [text] : [sentence, text],
    value: text,
    evidence: [text],
  }
}
