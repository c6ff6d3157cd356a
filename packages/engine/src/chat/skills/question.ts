import type { Answer, Ask, Skill } from '../ask/ask.ts'
import { type Fact, gatherFacts } from '../qa/facts.ts'
import { analyseQuestion, type Question } from '../qa/question.ts'
import { type Match, search } from '../qa/search.ts'
import { spanOf } from '../qa/span.ts'
import { asSentence } from '../text/words.ts'
import { summarise } from './summarise.ts'

/** Answers questions with sentences, and pieces of sentences, that the conversation holds. */
export const question: Skill = {
  name: 'question',
  answer(ask) {
    if (!asksOfText(ask)) return undefined
    const facts = gatherFacts(ask)
    if (facts.length === 0) return undefined
    const asked = analyseQuestion(ask.instruction)
    if (asked.terms.size === 0) return aboutAll(ask)
    const matches = search(facts, asked)
    return factual(matches, asked, ask) ?? unsaid(ask, asked)
  },
}

function asksOfText(ask: Ask): boolean {
  const asks = /[?？]\s*$|[?？]["')\]]/.test(ask.instruction)
  const words =
    /^(?:please |can you |could you )*(?:what|who|whom|whose|when|where|why|how|which|is|are|was|were|do|does|did|tell me|describe|explain|name|state|find|give me|identify|list|quote|answer)\b/i.test(
      ask.instruction,
    )
  return asks || words || ask.passage !== ''
}

/** "What is this about?" */
function aboutAll(ask: Ask): Answer | undefined {
  if (
    ask.passage === '' &&
    !ask.sources.some((source) => source.current && source.text.length > 40)
  )
    return undefined
  return summarise.answer({ ...ask, instruction: 'Summarize the text' })
}

const coverageMin = 0.5

function factual(matches: readonly Match[], asked: Question, ask: Ask): Answer | undefined {
  const needed = ask.passage !== '' ? 0.3 : coverageMin
  const good = matches.filter((match) => match.coverage >= needed && acceptable(match, asked))
  const best = good[0]
  if (best === undefined) return undefined
  const span = spanOf(best.fact.searched, asked) ?? undefined
  const told = asSentence(best.fact.told)
  const value = span === undefined ? undefined : swappedSpan(span, best.fact)
  const introduced = introduction(best.fact, ask)
  return {
    skill: 'question',
    phrasings: [
      told,
      ...(value === undefined ? [] : [asSentence(value)]),
      ...(introduced === undefined ? [] : [introduced]),
    ],
    ...(value === undefined ? {} : { value }),
    evidence: good.slice(0, 3).map((match) => match.fact.text),
  }
}

/** A user's own facts answer only questions about him, and a system text's "you" only questions to the engine. */
function acceptable(match: Match, asked: Question): boolean {
  const { fact } = match
  if (asked.person === 'first' && fact.origin === 'user')
    return /\b(?:i|i['’]m|i['’]ve|my|me|mine|we|our)\b/i.test(fact.text) || match.coverage >= 0.6
  if (
    asked.person === 'third' &&
    fact.origin === 'system' &&
    /^you\b|\byou (?:are|must|should|will)\b/i.test(fact.text)
  )
    return match.coverage >= 0.8
  return true
}

function swappedSpan(span: string, fact: Fact): string {
  if (fact.told === fact.searched) return span
  return span.replace(/\bmy\b/gi, 'your').replace(/\bI\b/g, 'you')
}

function introduction(fact: Fact, ask: Ask): string | undefined {
  if (fact.origin === 'user' && !fact.current) return `You said: ${asSentence(fact.text)}`
  if (fact.origin === 'tool') return undefined
  return ask.passage === '' ? undefined : `According to the text: ${asSentence(fact.told)}`
}

/** The caller gave a text to answer from, and the answer is not in it. */
function unsaid(ask: Ask, asked: Question): Answer | undefined {
  const given =
    ask.passage !== '' || ask.sources.some((source) => source.origin === 'media' && source.current)
  if (!given || asked.kind === 'other') return undefined
  return { skill: 'question', phrasings: ['The text does not say this.'], evidence: [] }
}
