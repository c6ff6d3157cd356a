import { trimEndOf } from '../text/trim.ts'
import type { Span } from '../text/spans.ts'
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

/** Names of places in the order of the text: capitalised words behind a preposition, and their lists. */
export function placesOf(clues: Clues): Span[] {
  const { text } = clues
  const found = new Map<number, Span>()
  for (const pattern of [afterPreposition, afterComma])
    for (const match of text.matchAll(pattern)) {
      const place = trimmed(match[1] ?? '')
      const start = match.index + match[0].lastIndexOf(match[1] ?? '')
      const span = { text: place, start, end: start + place.length }
      const joins =
        pattern !== afterComma || [...found.values()].some((other) => other.end <= start)
      const inside = [...found.values()].some((other) => start >= other.start && start < other.end)
      if (place !== '' && joins && !inside && !isDay(place)) found.set(start, span)
    }
  const spans = [...found.values()].sort((left, right) => left.start - right.start)
  if (spans.length > 0) return spans
  const lower = [...text.matchAll(lowerPlace)].map((match) => {
    const start = match.index + match[0].indexOf(match[1] ?? '')
    return { text: match[1] ?? '', start, end: start + (match[1] ?? '').length }
  })
  return clues.names.length > 0 ? clues.names.filter((span) => !isDay(span.text)) : lower
}

function trimmed(place: string): string {
  return trimEndOf(place.replace(/['’]s$/u, ''), ".,'’-")
}

function isDay(text: string): boolean {
  return /^(?:mon|tues|wednes|thurs|fri|satur|sun)day|^(?:january|february|march|april|may|june|july|august|september|october|november|december)\b|^(?:celsius|fahrenheit|english|french|german|spanish)\b/i.test(
    text,
  )
}

/** The place that stands behind one of these words. */
export function placeAfter(clues: Clues, words: string): string | undefined {
  const pattern = new RegExp(String.raw`(?<![\p{L}])(?:${words}) (?:the )?(${properName})`, 'u')
  const match = pattern.exec(clues.text)?.[1]
  if (match !== undefined) return trimmed(match)
  return new RegExp(
    String.raw`(?<![\p{L}])(?:${words}) ([\p{Ll}][\p{L}-]{2,30})(?= (?:to|from|on|in|at|by|tomorrow|today)\b|[,.?!]|$)`,
    'u',
  ).exec(clues.text)?.[1]
}
