import { type DefaultParameters, type Fields, isObject, objectOf } from '@sluice/contract'
import type { NewValue } from './native-target.ts'

/** A route's default parameters that a request does not give. */
export interface Defaulted {
  /** All of them, in the canonical form. */
  readonly all: DefaultParameters
  /** They in the request's own format. */
  readonly changes: readonly NewValue[]
  /** Those that the format has no field for, in the canonical form. */
  readonly further: DefaultParameters
}

/** Where a client format has a parameter. */
export interface Place {
  readonly path: NewValue['path']
  /** Other fields by which a request decides the same. */
  readonly also?: readonly NewValue['path'][]
  /** The value as the format writes it. Default: the same. */
  readonly written?: (value: unknown) => unknown
}

export type Places = { readonly [Name in keyof DefaultParameters]?: Place }

/** The parameters that a request does not give, where its format has them. Null counts as not given. */
export function placedDefaults(
  request: unknown,
  defaults: DefaultParameters,
  places: Places,
): Defaulted {
  const changes: NewValue[] = []
  const further: Record<string, unknown> = {}
  const all: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(defaults)) {
    const place = places[name as keyof DefaultParameters]
    const paths = place === undefined ? [] : [place.path, ...(place.also ?? [])]
    if (paths.some((path) => isGiven(request, path))) continue
    all[name] = value
    if (place === undefined) further[name] = value
    else changes.push({ path: place.path, value: place.written ? place.written(value) : value })
  }
  return { all, changes: joined(request, changes), further }
}

/** Whether a request has a value there. */
export function isGiven(request: unknown, [outer, inner]: NewValue['path']): boolean {
  const value = objectOf(request)[outer]
  return (inner === undefined ? value : objectOf(value)[inner]) != null
}

/** Values inside an object that the request does not have are one new object. */
function joined(request: unknown, changes: readonly NewValue[]): readonly NewValue[] {
  const made = new Map<string, Fields>()
  const rest = changes.filter(({ path: [outer, inner], value }) => {
    if (inner === undefined || isObject(objectOf(request)[outer])) return true
    made.set(outer, { ...made.get(outer), [inner]: value })
    return false
  })
  return [...rest, ...[...made].map(([outer, value]): NewValue => ({ path: [outer], value }))]
}
