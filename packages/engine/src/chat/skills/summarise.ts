import { answerOf, type Skill } from '../ask/ask.ts'
import { earlierText } from '../ask/operand.ts'
import { numbersOf } from '../text/numbers.ts'
import { sentencesOf } from '../text/sentences.ts'
import { wordsOf } from '../text/words.ts'

const command =
  /\b(?:summari[sz]e|summary|sum up|tl;?dr|key (?:points|takeaways|ideas)|main (?:points?|ideas?)|gist|in a nutshell|headline)\b(?: (?:of|for|from|up|the|this|that|these|following|my|our|above|text|passage|article|paragraph|document|conversation|story|email|report|notes?))*(?: (?:in|with|to|using|as) [^:.]{1,60})?:?/i
const bullets = /\bbullet|\bpoints\b|\btakeaways\b|\bideas\b/i
const wanted =
  /\b([\w-]{1,12})(?: (?:short|key|main|brief|bullet))? (sentences?|bullets?|points?|lines?|takeaways|ideas|words?)\b/i

/** The beginning of a text, which usually says what it is about: as many sentences or words as requested. */
export const summarise: Skill = {
  name: 'summarise',
  answer(ask) {
    if (!command.test(ask.instruction)) return undefined
    const text = ask.passage === '' ? earlierText(ask) : ask.passage
    const sentences = text === undefined ? [] : sentencesOf(text)
    if (sentences.length === 0) return undefined
    const match = wanted.exec(ask.instruction)
    const asked = /^(?:a|single)$/i.test(match?.[1] ?? '')
      ? 1
      : numbersOf(match?.[1] ?? '')[0]?.value
    const inWords = match?.[2]?.startsWith('word') === true
    const usual = bullets.test(ask.instruction) ? 3 : 1
    const kept = sentences.slice(0, inWords ? usual : Math.max(1, asked ?? usual))
    const laidOut = bullets.test(ask.instruction)
      ? kept.map((sentence) => `- ${sentence.replace(/^[-*•]\s+/, '')}`).join('\n')
      : kept.join(' ')
    const main = inWords && asked !== undefined ? firstWords(laidOut, asked) : laidOut
    return answerOf('summarise', [main], main, kept)
  },
}

function firstWords(text: string, max: number): string {
  const words = wordsOf(text)
  const last = words[Math.max(1, max) - 1]
  return words.length <= max || last === undefined ? text : `${text.slice(0, last.end)}…`
}
