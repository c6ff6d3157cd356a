import type { Ask, Source } from '../ask/ask.ts'
import type { Origin } from '../ask/conversation.ts'
import { isCommand } from '../ask/split-request.ts'
import { factsOf, parseJsonText } from '../text/json-facts.ts'
import { sentencesOf } from '../text/sentences.ts'
import { namesOf } from '../text/spans.ts'

/** One sentence that the conversation holds. */
export interface Fact {
  /** As it stands. */
  readonly text: string
  /** With the name that a pronoun at its beginning stands for: what is searched. */
  readonly searched: string
  /** As it is told to the user: "My name is Ada" becomes "Your name is Ada". */
  readonly told: string
  readonly origin: Origin
  readonly current: boolean
}

const factsMax = 30_000

/** Everything said so far, sentence by sentence, questions and commands left out. */
export function gatherFacts(ask: Ask, sources: readonly Source[] = ask.sources): Fact[] {
  const facts: Fact[] = []
  for (const source of sources) {
    if (source.origin === 'assistant' && /built-in engine/i.test(source.text)) continue
    addFacts(facts, source)
    if (facts.length > factsMax) break
  }
  return facts.slice(0, factsMax)
}

function addFacts(facts: Fact[], source: Source): void {
  const { origin, current } = source
  const json = parseJsonText(source.text)
  if (json !== undefined) {
    for (const text of factsOf(json))
      facts.push({ text, searched: text, told: text, origin, current })
    return
  }
  let topic: string | undefined
  for (const raw of sentencesOf(source.text)) {
    const text = origin === 'user' ? withoutRequest(raw) : raw
    if (
      text.endsWith('?') ||
      (origin === 'user' && isCommand(text) && !/^(?:is|are|has|have|had)\b/i.test(text))
    )
      continue
    const pronoun = leadingPronoun.test(text)
    const resolved = pronoun && topic !== undefined ? resolve(text, topic) : text
    // A pronoun helps to find the sentence; what is told is the sentence as it stands.
    facts.push({ text, searched: resolved, told: toldFrom(origin, text), origin, current })
    if (!pronoun) topic = namesOf(text)[0]?.text ?? topic
  }
}

function withoutRequest(sentence: string): string {
  return sentence.replace(
    /^(?:please |ok(?:ay)?,? |hi[,!]? |hello[,!]? |by the way,? )*(?:(?:remember|note|know|keep in mind|memori[sz]e|fyi|actually|also|btw)(?: that|:|,)? |(?:so|well|and|but),? )*/i,
    '',
  )
}

const leadingPronoun = /^(?:he|she|it|they|his|her|its|their)\b/i

function resolve(sentence: string, topic: string): string {
  return sentence.replace(leadingPronoun, (pronoun) =>
    /^(?:his|her|its|their)$/i.test(pronoun) ? `${topic}'s` : topic,
  )
}

/** What the user said of himself is told back to him; what the system text says of "you" is said of oneself. */
function toldFrom(origin: Origin, sentence: string): string {
  if (origin === 'user') return swapped(sentence, toSecondPerson)
  return origin === 'system' ? swapped(sentence, toFirstPerson) : sentence
}

const toSecondPerson: Readonly<Record<string, string>> = {
  i: 'you',
  me: 'you',
  my: 'your',
  mine: 'yours',
  myself: 'yourself',
  "i'm": 'you are',
  "i've": 'you have',
  "i'll": 'you will',
  "i'd": 'you would',
}
const toFirstPerson: Readonly<Record<string, string>> = {
  you: 'I',
  your: 'my',
  yours: 'mine',
  yourself: 'myself',
  "you're": 'I am',
  "you've": 'I have',
  "you'll": 'I will',
}

function swapped(sentence: string, table: Readonly<Record<string, string>>): string {
  const text = sentence.replace(
    /\b(?:i|you)(?:['’](?:m|re|ve|ll|d))?\b|\b(?:me|my|mine|myself|your|yours|yourself)\b/gi,
    (word, index: number) => {
      const other = table[word.toLowerCase().replace('’', "'")]
      if (other === undefined) return word
      return index === 0 ? other.charAt(0).toUpperCase() + other.slice(1) : other
    },
  )
  return text
    .replace(
      /\b(you) (am|was)\b/gi,
      (_, you: string, verb: string) => `${you} ${verb.toLowerCase() === 'am' ? 'are' : 'were'}`,
    )
    .replace(/\b(?:am|are|was|were) you\b/gi, (both) => both)
    .replace(/\bI (are|were)\b/g, (_, verb: string) => `I ${verb === 'are' ? 'am' : 'was'}`)
}
