import { findExpression } from '../math/expression.ts'
import { isoDay } from '../text/dates.ts'
import { coloursOf, pathsOf, type Span, spansIn, trimEndOf } from '../text/spans.ts'
import type { Clues } from './clues.ts'
import type { Property } from './fill-context.ts'
import { topicOf, wordingOf } from './phrases.ts'

/** A kind of value in texts: the usual names of its properties, and how to find it, best first. */
interface Kind {
  readonly label: RegExp
  readonly find: (clues: Clues, property: Property) => readonly (string | undefined)[]
  /** Whether a list of this kind contains everything that is found. */
  readonly many?: true
  /** Such a value has a form of its own in a text, so that no other phrase can be meant. */
  readonly formal?: true
}

/** The first entry that matches a property's name is its kind. */
export const kinds: readonly Kind[] = [
  { label: /\be ?mails?\b/, find: ({ emails }) => textsOf(emails), many: true, formal: true },
  {
    label: /\brecipients?\b|^(?:to|cc|bcc|send to|reply to)$/,
    find: (clues) => [...textsOf(clues.emails), placeAfter(clues, 'to|for|tell|message|call|text')],
    many: true,
  },
  {
    label: /\b(?:urls?|uri|links?|web ?sites?|web ?pages?|href|homepage)\b/,
    find: ({ urls }) => textsOf(urls),
    formal: true,
    many: true,
  },
  {
    label: /\b(?:phone|telephone|mobile|fax)\b/,
    find: ({ phones }) => textsOf(phones),
    formal: true,
    many: true,
  },
  {
    label: /\b(?:dates?|days?|deadline|birthday|dob|check in|check out)\b|\bwhen\b/,
    find: (clues, property) =>
      lastIfEnd(textsOf(clues.dates), property).map((text) => text.replace(/^on /i, '')),
    formal: true,
    many: true,
  },
  {
    label: /\b(?:path|directory|folder|file ?name)\b/,
    find: ({ text }) => textsOf(pathsOf(text)),
    formal: true,
  },
  {
    label: /\b(?:time|hour|clock)\b(?!\s?zone)/,
    find: (clues, property) => lastIfEnd(textsOf(clues.times), property),
    formal: true,
  },
  {
    label: /\b(?:origin|from|departure|source|start location|pickup|starting)\b/,
    find: (clues) => [placeAfter(clues, 'from|leaving|departing')],
  },
  {
    label: /\b(?:destination|to|arrival|drop ?off|target city)\b/,
    find: (clues) => [placeAfter(clues, 'to|towards|into|for'), placesOf(clues).at(-1)?.text],
  },
  {
    label:
      /\b(?:locations?|city|cities|places?|country|countries|address|town|region|state|where|airport|venue|stops)\b/,
    find: (clues) => textsOf(placesOf(clues)),
    formal: true,
    many: true,
  },
  {
    label: /\b(?:expression|formula|equation|calculation|math)\b/,
    find: ({ text }) => [expressionIn(text)],
  },
  {
    label: /\b(?:language|lang)\b/,
    find: (clues, { label }) => [
      placeAfter(clues, /\b(?:source|from)\b/.test(label) ? 'from' : 'to|into|in'),
    ],
  },
  {
    label: /\bcolou?rs?\b/,
    find: ({ text }) => coloursOf(text).map((span) => span.text.toLowerCase()),
    many: true,
  },
  {
    label:
      /^number$|\b(?:id|identifier|code|sku|isbn|zip|postcode|postal|order number|invoice|reference|flight number|account number|tracking number)\b/,
    find: ({ text }) =>
      withLettersFirst(
        text.match(/(?<![\w.,-])(?=[\w-]{0,38}\d)[A-Za-z0-9][\w-]{0,38}(?![\w]|[.,]\d)/g) ?? [],
      ),
  },
  {
    label: /\b(?:answer|result|response|output|solution|reply|value|summary|tl ?dr)\b/,
    find: ({ answer }) => (answer?.skill === 'none' ? [] : [answer?.value ?? answer?.phrasings[0]]),
  },
  {
    label:
      /\b(?:message|body|content|text|note|comment|caption|instruction|input|sentence|prompt|passage|document|command|description|details)\b/,
    find: wordingOf,
  },
  { label: /\b(?:query|search|keywords?|term|terms|q|question|topic|subject)\b/, find: topicOf },
  {
    label: /\b(?:title|heading|task|todo|item|product|event|song|book|movie|film|label)\b/,
    find: (clues) => [
      clues.quoted[0]?.text,
      called.exec(clues.text)?.[1]?.trim(),
      wordingOf(clues)[0],
      ...textsOf(clues.names),
    ],
  },
  {
    label:
      /\b(?:names?|persons?|people|users?|authors?|who|contact|attendees?|participants?|customer|vendor|supplier|merchant|seller|artist|company|organi[sz]ation|team|owner|sender|patient|student|employee|manager|assignee|host|guests?|members?|characters?|entities|friends|players|speakers)\b/,
    find: (clues) => [
      introduced.exec(clues.text)?.[1],
      ...textsOf(
        clues.names.filter(
          ({ start }) => !related.test(clues.text.slice(Math.max(0, start - 60), start)),
        ),
      ).filter((name) => !/\d/.test(name)),
    ],
    many: true,
  },
]

