import type { Answer, Ask, Skill } from '../ask/ask.ts'
import { isCommand } from '../ask/split-request.ts'
import { gatherFacts } from '../qa/facts.ts'
import { sentencesOf } from '../text/sentences.ts'
import { asSentence, capitalised } from '../text/words.ts'

const greeting =
  /^(?:hello|hi|hey|hiya|howdy|greetings|good (?:morning|afternoon|evening|day)|hallo|hola|bonjour|ciao)\b[\s,!.]*(?:there|world|all|everyone|bot|assistant|friend|again)?[\s!.?]*$/i
const thanks = /^(?:ok(?:ay)?[, ]*)?(?:thanks|thank you|thx|cheers|great|perfect)\b.{0,40}$/i
const farewell = /^(?:good ?bye|bye|see you|good night|farewell)\b.{0,30}$/i
const wellBeing =
  /^(?:hi|hello|hey)?[,! ]*how (?:are you|is it going|do you do|are things)\b.{0,20}$/i
const identity =
  /\b(?:who are you|what are you|your name|what model|which model|are you (?:an? )?(?:ai|bot|robot|human|language model|llm|chatgpt|gpt)|what can you do|who made you|who created you|introduce yourself|help me\??$|^help$)\b/i

/** Greetings, thanks, and what it is itself. */
export const smallTalk: Skill = {
  name: 'small-talk',
  async answer(ask) {
    const text = ask.text.trim()
    if (text.length > 300) return undefined
    if (greeting.test(text)) return answered(greetingsBack(text))
    if (thanks.test(text)) return answered(['You are welcome.', 'You are welcome!'])
    if (farewell.test(text)) return answered(['Goodbye.', 'Goodbye!'])
    if (wellBeing.test(text))
      return answered([
        'I am running as I should. What shall I compute?',
        'All is in order. What shall I compute?',
      ])
    if (identity.test(text)) return answered(self)
    return noted(ask)
  },
}

const self = [
  "I am Sluice's built-in engine: classical algorithms without neural weights. I answer from the text I am given, calculate, count, sort, transform text, fill JSON and call tools.",
  'I am the built-in engine of Sluice. I have no neural weights: I answer from the text I am given, calculate, count, sort, transform text, fill JSON and call tools.',
]

function answered(phrasings: readonly string[]): Answer {
  return { skill: 'small-talk', phrasings, evidence: [] }
}

function greetingsBack(text: string): string[] {
  const word = capitalised(/^(?:good \w+|\w+)/i.exec(text)?.[0].toLowerCase() ?? 'hello')
  return [`${word}! What shall I compute?`, `${word}. What can I do for you?`, `${word}!`]
}

/** Something the user told of himself, or asked to be kept in mind. */
async function noted(ask: Ask): Promise<Answer | undefined> {
  const text = ask.text.trim()
  const told =
    /^(?:hi|hello|hey)?[,!. ]*(?:please )?(?:remember|note|keep in mind|memori[sz]e)\b|\b(?:i am|i'm|i’m|my [\p{L} ]{1,40} (?:is|are|was)|i (?:live|work|like|love|have|own|was born|prefer|play|study))\b/iu
  if (!told.test(text) || sentencesOf(text).some((sentence) => sentence.endsWith('?')))
    return undefined
  if (isCommand(text) && !/^(?:please )?(?:remember|note|keep)\b/i.test(text)) return undefined
  const facts = await gatherFacts(ask, [{ origin: 'user', text, current: true }])
  const said = facts.map((fact) => asSentence(fact.told.replace(/^that /i, ''))).join(' ')
  const name = /\b(?:my name is|i am called|call me) ([\p{Lu}][\p{L}'’-]{0,40})/iu.exec(text)?.[1]
  if (said === '') return undefined
  return answered([
    ...(name === undefined ? [] : [`Hello, ${name}. I have noted: ${said}`]),
    `Noted. ${said}`,
    `I have noted this: ${said}`,
  ])
}
