import { datesOf, timesOf } from '../text/dates.ts'
import { type NumberSpan, numbersOf } from '../text/numbers.ts'
import { coloursOf, namesOf } from '../text/spans.ts'
import { contentStems, rootOf, wordsOf } from '../text/words.ts'
import { trimEndOf } from '../text/trim.ts'
import type { Question } from './question.ts'

/** The piece of a sentence that is of the kind asked for; undefined where only the sentence answers. */
export function spanOf(sentence: string, question: Question): string | undefined {
  switch (question.kind) {
    case 'who':
      return (
        namesOf(sentence).find(({ text }) => !isAsked(text, question) && !/\d/.test(text))?.text ??
        predicate(sentence, question)
      )
    case 'where':
      return place(sentence, question) ?? predicate(sentence, question)
    case 'when':
      return moment(sentence)
    case 'how-many':
    case 'how-much':
      return amount(sentence, question)
    case 'colour':
      return coloursOf(sentence)[0]?.text
    case 'yes-no':
    case 'why':
      return undefined
    case 'what':
    case 'how':
    case 'other':
      return labelled(sentence, question) ?? predicate(sentence, question)
  }
}

function isAsked(text: string, question: Question): boolean {
  const stems = contentStems(text)
  return stems.length > 0 && stems.every((stem) => question.terms.has(stem))
}

const placePattern =
  /\b(?:in|at|on|near|to|inside|under|behind)\s+((?:the |a |an |her |his |their |your |my )?[^,.;!?()\d]{2,80}?)(?=[,.;!?()]|$|\s(?:on|in|at|and|since|by|with|for|from|to|until|during|because)\b)/gi

function place(sentence: string, question: Question): string | undefined {
  const found = [...sentence.matchAll(placePattern)]
    .map((match) => match[1]?.trim() ?? '')
    .filter((spot) => !isAsked(spot, question) && datesOf(spot, 0).length === 0)
  return found.find((spot) => /^(?:the )?\p{Lu}/u.test(spot)) ?? found[0]
}

function moment(sentence: string): string | undefined {
  const date = datesOf(sentence, 0)[0]?.text
  const year = /\b(?:\p{Lu}\p{Ll}+ )?(?:1\d{3}|20\d{2})\b/u.exec(sentence)?.[0]
  return date ?? timesOf(sentence)[0]?.text ?? year?.replace(/^(?:In|Since|By) /, '')
}

function amount(sentence: string, question: Question): string | undefined {
  const asked = new Set(numbersOf(question.text).map((span) => span.value))
  const spans = numbersOf(sentence).filter((span) => !asked.has(span.value))
  const near = spans.find((span) =>
    wordsOf(sentence.slice(span.end, span.end + 60))
      .slice(0, 2)
      .some((word) => question.terms.has(rootOf(word.lower))),
  )
  const chosen = near ?? spans.find((span) => !/^(?:1[5-9]|20)\d\d$/.test(span.digits)) ?? spans[0]
  return chosen === undefined ? undefined : quantityAt(sentence, chosen)
}

/** The number with its currency or its unit. */
function quantityAt(sentence: string, { start, end }: NumberSpan): string {
  const sign = /[$€£]\s?$/.exec(sentence.slice(Math.max(0, start - 2), start))?.[0] ?? ''
  const unit =
    /^(?:\s?(?:%|°[CF]?)| (?:percent|million|billion|years?|months?|weeks?|days?|hours?|minutes?|seconds?|km|kilomet(?:re|er)s?|met(?:re|er)s?|miles?|kg|kilograms?|dollars?|euros?|pounds?|degrees|pixels?)\b)/.exec(
      sentence.slice(end, end + 30),
    )?.[0] ?? ''
  return `${sign}${sentence.slice(start, end)}${unit}`
}

/** "colour: blue". */
function labelled(sentence: string, question: Question): string | undefined {
  const match = /^([^:]{1,80}):\s+(.{1,500})$/s.exec(sentence)
  if (match?.[1] === undefined || match[2] === undefined) return undefined
  return contentStems(match[1]).some((stem) => question.terms.has(stem))
    ? trimEndOf(match[2], '.')
    : undefined
}

/** "The capital of France is Paris", asked from either side. */
function predicate(sentence: string, question: Question): string | undefined {
  const match =
    /^(.{1,200}?)\s(?:is|are|was|were|equals|means)\s(?:(?:called|named|known as)\s)?(.{1,400})$/is.exec(
      sentence,
    )
  const [subject, said] = [match?.[1], trimEndOf(match?.[2] ?? '', '.!')]
  if (subject === undefined || said === '') return undefined
  const covered = (text: string): number =>
    contentStems(text).filter((stem) => question.terms.has(stem)).length
  if (covered(subject) === 0) return covered(said) > 0 ? subject : undefined
  return covered(subject) >= covered(said)
    ? said.split(/;|, (?:and|but|which|who)\b/)[0]
    : undefined
}
