import { type Fields, isFields, parseJson } from '../../parts/fields.ts'

/** A route as an object; fields that the form does not show are kept. */
export type Route = Fields & {
  readonly targets: readonly Target[]
  readonly fallback?: readonly string[]
  readonly longer?: readonly string[]
}

export type Target = Fields & { readonly target: string }

/** Looks up the gateway's error message for a place in the route, such as `targets[0].weight`. */
export type ProblemAt = (place: string) => string | undefined

/** The route for a value of `models`: an alias (the id of a target) or a route object. */
export function routeOf(value: unknown): Route {
  if (typeof value === 'string') return { targets: [{ target: value }] }
  const route = isFields(value) ? value : {}
  const { targets, fallback, longer } = route
  // The order of the fields is kept, so that a plan shows only real changes.
  return {
    ...route,
    targets: Array.isArray(targets) ? targets.map(targetOf) : [],
    ...(Array.isArray(fallback) && { fallback: fallback.map(String) }),
    ...(Array.isArray(longer) && { longer: longer.map(String) }),
  }
}

/** The value to write for a route: an alias stays an alias as long as one can express it. */
export function writtenOf(route: Route, before: unknown): unknown {
  const [first, ...others] = route.targets
  const isPlain =
    first !== undefined &&
    others.length === 0 &&
    Object.keys(first).length === 1 &&
    Object.keys(route).length === 1
  if (typeof before === 'string' && isPlain) return first.target
  const { targets: written } = isFields(before) ? before : {}
  // A target that was written as a text stays one.
  const targets = route.targets.map((target) =>
    Array.isArray(written) && written.includes(target.target) && Object.keys(target).length === 1
      ? target.target
      : target,
  )
  return { ...route, targets }
}

/** Sets a nested value. Undefined removes it, and objects that become empty are removed with it. */
export function withValue<Of extends Fields>(
  of: Of,
  [name = '', ...rest]: readonly string[],
  value: unknown,
): Of {
  const { [name]: before, ...others } = of
  const inner = rest.length === 0 ? value : withValue(isFields(before) ? before : {}, rest, value)
  const isEmpty = inner === undefined || (isFields(inner) && Object.keys(inner).length === 0)
  // A field that has a value keeps its position.
  return (isEmpty ? others : { ...of, [name]: inner }) as Fields as Of
}

export function valueAt(of: unknown, [name, ...rest]: readonly string[]): unknown {
  if (name === undefined) return of
  return isFields(of) ? valueAt(of[name], rest) : undefined
}

/** The same models with one of them renamed, in the same position. */
export function renamed(models: Fields, from: string, to: string): Fields {
  return Object.fromEntries(
    Object.entries(models).map(([name, value]) => [name === from ? to : name, value]),
  )
}

/** Undefined if the text is not a JSON object. */
export function parsedModels(text: string): Fields | undefined {
  const value = parseJson(text)
  return isFields(value) ? value : undefined
}

export function textOf(models: Fields): string {
  return JSON.stringify(models, null, 2)
}

function targetOf(value: unknown): Target {
  if (typeof value === 'string') return { target: value }
  const written = isFields(value) ? value : {}
  const { target } = written
  return { ...written, target: typeof target === 'string' ? target : '' }
}
