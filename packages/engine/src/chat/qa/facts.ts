import type { Ask, Source } from '../ask/ask.ts'
import type { Origin } from '../ask/conversation.ts'
import { isCommand } from '../ask/split-request.ts'
import { factsOf, parseJsonText } from '../text/json-facts.ts'
import { sentencesOf } from '../text/sentences.ts'
import { capitalised } from '../text/words.ts'

/** One sentence that the conversation holds. */
export interface Fact {
  /** As it stands. */
  readonly text: string
  /** As it is told to the user: "My name is Ada" becomes "Your name is Ada". */
  readonly told: string
  readonly origin: Origin
  readonly current: boolean
}

const factsMax = 30_000

/** Everything said so far, sentence by sentence, questions and commands left out. */
export function gatherFacts(ask: Ask, sources: readonly Source[] = ask.sources): Fact[] {
  const facts: Fact[] = []
  for (const { origin, current, text: whole } of sources) {
    if (facts.length > factsMax) break
    if (origin === 'assistant' && /built-in engine/i.test(whole)) continue
    const json = parseJsonText(whole)
    const texts =
      json === undefined ? sentencesOf(whole).filter(isStatement(origin)) : factsOf(json)
    for (const sentence of texts) {
      const text = origin === 'user' ? sentence.replace(requesting, '') : sentence
      const told = json === undefined ? swapped(text, origin) : text
      facts.push({ text, told, origin, current })
    }
  }
  return facts.slice(0, factsMax)
}

const requesting =
  /^(?:please |ok(?:ay)?,? |hi[,!]? |hello[,!]? |by the way,? )*(?:(?:remember|note|know|keep in mind|memori[sz]e|fyi|actually|also|btw)(?: that|:|,)? |(?:so|well|and|but),? )*/i

function isStatement(origin: Origin): (sentence: string) => boolean {
  return (sentence) => {
    if (sentence.endsWith('?')) return false
    const text = sentence.replace(requesting, '')
    return origin !== 'user' || !isCommand(text) || /^(?:is|are|has|have|had)\b/i.test(text)
  }
}

/** What the user says of himself is told back to him; what the system text says of "you" is said of oneself. */
const persons: Partial<Record<Origin, Readonly<Record<string, string>>>> = {
  user: {
    i: 'you',
    me: 'you',
    my: 'your',
    mine: 'yours',
    myself: 'yourself',
    'i am': 'you are',
    'i was': 'you were',
    "i'm": 'you are',
    "i've": 'you have',
    "i'll": 'you will',
    "i'd": 'you would',
  },
  system: {
    you: 'I',
    your: 'my',
    yours: 'mine',
    yourself: 'myself',
    'you are': 'I am',
    'you were': 'I was',
    "you're": 'I am',
    "you've": 'I have',
    "you'll": 'I will',
  },
}

const personal =
  /\b(?:i (?:am|was)|you (?:are|were)|(?:i|you)(?:['’](?:m|re|ve|ll|d))?|me|my|mine|myself|your|yours|yourself)\b/gi

function swapped(sentence: string, origin: Origin): string {
  return sentence.replace(personal, (words, index: number) => {
    const other = persons[origin]?.[words.toLowerCase().replace('’', "'")]
    return index === 0 && other !== undefined ? capitalised(other) : (other ?? words)
  })
}
