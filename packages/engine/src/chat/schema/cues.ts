import { findExpression } from '../math/expression.ts'
import { isoDay } from '../text/dates.ts'
import { coloursOf } from '../text/spans.ts'
import type { Clues } from './clues.ts'
import { topicOf, wordingOf } from './phrases.ts'
import { placeAfter, placesOf } from './places.ts'
import type { Property } from './property.ts'

/** How a property that is called so is found in a text: candidates, best first. */
interface Cue {
  readonly label: RegExp
  readonly find: (clues: Clues, property: Property) => readonly (string | undefined)[]
  /** False where the candidate is the best there is rather than what the text names so. */
  readonly sure?: false
}

const ends = /\b(?:end|until|till|return|check ?out|finish|stop|due|arrival)\b/

export const cues: readonly Cue[] = [
  {
    label: /\be ?mails?\b|\brecipients?\b/,
    find: (clues) => [...clues.emails.map((span) => span.text), placeAfter(clues, 'to')],
  },
  {
    label: /^(?:to|cc|bcc|send to|reply to)$/,
    find: (clues) => [
      ...clues.emails.map((span) => span.text),
      placeAfter(clues, 'to|for|tell|message|call|text'),
    ],
  },
  {
    label: /\b(?:url|uri|link|website|web page|webpage|href|homepage)\b/,
    find: (clues) => clues.urls.map((span) => span.text),
  },
  {
    label: /\b(?:phone|telephone|mobile|fax)\b/,
    find: (clues) => clues.phones.map((span) => span.text),
  },
  {
    label:
      /\b(?:date|day|deadline|birthday|dob|departure date|return date|check in|check out)\b|\bwhen\b/,
    find: dates,
  },
  { label: /\b(?:path|directory|folder|file ?name)\b/, find: paths },
  { label: /\b(?:time|hour|clock)\b(?!\s?zone)/, find: times },
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
      /\b(?:location|city|place|country|address|town|region|state|where|airport|capital|venue|geo|locality)\b/,
    find: (clues) => placesOf(clues).map((span) => span.text),
  },
  {
    label: /\b(?:expression|formula|equation|calculation|math)\b/,
    find: (clues) => [expressionIn(clues.text)],
  },
  {
    label: /\b(?:ticker|symbol|stock)\b/,
    find: (clues) => [...(clues.text.match(/\b[A-Z]{2,5}\b/g) ?? []), clues.names[0]?.text],
  },
  {
    label: /\bcurrency\b|\bcurrencies\b/,
    find: ({ text }) => text.match(/\b(?:USD|EUR|GBP|JPY|CNY|INR|CHF|CAD|AUD)\b/g) ?? [],
  },
  { label: /\b(?:language|lang)\b/, find: languages },
  {
    label: /\bcolou?r\b/,
    find: (clues) => coloursOf(clues.text).map((span) => span.text.toLowerCase()),
  },
  {
    label: /\bunits?\b/,
    find: (clues) => [
      /\b(?:celsius|fahrenheit|kelvin|metric|imperial|km|kilomet(?:re|er)s|miles|kg|pounds|met(?:re|er)s|feet)\b/i
        .exec(clues.text)?.[0]
        ?.toLowerCase(),
    ],
  },
  {
    label:
      /\b(?:id|identifier|code|sku|isbn|zip|postcode|postal|order number|invoice|reference|flight number|account number|tracking number)\b/,
    find: codes,
  },
  { label: /\b(?:sentiment|tone|mood)\b/, find: () => [] },
  {
    label: /\b(?:final answer|answer|result|response|output|solution|reply|value)\b/,
    find: answers,
  },
  {
    label: /\b(?:reasoning|explanation|rationale|thoughts?|justification|reason|evidence)\b/,
    find: (clues) => [clues.answer?.evidence.join(' ')],
    sure: false,
  },
  {
    label: /\bsummary\b|\btl ?dr\b/,
    find: (clues) => [
      clues.answer?.skill === 'summarise'
        ? clues.answer.phrasings[0]
        : clues.text.trim().slice(0, 300),
    ],
    sure: false,
  },
  {
    label:
      /\b(?:message|body|content|text|note|comment|caption|instruction|input|sentence|prompt|passage|document|command|code|description|details)\b/,
    find: wordingOf,
  },
  { label: /\b(?:query|search|keywords?|term|terms|q|question|topic|subject)\b/, find: topicOf },
  {
    label:
      /\b(?:title|heading|task|todo|item|product|event|song|book|movie|film|file ?name|label)\b/,
    find: titles,
  },
  {
    label:
      /\b(?:name|person|user|author|who|contact|attendee|participant|customer|artist|company|organi[sz]ation|team|owner|sender|patient|student|employee|manager|assignee|host|guest)\b/,
    find: people,
  },
]

