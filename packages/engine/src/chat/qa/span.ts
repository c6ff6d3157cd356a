import { datesOf, timesOf } from '../text/dates.ts'
import { type NumberSpan, numbersOf } from '../text/numbers.ts'
import { coloursOf, namesOf } from '../text/spans.ts'
import { contentStems, rootOf, stopWords, wordsOf } from '../text/words.ts'
import { trimEndOf, trimStartOf } from '../text/trim.ts'
import type { Question } from './question.ts'

/** The piece of a sentence that answers the question by itself; undefined where only the sentence does. */
export function spanOf(sentence: string, question: Question): string | undefined {
  switch (question.kind) {
    case 'who':
      return person(sentence, question) ?? predicate(sentence, question)
    case 'where':
      return place(sentence, question) ?? predicate(sentence, question)
    case 'when':
      return moment(sentence)
    case 'how-many':
    case 'how-much':
      return amount(sentence, question)
    case 'colour':
      return coloursOf(sentence)[0]?.text
    case 'why':
      return reason(sentence)
    case 'yes-no':
      return undefined
    case 'what':
    case 'how':
    case 'other':
      return (
        labelled(sentence, question) ??
        predicate(sentence, question) ??
        figure(sentence, question) ??
        object(sentence, question)
      )
  }
}

function reason(sentence: string): string | undefined {
  const found =
    /\b(?:because(?: of)?|since|due to|in order to|so that|owing to|thanks to)\s(?=.)/i.exec(
      sentence,
    )
  return found === null ? undefined : trimEndOf(sentence.slice(found.index), '.!')
}

function isAsked(text: string, question: Question): boolean {
  const stems = contentStems(text)
  return stems.length > 0 && stems.every((stem) => question.terms.has(stem))
}

function person(sentence: string, question: Question): string | undefined {
  const agent = /\bby ((?:[A-Z][\p{L}'’.-]*)(?: (?:[A-Z][\p{L}'’.-]*|of|de|van|von))*)/u.exec(
    sentence,
  )?.[1]
  if (agent !== undefined && !isAsked(agent, question)) return agent
  return namesOf(sentence).find((span) => !isAsked(span.text, question) && !/\d/.test(span.text))
    ?.text
}

const placePattern =
  /\b(?:in|at|on|near|from|to|inside|outside|under|behind|beside|above|below|across from|next to)\s+((?:the |a |an |her |his |their |your |my |its )?[^,.;!?()]{2,80}?)(?=[,.;!?()]|$|\s(?:on|in|at|and|since|by|with|where|when|for|from|to|until|during|because|which|that|while|after|before|as)\b)/gi

function place(sentence: string, question: Question): string | undefined {
  const found: string[] = []
  for (const match of sentence.matchAll(placePattern)) {
    const spot = match[1]?.trim() ?? ''
    if (
      /^\d|^(?:january|february|march|april|may|june|july|august|september|october|november|december|monday|tuesday|wednesday|thursday|friday|saturday|sunday|order|fact|addition|general|the (?:morning|evening|afternoon))\b/i.test(
        spot,
      )
    )
      continue
    if (!isAsked(spot, question)) found.push(spot)
  }
  return found.find((spot) => /^(?:the )?\p{Lu}/u.test(spot)) ?? found[0]
}

function moment(sentence: string): string | undefined {
  const date = datesOf(sentence, 0)[0]
  const clock = timesOf(sentence)[0]
  if (date !== undefined && clock !== undefined && Math.abs(clock.start - date.end) < 12)
    return sentence.slice(Math.min(date.start, clock.start), Math.max(date.end, clock.end))
  if (date !== undefined) return date.text
  const month =
    /\b(?:January|February|March|April|May|June|July|August|September|October|November|December) \d{4}\b/.exec(
      sentence,
    )
  const year = /\b(?:1\d{3}|20\d{2})(?:s|–\d{2,4}|-\d{2,4})?\b(?: (?:BC|AD|BCE|CE))?/.exec(sentence)
  const part =
    /\b(?:every|in the|at|next|last|this) (?:morning|evening|afternoon|night|noon|midnight|spring|summer|autumn|fall|winter|week|month|year|day)\b/i.exec(
      sentence,
    )
  return month?.[0] ?? clock?.text ?? year?.[0] ?? part?.[0]
}

