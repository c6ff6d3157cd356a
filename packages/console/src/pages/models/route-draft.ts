/** `models` of sluice.yaml as they are written there, by name. */
export type Written = Readonly<Record<string, unknown>>

/** A route as an object; what the form does not show of it stays. */
export type Route = Written & {
  readonly targets: readonly Target[]
  readonly fallback?: readonly string[]
}

export type Target = Written & { readonly target: string }

/** What the gateway says of a place in the route, such as `targets[0].weight`. */
export type ProblemAt = (place: string) => string | undefined

/** A value of `models`: an alias, which is the id of a target, or a route. */
export function routeOf(value: unknown): Route {
  if (typeof value === 'string') return { targets: [{ target: value }] }
  const route = isWritten(value) ? value : {}
  const { targets, fallback } = route
  // Each at its place, so that a plan shows only what is changed.
  return {
    ...route,
    targets: Array.isArray(targets) ? targets.map(targetOf) : [],
    ...(Array.isArray(fallback) && { fallback: fallback.map(String) }),
  }
}

/** What is written of a route: an alias stays one while it is nothing more. */
export function writtenOf(route: Route, before: unknown): unknown {
  const [first, ...others] = route.targets
  const isPlain =
    first !== undefined &&
    others.length === 0 &&
    Object.keys(first).length === 1 &&
    Object.keys(route).length === 1
  return typeof before === 'string' && isPlain ? first.target : route
}

/** Without what is empty: undefined takes a value away, and an object that has none goes with it. */
export function withValue<Of extends Written>(
  of: Of,
  [name = '', ...rest]: readonly string[],
  value: unknown,
): Of {
  const { [name]: before, ...others } = of
  const inner = rest.length === 0 ? value : withValue(isWritten(before) ? before : {}, rest, value)
  const isEmpty = inner === undefined || (isWritten(inner) && Object.keys(inner).length === 0)
  // What has a value keeps its place.
  return (isEmpty ? others : { ...of, [name]: inner }) as Written as Of
}

export function valueAt(of: unknown, [name, ...rest]: readonly string[]): unknown {
  if (name === undefined) return of
  return isWritten(of) ? valueAt(of[name], rest) : undefined
}

/** The same models with one of them called otherwise, at its place. */
export function renamed(models: Written, from: string, to: string): Written {
  return Object.fromEntries(
    Object.entries(models).map(([name, value]) => [name === from ? to : name, value]),
  )
}

/** Undefined where the text is no JSON object. */
export function parsedModels(text: string): Written | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return isWritten(value) ? value : undefined
  } catch {
    return undefined
  }
}

export function textOf(models: Written): string {
  return JSON.stringify(models, null, 2)
}

function targetOf(value: unknown): Target {
  const written = isWritten(value) ? value : {}
  const { target } = written
  return { ...written, target: typeof target === 'string' ? target : '' }
}

function isWritten(value: unknown): value is Written {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
