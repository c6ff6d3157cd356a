import { isoDay } from '../text/dates.ts'
import { createCheck } from './check.ts'
import type { Clues } from './clues.ts'
import { isoDates } from './kinds.ts'
import { tokensIn } from './phrases.ts'
import type { Property } from './property.ts'

/** Whether a text has one of JSON Schema's string formats (draft 2020-12, Validation, section 7.3). */
export function isOfFormat(format: string, text: string): boolean {
  return createCheck({ type: 'string', format })(text).length === 0
}

/** The parts of a text that have a format; none for unknown formats, which allow any text. */
export function formatCandidates(
  format: string,
  clues: Clues,
  property: Property,
): readonly string[] {
  if (isOfFormat(format, ' ')) return []
  const days = isoDates(clues, property)
  const clock = clues.times[0]?.clock ?? '00:00'
  // Some formats allow plain words; a word that happens to fit is not meant as one.
  const tokens = isOfFormat(format, 'word')
    ? tokensIn(clues).filter((token) => /[.:/]/.test(token))
    : tokensIn(clues)
  return [
    ...tokens.flatMap((token) =>
      token.startsWith('www.') ? [`https://${token}`, token] : [token],
    ),
    ...days,
    ...days.map((day) => `${day}T${clock}:00Z`),
    ...clues.times.map((span) => `${span.clock}:00Z`),
  ].filter((text) => isOfFormat(format, text))
}

const samples: readonly string[] = [
  'example.com',
  '00:00:00Z',
  'nobody@example.com',
  'https://example.com/',
  '00000000-0000-4000-8000-000000000000',
  '0.0.0.0',
  '::',
  'PT0S',
  '0',
]

/** A text of a format that says as little as possible. */
export function sampleFormat(format: string, now: number): string {
  const day = isoDay(now)
  return ['', day, `${day}T00:00:00Z`, ...samples].find((text) => isOfFormat(format, text)) ?? ''
}
