import type { Answer, Ask, Skill } from '../ask/ask.ts'
import { earlierText, operandOf } from '../ask/operand.ts'
import { numbersOf } from '../text/numbers.ts'
import { indexSentences } from '../text/ranking.ts'
import { sentencesOf } from '../text/sentences.ts'
import { capitalised, wordsOf } from '../text/words.ts'

const command =
  /\b(?:summari[sz]e|summary|sum up|tl;?dr|tldr|key (?:points|takeaways|ideas)|main (?:points?|ideas?)|gist|condense|shorten|in a nutshell|recap|outline|overview|headline|title|bullet points? (?:about|on|from|of))\b(?: (?:of|for|from|up))?(?: (?:the|this|that|these|following|my|our|above))*(?: (?:text|passage|article|paragraph|document|conversation|story|email|report|meeting|notes?))?(?: (?:in|with|to|using|as) [^:.]{1,60})?:?/i

/** Summaries made of the text's most central sentences, in the order of the text. */
export const summarise: Skill = {
  name: 'summarise',
  async answer(ask) {
    if (!command.test(ask.instruction) && !systemAsks(ask)) return undefined
    const text = textOf(ask)
    if (text === undefined) return undefined
    return summaryOf(text, ask)
  },
}

const wishWords =
  /\b(?:in|into|with|using|as|to|of)(?: (?:at most|about|around|no more than|exactly|just|only|a|an|the form of))*(?: [\w-]{1,12})?(?: (?:short|key|brief|main|concise|simple|single|complete|bullet|numbered))* (?:sentences?|words?|bullets?|points?|paragraphs?|lines?|lists?)\b/gi

function systemAsks(ask: Ask): boolean {
  return (
    /\bsummari[sz]e\b/i.test(ask.instructions.slice(0, 2000)) &&
    ask.passage === '' &&
    sentencesOf(ask.text.slice(0, 4000)).length > 2
  )
}

function textOf(ask: Ask): string | undefined {
  if (!command.test(ask.instruction)) return ask.text
  const bare = {
    ...ask,
    instruction: ask.instruction.replace(wishWords, ' ').replace(/\s+/g, ' ').trim(),
  }
  const operand = operandOf(bare, command)
  const earlier = earlierText(ask)
  // "Summarise what it says about bees" names a subject of an earlier text, not a text.
  const isSubject =
    operand !== undefined &&
    operand.split(/\s+/).length < 8 &&
    (earlier?.length ?? 0) > 3 * operand.length
  return isSubject ? earlier : (operand ?? earlier)
}

interface Wish {
  readonly sentences: number
  readonly layout: 'prose' | 'bullets'
  readonly wordsMax: number | undefined
}

function wishOf(instruction: string, available: number): Wish {
  const bullets =
    /\bbullet(?:ed)?(?: points?)?\b|\bkey (?:points|takeaways|ideas)\b|\bmain (?:points|ideas)\b/i.test(
      instruction,
    )
  const counted =
    /\b([\w-]{1,12})(?: (?:short|key|main|brief|concise|simple|single|complete|bullet|numbered|important))* (?:sentences?|bullets?|points?|lines?|items?|takeaways|ideas)\b/i.exec(
      instruction,
    )
  const asked = /^(?:a|single)$/i.test(counted?.[1] ?? '')
    ? 1
    : numbersOf(counted?.[1] ?? '')[0]?.value
  const words = /\b(\d{1,4}|[a-z]{3,9}) words?\b/i.exec(instruction)
  const wordsMax = words === null ? undefined : numbersOf(words[1] ?? '')[0]?.value
  const short =
    /\b(?:headline|title|tl;?dr|tldr|briefly|in a nutshell|gist|main (?:point|idea))\b/i.test(
      instruction,
    )
  const usual = short ? 1 : bullets ? 3 : Math.max(1, Math.min(3, Math.ceil(available / 4)))
  return {
    sentences: Math.max(1, Math.min(asked ?? usual, available, 100)),
    layout: bullets ? 'bullets' : 'prose',
    wordsMax,
  }
}

const sentencesMax = 20_000

async function summaryOf(text: string, ask: Ask): Promise<Answer | undefined> {
  const sentences = sentencesOf(text).slice(0, sentencesMax)
  if (sentences.length === 0) return undefined
  const wish = wishOf(ask.instruction, sentences.length)
  const order = await byCentrality(sentences, ask)
  const best = order.slice(0, wish.sentences)
  const main = laidOut(inOrder(best, sentences), wish)
  const phrasings =
    wish.layout === 'prose' && wish.wordsMax === undefined ? [main, `In short: ${main}`] : [main]
  return {
    skill: 'summarise',
    phrasings,
    value: main,
    evidence: best.map((index) => sentences[index] ?? ''),
  }
}

function inOrder(indexes: readonly number[], sentences: readonly string[]): string[] {
  return indexes
    .toSorted((left, right) => left - right)
    .map((index) => capitalised(sentences[index] ?? ''))
}

function laidOut(sentences: readonly string[], { layout, wordsMax }: Wish): string {
  const bare = sentences.map((sentence) => sentence.replace(/^(?:[-*•+]|\d{1,3}[.)])\s+/, ''))
  const lines =
    layout === 'bullets' ? bare.map((sentence) => `- ${sentence}`).join('\n') : bare.join(' ')
  return wordsMax === undefined ? lines : limited(lines, wordsMax)
}

function limited(text: string, wordsMax: number): string {
  const words = wordsOf(text)
  const last = words[Math.max(1, wordsMax) - 1]
  if (words.length <= wordsMax || last === undefined) return text
  return `${text.slice(0, last.end)}…`
}

const comparedMax = 400

/**
 * The sentences by how much of the whole text's vocabulary they carry, most central first. The opening counts a
 * little more, as in most prose, and so does the end of a short text less.
 */
async function byCentrality(sentences: readonly string[], ask: Ask): Promise<number[]> {
  const index = await indexSentences(sentences, ask.pause)
  const common = new Map(
    [...index.documentFrequency].sort((left, right) => right[1] - left[1]).slice(0, comparedMax),
  )
  const scored: { index: number; score: number }[] = []
  for (const [number, stems] of index.stems.entries()) {
    if (number % 64 === 0) await ask.pause()
    let sum = 0
    for (const stem of new Set(stems)) sum += Math.max(0, (common.get(stem) ?? 0) - 1) + 0.2
    const length = stems.length
    const fit = length < 3 ? 0.3 : length > 40 ? 0.7 : 1
    const place = number === 0 ? 1.35 : number < sentences.length * 0.1 ? 1.1 : 1
    const asks = (sentences[number] ?? '').endsWith('?') ? 0.5 : 1
    scored.push({
      index: number,
      score: ((sum + 0.01) / Math.sqrt(length + 2)) * fit * place * asks,
    })
  }
  return scored
    .sort((left, right) => right.score - left.score || left.index - right.index)
    .map((entry) => entry.index)
}
