import { type Answer, answerOf, type Ask, type Skill } from '../ask/ask.ts'
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

function said(
  { instruction, passage, conversation }: Ask,
  pattern: RegExp,
  role: 'user' | 'assistant',
): Answer | undefined {
  const match = pattern.exec(instruction)
  // "What did I say about …?" asks for a fact, not for the message.
  if (
    match === null ||
    passage !== '' ||
    /\b(?:about|regarding|is my|was my name)\b/i.test(instruction)
  )
    return undefined
  const before = lastUserTurn(conversation)?.index ?? 0
  const texts = conversation.turns
    .filter((turn) => turn.role === role && turn.index < before && turn.text !== '')
    .map((turn) => turn.text)
  const which = /\b(?:first|second)\b/i.exec(match[0])?.[0].toLowerCase()
  const text = texts.at(which === 'first' ? 0 : which === 'second' ? 1 : -1)
  if (text === undefined) return undefined
  const isRepeat = /^(?:please )?(?:repeat|say)\b/i.test(instruction)
  const sentence = `${role === 'user' ? 'You' : 'I'} said: "${text}"`
  return answerOf('recall', isRepeat ? [text] : [sentence, text], text, [text])
}
