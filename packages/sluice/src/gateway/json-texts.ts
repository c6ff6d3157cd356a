import { GatewayError, isObject, JsonSurvey } from '@sluice/contract'
import { turn } from './turns.ts'

/** So much is looked through in one turn: about a millisecond. */
const stretchBytes = 512 * 1024
/** A shorter text holds too few values to count. */
const countedLengthMin = 1024

/**
 * Throws `too_large` where the texts of a request that are JSON themselves, the arguments and results of its calls,
 * hold more than `unitsMax` units (see JsonSurvey) together: to say them in the words of other providers they are
 * parsed. Looks through them in turns.
 */
export async function assertFewInTexts(request: unknown, unitsMax: number): Promise<void> {
  const texts: string[] = []
  gather(request, texts)
  let units = 0
  for (const text of texts) {
    const survey = new JsonSurvey(Buffer.from(text), Number.POSITIVE_INFINITY)
    for (; !survey.isDone; await turn()) {
      survey.advance(stretchBytes)
      if (units + survey.units > unitsMax)
        throw new GatewayError(
          'too_large',
          `The calls and results of the request hold more than ${unitsMax} values; each text, name, list and object counts as four`,
        )
    }
    units += survey.units
  }
}

function gather(value: unknown, texts: string[]): void {
  if (Array.isArray(value)) for (const item of value) gather(item, texts)
  else if (isObject(value))
    for (const name in value) {
      const field = value[name]
      if (typeof field === 'string') {
        if (name === 'arguments' || name === 'output' || isResult(value)) addJson([field], texts)
      } else if (isResult(value) && Array.isArray(field)) addJson(field.map(textIn), texts)
      else gather(field, texts)
    }
}

/** A result of a call as chat, Messages and Responses have it. */
function isResult({ role, type }: Readonly<Record<string, unknown>>): boolean {
  if (role === 'tool' || role === 'function') return true
  return typeof type === 'string' && /_(?:result|output)$/.test(type)
}

function textIn(part: unknown): string {
  const text = isObject(part) ? part['text'] : part
  return typeof text === 'string' ? text : ''
}

/** The parts of a text; its beginning tells whether it may be JSON. */
function addJson(parts: readonly string[], texts: string[]): void {
  const first = parts.find((part) => /\S/.test(part))
  if (first !== undefined && /^\s*[{[]/.test(first))
    texts.push(...parts.filter(({ length }) => length >= countedLengthMin))
}
