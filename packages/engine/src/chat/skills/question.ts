import { type Answer, type Ask, answerOf, earlierText } from '../ask/ask.ts'
import { numbersOf } from '../text/numbers.ts'
import { sentencesOf } from '../text/sentences.ts'
import { asSentence } from '../text/words.ts'
import { type Fact, gatherFacts, type Match, search, termsOf } from './facts.ts'

/** Answers questions with sentences of the conversation. */
export function question(ask: Ask): Answer | undefined {
  if (!asksOfText(ask)) return undefined
  const facts = gatherFacts(ask)
  if (facts.length === 0) return undefined
  const terms = termsOf(ask.instruction)
  if (terms.size === 0) return undefined
  return factual(search(facts, terms), ask) ?? unsaid(ask)
}

function asksOfText({ instruction, passage }: Ask): boolean {
  const asks = /[?？]\s*$|[?？]["')\]]/.test(instruction)
  const words =
    /^(?:please |can you |could you )*(?:what|who|whom|whose|when|where|why|how|which|is|are|was|were|do|does|did|tell me|describe|explain|name|state|find|give me|identify|list|quote|answer)\b/i.test(
      instruction,
    )
  return asks || words || passage !== ''
}

const coverageMin = 0.5
const coverageInTextMin = 0.3

function factual(matches: readonly Match[], ask: Ask): Answer | undefined {
  const needed = ask.passage === '' ? coverageMin : coverageInTextMin
  const good = matches.filter((match) => match.coverage >= needed)
  const fact = good[0]?.fact
  if (fact === undefined) return undefined
  const evidence = good.slice(0, 3).map((match) => match.fact.text)
  return answerOf('question', [asSentence(quoted(fact))], undefined, evidence)
}

const personal = /\b(?:i|me|my|mine|myself|we|us|our|ours|you|yours?|yourself)\b/i

/** Who "I" and "you" are depends on the speaker, so such a sentence is quoted with its speaker. */
function quoted({ text, origin }: Fact): string {
  if (!personal.test(text) || (origin !== 'user' && origin !== 'system')) return text
  return `${origin === 'user' ? 'You said' : 'I was told'}: "${text}"`
}

/** The answer if the caller gave a text that does not contain what was asked. */
function unsaid(ask: Ask): Answer | undefined {
  const given =
    ask.passage !== '' || ask.sources.some((source) => source.origin === 'media' && source.current)
  if (!given || !/[?？]|\b(?:wh\w+|how)\b/i.test(ask.instruction)) return undefined
  return answerOf('question', ['The text does not say this.'])
}

const command =
  /\b(?:summari[sz]e|summary|sum up|tl;?dr|key (?:points|takeaways|ideas)|main (?:points?|ideas?)|gist|in a nutshell|headline)\b/i
const wanted =
  /\b([\w-]{1,12})(?: (?:short|key|main|brief|bullet))? (?:sentences?|bullets?|points?|lines?|takeaways|ideas)\b/i

/** The beginning of a text, which usually says what it is about: as many sentences as requested, by default one. */
export function summarise(ask: Ask): Answer | undefined {
  if (!command.test(ask.instruction)) return undefined
  const text = ask.passage === '' ? earlierText(ask) : ask.passage
  const sentences = text === undefined ? [] : sentencesOf(text)
  if (sentences.length === 0) return undefined
  const count = numbersOf(wanted.exec(ask.instruction)?.[1] ?? '')[0]?.value ?? 1
  const main = sentences.slice(0, Math.max(1, count)).join(' ')
  return answerOf('summarise', [main], main)
}
