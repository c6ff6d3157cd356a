import { objectOf } from '@sluice/contract'
import { everyRoutingField, type RoutingField } from '../providers/routing-fields.ts'

type Fields = Readonly<Record<string, unknown>>

/** The members below each top-level field that count; an empty list: the field itself. */
type Places = ReadonlyMap<string, readonly string[]>

const everywhere = placesOf(everyRoutingField)
const known = new WeakMap<readonly RoutingField[], Places>()

/**
 * A field of a request by which a provider would choose a model or a price; undefined if there is none. `fields` are
 * those that the provider knows; undefined: they are not known.
 */
export function routingFieldIn(
  request: Fields,
  fields: readonly RoutingField[] | undefined,
): string | undefined {
  const places = fields === undefined ? everywhere : knownPlaces(fields)
  // A request has few fields, and there are many places.
  for (const name in request) {
    const members = places.get(name)
    const value = request[name]
    if (members === undefined || value === undefined || value === null) continue
    if (members.length === 0) return name
    const found = members.find((member) => objectOf(value)[member] != null)
    if (found !== undefined) return `${name}.${found}`
  }
  return undefined
}

function knownPlaces(fields: readonly RoutingField[]): Places {
  const found = known.get(fields)
  if (found) return found
  const made = placesOf(fields)
  known.set(fields, made)
  return made
}

function placesOf(paths: readonly string[]): Places {
  const places = new Map<string, string[]>()
  for (const path of paths) {
    const [name = '', member] = path.split('.')
    const members = places.get(name) ?? []
    if (member !== undefined) members.push(member)
    places.set(name, members)
  }
  return places
}
