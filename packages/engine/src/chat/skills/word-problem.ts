import type { Ask, Skill } from '../ask/ask.ts'
import {
  formatQuantity,
  parseDecimal,
  type Quantity,
  add,
  multiply,
  subtract,
} from '../math/rational.ts'
import { numbersOf } from '../text/numbers.ts'
import { sentencesOf } from '../text/sentences.ts'
import { rootOf, wordsOf } from '../text/words.ts'

const gains = new Set(
  'buy get find receive add gain pick earn win collect found make bake more join arrive come grow borrow'
    .split(' ')
    .map(rootOf),
)
const losses = new Set(
  'eat lose give sell spend remove break use drop donate throw take leave fly away die lend burn pay'
    .split(' ')
    .map(rootOf),
)
const asks =
  /\bhow (?:many|much)\b[^.?!]{0,120}\b(?:left|have|has|remain|remains|total|altogether|now|there|all)\b/i
const charactersMax = 600

/** Stories of having, getting and giving away: "I have 3 apples and buy 2 more. How many apples do I have?" */
export const wordProblem: Skill = {
  name: 'word-problem',
  answer(ask) {
    const story = storyOf(ask)
    if (story === undefined) return undefined
    const steps = stepsOf(story.told, story.thing)
    if (steps === undefined) return undefined
    let value: Quantity = parseDecimal('0')
    let written = ''
    for (const { sign, digits } of steps) {
      const number = parseDecimal(digits)
      if (sign === '×') value = multiply(value, number)
      else value = sign === '-' ? subtract(value, number) : add(value, number)
      written += written === '' ? digits : ` ${sign} ${digits}`
    }
    const shown = formatQuantity(value)
    return {
      skill: 'word-problem',
      phrasings: [
        `${written} = ${shown}, so the answer is ${shown} ${story.thing}.`,
        `${shown} ${story.thing}.`,
        shown,
      ],
      value: shown,
      evidence: [`${written} = ${shown}`],
    }
  },
}

interface Story {
  readonly told: string
  /** What is counted, as the question names it. */
  readonly thing: string
}

function storyOf(ask: Ask): Story | undefined {
  const text = ask.text.trim()
  if (text.length > charactersMax || !asks.test(text)) return undefined
  const question = /\bhow (?:many|much) ([\p{L}]{2,30})/iu.exec(text)
  const thing = question?.[1]?.toLowerCase()
  if (
    question === null ||
    thing === undefined ||
    /^(?:is|are|do|does|did|more|of|in|times|days|hours)$/.test(thing)
  )
    return undefined
  const before = text.slice(0, question.index)
  return sentencesOf(before).length === 0 ? undefined : { told: before, thing }
}

interface Step {
  readonly sign: '+' | '-' | '×'
  readonly digits: string
}

/** One step per number; undefined where a number's part in the story is not plain. */
function stepsOf(told: string, thing: string): Step[] | undefined {
  const numbers = numbersOf(told)
  const words = wordsOf(told)
  if (numbers.length < 2 || numbers.length > 6) return undefined
  const steps: Step[] = []
  for (const [place, span] of numbers.entries()) {
    const from = numbers[place - 1]?.end ?? 0
    const verbs = words
      .filter((word) => word.start >= from && word.end <= span.start)
      .map((word) => rootOf(word.lower))
    const behind = words.filter((word) => word.start >= span.end).slice(0, 4)
    const noun = behind[0]?.lower
    const each = /^\s*[\p{L}]+(?: [\p{L}]+)? (?:each|per|in each|every)\b/iu.test(
      told.slice(span.end),
    )
    const counted =
      noun === undefined ||
      noun === 'more' ||
      rootOf(noun) === rootOf(thing) ||
      behind.some((word) => rootOf(word.lower) === rootOf(thing)) ||
      place > 0
    if (!counted) return undefined
    if (place === 0) steps.push({ sign: '+', digits: span.digits })
    else if (each) steps.push({ sign: '×', digits: span.digits })
    else if (verbs.some((verb) => losses.has(verb))) steps.push({ sign: '-', digits: span.digits })
    else if (verbs.some((verb) => gains.has(verb)) || noun === 'more')
      steps.push({ sign: '+', digits: span.digits })
    else return undefined
  }
  return steps
}