/** What stands before somebody else's name: "the president of France" is not France. */
const related =
  /\b(?:presidents?|kings?|queens?|ministers?|chancellor|mayor|governor|leader|head|chair|ceo|founders?|inventors?|creators?|authors?|writers?|directors?|composers?|painters?|singers?|actors?|captain|coach|winners?|capital|population|mother|father|wife|husband|son|daughter|brother|sister) (?:of|at) (?:the )?$/i

/** A code that contains letters is more likely than a plain number. */
function withLettersFirst(found: readonly string[]): readonly string[] {
  const has = (text: string): boolean => /[A-Za-z]/.test(text)
  return [...found.filter(has), ...found.filter((text) => !has(text))]
}

function textsOf(spans: readonly Span[]): string[] {
  return spans.map((span) => span.text)
}

const ends = /\b(?:end|until|till|return|check ?out|finish|stop|due|arrival)\b/

/** For a property that names an end, the second of two values. */
function lastIfEnd<T>(found: readonly T[], { label }: Property): readonly T[] {
  return ends.test(label) && found.length > 1 ? found.slice(1) : found
}

/** Days as `2024-03-05`. */
export function isoDates({ dates }: Clues, property: Property): readonly string[] {
  return lastIfEnd(
    dates.flatMap(({ time }) => (time === undefined ? [] : isoDay(time))),
    property,
  )
}

function expressionIn(text: string): string | undefined {
  const literal = /[-(\d][\d\s.,()+*/^%×÷!-]{1,300}[\d)!%]/.exec(text)?.[0].trim()
  if (literal !== undefined && /\d\s*[-+*/^%×÷]\s*[-(\d]|!/.test(literal)) return literal
  return findExpression(text.slice(0, 2000))?.written.replaceAll('×', '*').replaceAll('÷', '/')
}

const called =
  /\b(?:called|named|titled|entitled|labell?ed)\s+["'“]?([\p{L}\p{N}][^"'”,.;!?\n]{0,80})/iu
const introduced =
  /\b(?:name is|named|called|i am|i['’]m|name['’]s) ([\p{Lu}][\p{L}'’-]*(?: \p{Lu}[\p{L}'’-]*){0,3})/iu

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
function placesOf({ text, names }: Clues): Span[] {
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
function placeAfter({ text }: Clues, words: string): string | undefined {
  const name = new RegExp(String.raw`(?<![\p{L}])(?:${words}) (?:the )?(${properName})`, 'u')
  const plain = new RegExp(
    String.raw`(?<![\p{L}])(?:${words}) ([\p{Ll}][\p{L}-]{2,30})(?= (?:to|from|on|in|at|by|tomorrow|today)\b|[,.?!]|$)`,
    'u',
  )
  const match = name.exec(text)?.[1]
  return match === undefined ? plain.exec(text)?.[1] : trimmed(match)
}
