import { isoDay } from '../text/dates.ts'
import type { Clues } from './clues.ts'
import { isoDates } from './cues.ts'
import type { Property } from './property.ts'

const nowhere: Property = { name: '', label: '', description: '', required: true, roots: new Set() }

/** What a text holds in one of JSON Schema's string formats (draft 2020-12, Validation, section 7.3). */
export function formatCandidates(
  format: string,
  clues: Clues,
  property: Property | undefined,
): readonly string[] {
  const { text } = clues
  switch (format) {
    case 'date':
      return isoDates(clues, property ?? nowhere)
    case 'date-time': {
      const days = isoDates(clues, property ?? nowhere)
      const clock = clues.times[0]?.clock ?? '00:00'
      const literal =
        text.match(/\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:Z|[+-]\d\d:\d\d)/g) ?? []
      return [...literal, ...days.map((day) => `${day}T${clock}:00Z`)]
    }
    case 'time':
      return clues.times.map((span) => `${span.clock}:00Z`)
    case 'email':
    case 'idn-email':
      return clues.emails.map((span) => span.text)
    case 'uri':
    case 'url':
    case 'iri':
    case 'uri-reference':
      return clues.urls.map((span) =>
        span.text.startsWith('www.') ? `https://${span.text}` : span.text,
      )
    case 'uuid':
      return text.match(/\b[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}\b/gi) ?? []
    case 'ipv4':
      return text.match(/\b\d{1,3}(?:\.\d{1,3}){3}\b/g) ?? []
    case 'ipv6':
      return text.match(/\b(?:[\da-f]{1,4}:){2,7}[\da-f]{1,4}\b/gi) ?? []
    case 'hostname':
    case 'idn-hostname':
      return text.match(/\b[a-z\d-]{1,63}(?:\.[a-z\d-]{1,63}){0,4}\.[a-z]{2,12}\b/gi) ?? []
    case 'duration':
      return text.match(/\bP(?:\d+[YMWD]){0,3}(?:T(?:\d+[HMS]){1,3})?\b/g) ?? []
    default:
      return []
  }
}

/** A valid text of a format that says as little as possible; undefined for formats that allow any text. */
export function sampleFormat(format: string, now: number): string | undefined {
  const day = isoDay(now)
  const samples: Readonly<Record<string, string>> = {
    date: day,
    'date-time': `${day}T00:00:00Z`,
    time: '00:00:00Z',
    duration: 'PT0S',
    email: 'nobody@example.com',
    'idn-email': 'nobody@example.com',
    uri: 'https://example.com/',
    url: 'https://example.com/',
    iri: 'https://example.com/',
    'uri-reference': '/',
    'iri-reference': '/',
    'uri-template': '/',
    uuid: '00000000-0000-4000-8000-000000000000',
    ipv4: '0.0.0.0',
    ipv6: '::',
    hostname: 'example.com',
    'idn-hostname': 'example.com',
    'json-pointer': '',
    'relative-json-pointer': '0',
    regex: '.*',
    byte: '',
    'iso-time': '00:00:00Z',
    'iso-date-time': `${day}T00:00:00Z`,
  }
  return Object.hasOwn(samples, format) ? samples[format] : undefined
}
