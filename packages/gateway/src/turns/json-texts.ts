import { GatewayError, isObject, JsonSurvey } from '@sluice/contract'
import { turn } from './turn.ts'

/** Bytes scanned per turn: about a millisecond. */
const stretchBytes = 512 * 1024
/** Shorter strings hold too few values to count. */
const countedLengthMin = 1024

/**
 * Throws `too_large` if the strings of a request that contain JSON themselves (tool call arguments and results) hold
 * more than `unitsMax` units in total (see JsonSurvey). They are parsed when translated to other providers' formats.
 * Scans them in turns.
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

/** Whether it is a tool result in Chat Completions, Messages or Responses form. */
function isResult({ role, type }: Readonly<Record<string, unknown>>): boolean {
  if (role === 'tool' || role === 'function') return true
  return typeof type === 'string' && /_(?:result|output)$/.test(type)
}

function textIn(part: unknown): string {
  const text = isObject(part) ? part['text'] : part
  return typeof text === 'string' ? text : ''
}

/** Adds the parts of a text if its beginning looks like JSON. */
function addJson(parts: readonly string[], texts: string[]): void {
  const first = parts.find((part) => /\S/.test(part))
  if (first !== undefined && /^\s*[{[]/.test(first))
    texts.push(...parts.filter(({ length }) => length >= countedLengthMin))
}