function amount(sentence: string, question: Question): string | undefined {
  const asked = new Set(numbersOf(question.text).map((span) => span.value))
  const spans = numbersOf(sentence).filter((span) => !asked.has(span.value))
  if (spans.length === 0) return undefined
  const money =
    question.kind === 'how-much'
      ? spans.find((span) => /[$€£]\s?$/.test(sentence.slice(0, span.start)))
      : undefined
  const near = spans.find((span) => {
    const [next, second] = wordsOf(sentence.slice(span.end, span.end + 60))
    return [next, second].some(
      (word) => word !== undefined && question.terms.has(rootOf(word.lower)),
    )
  })
  const chosen =
    money ?? near ?? spans.find((span) => !/^(?:1[5-9]|20)\d\d$/.test(span.digits)) ?? spans[0]
  if (chosen === undefined) return undefined
  return quantityAt(sentence, chosen)
}

/** The number with its currency or its unit. */
function quantityAt(sentence: string, chosen: NumberSpan): string {
  const sign = /[$€£]\s?$/.exec(sentence.slice(0, chosen.start))?.[0] ?? ''
  const tail =
    /^(?:\s?(?:%|°[CF]?)| (?:percent|million|billion|thousand|years?|months?|weeks?|days?|hours?|minutes?|seconds?|km|kilomet(?:re|er)s?|met(?:re|er)s?|miles?|feet|kg|kilograms?|dollars?|euros?|pounds?|degrees(?: \p{Lu}\p{L}+)?|pixels?|people|cm|mm|GB|MB))/u.exec(
      sentence.slice(chosen.end),
    )?.[0] ?? ''
  return `${sign}${sentence.slice(chosen.start, chosen.end)}${tail}`
}

/** "a revenue of $45 million": the number within a few words behind what was asked for. */
function figure(sentence: string, question: Question): string | undefined {
  const asked = new Set(numbersOf(question.text).map((span) => span.value))
  const found = numbersOf(sentence).find((span) => {
    const before = wordsOf(sentence.slice(Math.max(0, span.start - 60), span.start)).slice(-3)
    return (
      !asked.has(span.value) &&
      before.some((word) => question.terms.has(rootOf(word.lower)) && !/\d/.test(word.text))
    )
  })
  return found === undefined ? undefined : quantityAt(sentence, found)
}

/** "colour: blue". */
function labelled(sentence: string, question: Question): string | undefined {
  const match = /^([^:]{1,80}):\s+(.{1,500})$/s.exec(sentence)
  if (match?.[1] === undefined || match[2] === undefined) return undefined
  return contentStems(match[1]).some((stem) => question.terms.has(stem))
    ? match[2].replace(/[.]$/, '')
    : undefined
}

const copula =
  /^(.{1,200}?)\s(?:is|are|was|were|equals|means|became|becomes|has been|will be)\s(?:(?:called|named|known as)\s)?(.{1,400}?)[.!]*$/is

/** "The capital of France is Paris", asked from either side. */
function predicate(sentence: string, question: Question): string | undefined {
  const match = copula.exec(sentence)
  const [subject, said] = [match?.[1], match?.[2]]
  if (subject === undefined || said === undefined) return undefined
  const covered = (text: string): number =>
    contentStems(text).filter((stem) => question.terms.has(stem)).length
  const [left, right] = [covered(subject), covered(said)]
  if (left === 0 && right > 0 && subject.split(' ').length <= 8) return subject
  return left >= right && left > 0 ? clause(said) : undefined
}

function clause(text: string): string {
  return text.split(/;|, (?:and|but|which|who|where)\b/)[0]?.trim() ?? text
}

/** "Ada likes chess": what follows the last word that the question shares with the sentence. */
function object(sentence: string, question: Question): string | undefined {
  const words = wordsOf(sentence)
  const last = words.findLastIndex(
    (word) => !stopWords.has(word.lower) && question.terms.has(rootOf(word.lower)),
  )
  const word = words[last]
  if (word === undefined) return undefined
  const rest = trimEndOf(trimStartOf(sentence.slice(word.end), ' \n\t,:'), '.!')
  return rest === '' || rest.split(/\s+/).length > 15 ? undefined : clause(rest)
}
