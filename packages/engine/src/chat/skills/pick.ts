import type { Answer, Skill } from '../ask/ask.ts'
import { operandOf } from '../ask/operand.ts'
import { itemsOf } from '../text/items.ts'
import { numbersOf } from '../text/numbers.ts'
import { sentencesOf } from '../text/sentences.ts'
import { wordsOf } from '../text/words.ts'

const ordinals = 'first second third fourth fifth sixth seventh eighth ninth tenth'.split(' ')
const command =
  /\b(first|last|second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth|longest|shortest|\d{1,4}(?:st|nd|rd|th))(?: (\d{1,4}|two|three|four|five|six|seven|eight|nine|ten))? (words?|letters?|characters?|sentences?|lines?|items?|names?|numbers?|elements?)\b(?: (?:of|in|from))?/i
const asks =
  /^(?:please |can you |could you )?(?:what|which|give|show|return|print|find|tell|list|output|name|take|extract|get|identify)\b/i

/** "What is the third word of …", "Give me the first two sentences of …", "the longest word". */
export const pick: Skill = {
  name: 'pick',
  answer(ask) {
    const match = command.exec(ask.instruction)
    if (match === null || !asks.test(ask.instruction)) return undefined
    const [, which = '', amount, unitWord = ''] = match
    const text = operandOf(ask, command)
    if (text === undefined) return undefined
    const unit = unitWord.toLowerCase().replace(/s$/, '')
    const units = unitsOf(text, unit)
    const picked = pickFrom(
      units,
      which.toLowerCase(),
      amount === undefined ? 1 : (numbersOf(amount)[0]?.value ?? 1),
    )
    if (picked === undefined || picked.length === 0) return undefined
    const glue =
      unit === 'letter' || unit === 'character'
        ? ''
        : unit === 'line' || unit === 'item'
          ? '\n'
          : ' '
    return answerOf(picked.join(glue), `${which.toLowerCase()} ${unit}`, picked.length)
  },
}

function answerOf(value: string, what: string, count: number): Answer {
  const sentence = `The ${what} is "${value}".`
  return {
    skill: 'pick',
    phrasings: count === 1 ? [value, sentence] : [value],
    value,
    evidence: [sentence],
  }
}

function unitsOf(text: string, unit: string): string[] {
  switch (unit) {
    case 'word':
      return wordsOf(text).map((word) => word.text)
    case 'letter':
      return [...text].filter((character) => /\p{L}/u.test(character))
    case 'character':
      return [...text]
    case 'sentence':
      return sentencesOf(text)
    case 'line':
      return text.trim().split('\n')
    case 'number':
      return numbersOf(text).map((span) => span.digits)
    default:
      return [...itemsOf(text).items]
  }
}

function pickFrom(
  units: readonly string[],
  which: string,
  amount: number,
): readonly string[] | undefined {
  if (which === 'first') return units.slice(0, amount)
  if (which === 'last') return units.slice(Math.max(0, units.length - amount))
  if (which === 'longest' || which === 'shortest') {
    const sign = which === 'longest' ? 1 : -1
    const [best] = units.toSorted((left, right) => sign * ([...right].length - [...left].length))
    return best === undefined ? undefined : [best]
  }
  const index = /^\d/.test(which) ? Number.parseInt(which, 10) - 1 : ordinals.indexOf(which)
  const unit = units[index]
  return unit === undefined ? undefined : [unit]
}
