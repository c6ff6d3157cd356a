import { type Answer, type Ask, answerOf, type Skill } from '../ask/ask.ts'
import { type Fact, gatherFacts } from '../qa/facts.ts'
import { analyseQuestion, type Question } from '../qa/question.ts'
import { type Match, search } from '../qa/search.ts'
import { asSentence } from '../text/words.ts'
import { summarise } from './summarise.ts'

/** Answers questions with sentences of the conversation. */
export const question: Skill = {
  name: 'question',
  answer(ask) {
    if (!asksOfText(ask)) return undefined
    const facts = gatherFacts(ask)
    if (facts.length === 0) return undefined
    const asked = analyseQuestion(ask.instruction)
    if (asked.terms.size === 0) return aboutAll(ask)
    const matches = search(facts, asked)
    return factual(matches, asked, ask) ?? unsaid(ask)
  },
}

function asksOfText({ instruction, passage }: Ask): boolean {
  const asks = /[?？]\s*$|[?？]["')\]]/.test(instruction)
  const words =
    /^(?:please |can you |could you )*(?:what|who|whom|whose|when|where|why|how|which|is|are|was|were|do|does|did|tell me|describe|explain|name|state|find|give me|identify|list|quote|answer)\b/i.test(
      instruction,
    )
  return asks || words || passage !== ''
}

/** "What is this about?" */
function aboutAll(ask: Ask): Answer | undefined {
  const isGiven =
    ask.passage !== '' || ask.sources.some(({ current, text }) => current && text.length > 40)
  return isGiven ? summarise.answer({ ...ask, instruction: 'Summarize the text' }) : undefined
}

const coverageMin = 0.5
const coverageInTextMin = 0.3

function factual(matches: readonly Match[], asked: Question, ask: Ask): Answer | undefined {
  const needed = ask.passage === '' ? coverageMin : coverageInTextMin
  const good = matches.filter((match) => match.coverage >= needed && acceptable(match, asked))
  const fact = good[0]?.fact
  if (fact === undefined) return undefined
  const told = [quoted(fact), introduction(fact, ask)].filter((text) => text !== undefined)
  const evidence = good.slice(0, 3).map((match) => match.fact.text)
  return answerOf('question', told.map(asSentence), undefined, evidence)
}

const personal = /\b(?:i|me|my|mine|myself|we|us|our|ours|you|yours?|yourself)\b/i

/** Who "I" and "you" are depends on the speaker, so such a sentence is quoted with its speaker. */
function quoted({ text, origin }: Fact): string {
  if (!personal.test(text) || (origin !== 'user' && origin !== 'system')) return text
  return `${origin === 'user' ? 'You said' : 'I was told'}: "${text}"`
}

/** A user's facts about himself answer only questions about him, and "you" in a system text only questions about the engine. */
function acceptable({ fact: { origin, text }, coverage }: Match, { person }: Question): boolean {
  if (person === 'first' && origin === 'user')
    return /\b(?:i|i['’]m|i['’]ve|my|me|mine|we|our)\b/i.test(text) || coverage >= 0.6
  const isOfEngine = /^you\b|\byou (?:are|must|should|will)\b/i.test(text)
  return person !== 'third' || origin !== 'system' || !isOfEngine || coverage >= 0.8
}

function introduction({ origin, current, text }: Fact, ask: Ask): string | undefined {
  if (origin === 'user' && !current) return `You said: "${text}"`
  if (origin === 'tool' || ask.passage === '') return undefined
  return `According to the text: ${asSentence(text)}`
}

/** The answer if the caller gave a text that does not contain what was asked. */
function unsaid(ask: Ask): Answer | undefined {
  const given =
    ask.passage !== '' || ask.sources.some((source) => source.origin === 'media' && source.current)
  if (!given || !/[?？]|\b(?:wh\w+|how)\b/i.test(ask.instruction)) return undefined
  return answerOf('question', ['The text does not say this.'])
}
