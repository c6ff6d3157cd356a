import { type Span, spansIn } from '../text/spans.ts'
import { trimEndOf } from '../text/trim.ts'
import type { Clues } from './clues.ts'

const preposition =
  '(?:in|at|for|from|to|near|around|of|between|and|or|towards?|into|via|visit|visiting)'
const properName = String.raw`\p{Lu}[\p{L}'’.-]{1,40}(?: (?:(?:of|de|da|del|la|le|the|am|upon|do|du) )?\p{Lu}[\p{L}'’.-]{1,40}){0,4}(?:, ?(?:\p{Lu}{2}|(?:USA|UK|[A-Z]\.[A-Z]\.)|\p{Lu}\p{Ll}+(?= *(?:[?.!]|$|\b(?:in|on|at|today|tomorrow|right|now)\b))))?`
const afterPreposition = new RegExp(
  String.raw`(?<![\p{L}])${preposition} (?:the )?(?:city of |state of |town of )?(${properName})`,
  'gu',
)
const afterComma = new RegExp(String.raw`(?:,|, and|, or) (${properName})`, 'gu')
const lowerPlace =
  /\b(?:in|at|for|near) ((?!the |a |an |my |your |celsius|fahrenheit|degrees|today|tomorrow|now|me|it|this|that|which|what|all|\d)[\p{Ll}][\p{L}-]{2,30}(?: (?!today|tomorrow|right|now|please|in|on|and|at|for|this|with)[\p{Ll}][\p{L}-]{2,30})?)(?= *(?:[?.!,]|$| (?:today|tomorrow|right|now|please|in|on|this)))/gu

/** Names of places in the order of the text: capitalised words after a preposition, and lists of them. */
export function placesOf({ text, names }: Clues): Span[] {
  const found: Span[] = []
  for (const pattern of [afterPreposition, afterComma])
    for (const span of spansIn(text, pattern)) {
      const place = trimmed(span.text)
      const joins = pattern !== afterComma || found.some((other) => other.end <= span.start)
      const isInside = found.some(({ start, end }) => span.start >= start && span.start < end)
      if (place !== '' && joins && !isInside && !isDay(place))
        found.push({ text: place, start: span.start, end: span.start + place.length })
    }
  if (found.length > 0) return found.sort((left, right) => left.start - right.start)
  return names.length > 0 ? names.filter((span) => !isDay(span.text)) : spansIn(text, lowerPlace)
}

function trimmed(place: string): string {
  return trimEndOf(place.replace(/['’]s$/u, ''), ".,'’-")
}

function isDay(text: string): boolean {
  return /^(?:mon|tues|wednes|thurs|fri|satur|sun)day|^(?:january|february|march|april|may|june|july|august|september|october|november|december)\b|^(?:celsius|fahrenheit|english|french|german|spanish)\b/i.test(
    text,
  )
}

/** The name after one of these words. */
export function placeAfter({ text }: Clues, words: string): string | undefined {
  const name = new RegExp(String.raw`(?<![\p{L}])(?:${words}) (?:the )?(${properName})`, 'u')
  const plain = new RegExp(
    String.raw`(?<![\p{L}])(?:${words}) ([\p{Ll}][\p{L}-]{2,30})(?= (?:to|from|on|in|at|by|tomorrow|today)\b|[,.?!]|$)`,
    'u',
  )
  const match = name.exec(text)?.[1]
  return match === undefined ? plain.exec(text)?.[1] : trimmed(match)
}
