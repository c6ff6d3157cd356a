import type { Answer, Ask, Skill } from '../ask/ask.ts'
import { operandOf } from '../ask/operand.ts'
import { bestLabel } from '../text/labels.ts'
import { sentimentOf } from '../text/sentiment.ts'
import { quotedOf } from '../text/spans.ts'
import { capitalised } from '../text/words.ts'

const command =
  /\b(?:classify|categori[sz]e|label|sentiment|tone|is (?:this|it|the following)|which (?:category|label|class|topic)|what (?:category|label|class|topic))\b/i
const textMax = 100_000

/** Puts a text under one of the labels that the prompt names; sentiment where it names none. */
export const classify: Skill = {
  name: 'classify',
  answer(ask) {
    if (!command.test(ask.instruction) && !command.test(ask.instructions)) return undefined
    const fromSystem = !command.test(ask.instruction)
    const where = fromSystem ? ask.instructions.slice(0, 2000) : ask.instruction
    const labels =
      labelsIn(where) ??
      (/\b(?:sentiment|tone)\b/i.test(where) ? ['positive', 'negative', 'neutral'] : undefined)
    if (labels === undefined) return undefined
    const text = fromSystem ? ask.text : textOf(ask, labels)
    return text === undefined ? undefined : labelled(text.slice(0, textMax), labels)
  },
}

function textOf(ask: Ask, labels: readonly string[]): string | undefined {
  if (ask.passage !== '') return ask.passage
  const quoted = quotedOf(ask.instruction).filter((span) => !labels.includes(span.text))
  const longest = quoted.toSorted((left, right) => right.text.length - left.text.length)[0]
  return (
    longest?.text ??
    operandOf(
      ask,
      /\b(?:sentiment|tone|text|sentence|review|message|category|topic)\b(?: of)?(?: this| the)?[^:]{0,60}:?/i,
    )
  )
}

function labelled(text: string, labels: readonly string[]): Answer | undefined {
  const label = bestLabel(text, labels)
  const feeling = sentimentOf(text)
  const neutral = labels.find((candidate) => /^(?:neutral|other|none|unknown)$/i.test(candidate))
  const chosen = label ?? neutral ?? labels[0]
  if (chosen === undefined) return undefined
  const sure = label !== undefined || neutral !== undefined
  const sentence = sure
    ? `The text is ${chosen}.`
    : `Nothing in the text speaks for one of the labels; the first is ${chosen}.`
  return {
    skill: 'classify',
    phrasings: [chosen, ...(sure ? [capitalised(chosen), sentence] : [])],
    value: chosen,
    evidence:
      feeling.words.length === 0
        ? []
        : [`words that count: ${feeling.words.slice(0, 10).join(', ')}`],
  }
}

const labelPatterns: readonly RegExp[] = [
  /\b(?:labels?|categories|classes|options|one of(?: the following)?|either|choose (?:from|between)|topics?)\b(?: (?:are|is|labels|categories|following|these))*\s?[:(]?\s?([^.:?\n)]{3,400})/i,
  /\b(?:as|into|between)\b(?: either| one of)?:? ((?:["'“]?[\p{L}][\p{L} _-]{0,30}["'”]?(?:, ?(?:or |and )?| or | and |\/)){1,20}["'“]?[\p{L}][\p{L}_-]{0,30})/iu,
  /\bis (?:this|it|the following)(?: \w{1,20}){0,3}? ((?:[\p{L}_-]{2,20}(?:, ?(?:or )?| or )){1,10}[\p{L}_-]{2,20})\??/iu,
  /\(((?:[\p{L} _-]{1,30}(?:,|\/|\|| or ) ?){1,20}[\p{L} _-]{1,30})\)/u,
]

function labelsIn(instruction: string): string[] | undefined {
  for (const pattern of labelPatterns) {
    const list = pattern.exec(instruction)?.[1]
    if (list === undefined) continue
    const labels = list
      .split(/,|\/|\||\bor\b|\band\b/i)
      .map((label) =>
        label
          .trim()
          .replace(/^["'“‘`[]+|["'”’`.\]]+$/gu, '')
          .trim(),
      )
      .filter((label) => label !== '' && label.split(' ').length <= 4)
    if (labels.length >= 2) return [...new Set(labels)]
  }
  return undefined
}
