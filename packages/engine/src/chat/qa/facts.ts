import type { Ask, Source } from '../ask/ask.ts'
import type { Origin } from '../ask/conversation.ts'
import { isCommand } from '../ask/split-request.ts'
import { factsOf, parseJsonText } from '../text/json-facts.ts'
import { sentencesOf } from '../text/sentences.ts'

/** One sentence of the conversation. */
export interface Fact {
  /** Without changes. */
  readonly text: string
  readonly origin: Origin
  readonly current: boolean
}

const factsMax = 30_000

/** Everything said so far as sentences, without questions and commands. */
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
      facts.push({ text, origin, current })
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
