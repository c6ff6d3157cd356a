import { wordsIn } from '../../word-lists.ts'
import type { Ask, Origin, Source } from '../ask/ask.ts'
import { isCommand } from '../ask/split-request.ts'
import { factsOf, parseJsonText } from '../text/json-facts.ts'
import { sentencesOf } from '../text/sentences.ts'
import { contentStems, rootOf } from '../text/words.ts'

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

const scaffolding = new Set([...wordsIn('scaffolding')].map(rootOf))

/** Stems that an answer to a question should contain. */
export function termsOf(question: string): ReadonlySet<string> {
  const terms = new Set(contentStems(question).filter((stem) => !scaffolding.has(stem)))
  if (/\bwho am i\b|\bwho i am\b|\bcalled\b/i.test(question)) terms.add('name')
  if (/\bhow old\b/i.test(question)) terms.delete('old')
  return terms
}

/** A fact and how well it answers. */
export interface Match {
  readonly fact: Fact
  readonly score: number
  /** The part of the question's weight that it contains, 0 to 1. */
  readonly coverage: number
}

const matchesMax = 20

/** The facts that answer a question best, best first. */
export function search(facts: readonly Fact[], terms: ReadonlySet<string>): Match[] {
  const texts = facts.map((fact) => fact.text)
  return coverages(texts, terms)
    .flatMap((coverage, number): Match[] => {
      const fact = facts[number]
      if (coverage === 0 || fact === undefined) return []
      // Of two statements of the user the later one applies; in a document the earlier one is usually the definition.
      const place = (fact.origin === 'user' ? 1 : -1) * 0.001 * (number / facts.length)
      return [{ fact, score: coverage + place, coverage }]
    })
    .sort((left, right) => right.score - left.score)
    .slice(0, matchesMax)
}

/**
 * The part of a question's weight that each sentence covers, 0 to 1. Words that occur in few sentences weigh more (the rarity
 * of BM25, Robertson and Zaragoza, 2009).
 */
function coverages(sentences: readonly string[], wanted: ReadonlySet<string>): number[] {
  const held = sentences.map((sentence) => new Set(contentStems(sentence)))
  const weights = [...wanted].map((stem) => {
    const holding = held.filter((stems) => stems.has(stem)).length
    const rarity = Math.log(1 + (held.length - holding + 0.5) / (holding + 0.5))
    // Common words count too, otherwise a text of one sentence would have no weight at all.
    return [stem, 0.5 + rarity / Math.log(2 * held.length + 2)] as const
  })
  const total = weights.reduce((sum, [, weight]) => sum + weight, 0)
  return held.map((stems) =>
    weights.reduce((sum, [stem, weight]) => sum + (stems.has(stem) ? weight / total : 0), 0),
  )
}
