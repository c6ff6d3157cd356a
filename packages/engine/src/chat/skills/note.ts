import { answerOf, type Skill } from '../ask/ask.ts'
import { isCommand } from '../ask/split-request.ts'
import { gatherFacts } from '../qa/facts.ts'
import { sentencesOf } from '../text/sentences.ts'
import { asSentence } from '../text/words.ts'

const told =
  /^(?:hi|hello|hey)?[,!. ]*(?:please )?(?:remember|note|keep in mind|memori[sz]e)\b|\b(?:i am|i'm|i’m|my [\p{L} ]{1,40} (?:is|are|was)|i (?:live|work|like|love|have|own|was born|prefer|play|study))\b/iu

/** Says back what the user told of himself or asked to be kept in mind. */
export const note: Skill = {
  name: 'note',
  answer(ask) {
    const text = ask.text.trim()
    if (text.length > 300 || !told.test(text)) return undefined
    if (sentencesOf(text).some((sentence) => sentence.endsWith('?'))) return undefined
    if (isCommand(text) && !/^(?:please )?(?:remember|note|keep)\b/i.test(text)) return undefined
    const facts = gatherFacts(ask, [{ origin: 'user', text, current: true }])
    const said = facts.map((fact) => asSentence(fact.told.replace(/^that /i, ''))).join(' ')
    if (said === '') return undefined
    return answerOf('note', [`Noted. ${said}`, `I have noted this: ${said}`])
  },
}
