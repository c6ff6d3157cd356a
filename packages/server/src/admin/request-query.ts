import { type CallOutcome, invalidRequest } from '@sluice/contract'
import { formats } from '@sluice/protocols/formats.ts'
import type { Caller } from '@sluice/gateway/ports/api-key.ts'
import type { RequestScope } from '@sluice/gateway/ports/usage-store.ts'
import { parameter } from '../openapi-endpoint.ts'
import type { Values } from '../query.ts'
import { text } from '../shapes.ts'
import { allDimensions, readScope, scopeParameters, withinTeam } from '../usage-query.ts'

const outcomes: readonly (CallOutcome | 'refused')[] = [
  'completed',
  'failed',
  'cancelled',
  'incomplete',
  'refused',
]

/** The filters for calls, without paging. */
export const requestFilters = {
  ...without(scopeParameters(allDimensions), 'outcome'),
  outcome: parameter(
    { enum: outcomes },
    'How one of its attempts ended, or `refused`: no upstream was asked.',
  ),
  requestedModel: parameter(
    text,
    'The model as the caller named it: a route, an alias, or what stands at the upstream.',
  ),
  id: parameter(
    text,
    'What the gateway (`req_…`) or the caller (`x-request-id`) calls the request.',
  ),
  status: parameter(text, 'A status such as 429, or a class such as 5xx.'),
  format: parameter(text, 'The client format, such as `chat` or `messages`.'),
}

/** The properties without one of them. */
export function without<Properties extends object, Name extends keyof Properties>(
  properties: Properties,
  name: Name,
): Omit<Properties, Name> {
  const { [name]: _, ...others } = properties
  return others
}

/**
 * Parses the filters of a query. Team administrators are restricted to their team.
 *
 * @throws invalid_request with the name of the invalid field.
 */
export function readRequestScope(
  given: Values<typeof requestFilters>,
  key: Caller,
  now: number,
): RequestScope {
  const scope = withinTeam(readScope(given, { dimensions: allDimensions, now }, 1), key)
  const id = said(given.id)
  const format = said(given.format)
  const requestedModel = said(given.requestedModel)
  const status = statusIn(said(given.status))
  assertOutcome(scope.only.outcome)
  if (format !== undefined && !formats.some(({ id: known }) => known === format))
    throw invalidRequest("'format' must be the name of a client format, such as messages", 'format')
  return {
    ...scope,
    ...(id !== undefined && { id }),
    ...(status && { status }),
    ...(format !== undefined && { format }),
    ...(requestedModel !== undefined && { requestedModel }),
  }
}

/** An empty filter is none. */
function said(value: string | undefined): string | undefined {
  return value === '' ? undefined : value
}

function assertOutcome(value: string | undefined): void {
  if (value !== undefined && !outcomes.some((outcome) => outcome === value))
    throw invalidRequest(`'outcome' must be one of ${outcomes.join(', ')}`, 'outcome')
}

function statusIn(value: string | undefined): readonly [number, number] | undefined {
  if (value === undefined) return undefined
  const [, first, rest = ''] = /^([1-5])(\d\d|xx)$/.exec(value) ?? []
  if (first === undefined)
    throw invalidRequest("'status' must be a status such as 429, or a class such as 5xx", 'status')
  if (rest !== 'xx') return [Number(value), Number(value)]
  return [Number(first) * 100, Number(first) * 100 + 99]
}