function dates(clues: Clues, property: Property): readonly (string | undefined)[] {
  const all = clues.dates.map((span) => span.text.replace(/^on /i, ''))
  const [, ...later] = all
  return ends.test(property.label) && later.length > 0 ? later : all
}

/** Days as `2024-03-05`, in the order that `dates` gives them. */
export function isoDates(clues: Clues, property: Property): string[] {
  const all = clues.dates.map((span) => isoDay(span.time))
  return ends.test(property.label) && all.length > 1 ? all.slice(1) : all
}

function times(clues: Clues, property: Property): readonly (string | undefined)[] {
  const all = clues.times.map((span) => span.text)
  return ends.test(property.label) && all.length > 1 ? all.slice(1) : all
}

const pathPattern =
  /(?<![\w.:/\\~-])(?:~?\/[\w.@/-]{1,300}|(?:[\w.@-]{1,60}\/){1,20}[\w.@-]{0,60}|[\w-]{1,60}(?:\.[\w-]{1,12}){1,4})(?=[\s,;:!?)"'”]|\.(?:\s|$)|$)/g

function paths(clues: Clues): readonly string[] {
  return clues.text.match(pathPattern) ?? []
}

function expressionIn(text: string): string | undefined {
  const literal = /[-(\d][\d\s.,()+*/^%×÷!-]{1,300}[\d)!%]/.exec(text)?.[0].trim()
  if (literal !== undefined && /\d\s*[-+*/^%×÷]\s*[-(\d]|!/.test(literal)) return literal
  const found = findExpression(text.slice(0, 2000))
  return found?.written.replaceAll('×', '*').replaceAll('÷', '/')
}

const languageNames =
  'english french german spanish italian portuguese dutch russian chinese japanese korean arabic hindi turkish polish swedish greek latin hebrew danish norwegian finnish czech ukrainian vietnamese thai indonesian'.split(
    ' ',
  )

function languages(clues: Clues, property: Property): readonly (string | undefined)[] {
  const all = clues.words
    .filter((word) => languageNames.includes(word.lower))
    .map((word) => word.text)
  const target = new RegExp(`\\b(?:to|into|in) (${languageNames.join('|')})\\b`, 'i').exec(
    clues.text,
  )?.[1]
  const source = new RegExp(`\\bfrom (${languageNames.join('|')})\\b`, 'i').exec(clues.text)?.[1]
  if (/\b(?:source|from)\b/.test(property.label)) return [source]
  return [target, ...all.filter((name) => name !== source)]
}

function codes(clues: Clues): readonly string[] {
  return (
    clues.text.match(/(?<![\w.,-])(?=[\w-]{0,38}\d)[A-Za-z0-9][\w-]{0,38}(?![\w]|[.,]\d)/g) ?? []
  )
}

function answers(clues: Clues): readonly (string | undefined)[] {
  const { answer } = clues
  return answer === undefined || answer.skill === 'none'
    ? []
    : [answer.value ?? answer.phrasings[0]]
}

const called =
  /\b(?:called|named|titled|entitled|labell?ed)\s+["'“]?([\p{L}\p{N}][^"'”,.;!?\n]{0,80})/iu

function titles(clues: Clues): readonly (string | undefined)[] {
  const name = called.exec(clues.text)?.[1]?.trim()
  return [
    clues.quoted[0]?.text,
    name,
    ...wordingOf(clues).slice(0, 1),
    ...clues.names.map((span) => span.text),
  ]
}

function people(clues: Clues): readonly (string | undefined)[] {
  const introduced =
    /\b(?:name is|named|called|i am|i['’]m|name['’]s) ([\p{Lu}][\p{L}'’-]*(?: \p{Lu}[\p{L}'’-]*){0,3})/iu.exec(
      clues.text,
    )?.[1]
  return [introduced, ...clues.names.map((span) => span.text)]
}
