import type { Route, Target } from './routing.ts'

/** The line of sluice.yaml that makes the price of a target known, without its numbers. */
export function priceLine(target: string): string {
  return `prices: {${JSON.stringify(target)}: {input: …, output: …}}`
}

/** What a call costs there is unknown, so a budget cannot count it. */
export function unpricedNote(target: string, isAlone: boolean): string {
  const then = isAlone ? 'are refused' : 'skip it'
  return `the price of ${target} is unknown, and calls that a budget counts ${then}: write ${priceLine(target)} into sluice.yaml`
}

/** Notes about the targets of a route that have no price at all; empty if each has one. */
export function unpricedNotes(route: Route, at: number): readonly string[] {
  const targets = everyLevel(route).flat()
  const unpriced = targets.filter(({ price }) => price.written(at) === undefined)
  const isAlone = unpriced.length === targets.length
  return [...new Set(unpriced.map(({ id }) => unpricedNote(id, isAlone)))]
}

/** The route without some of its targets, by their ids. */
export function withoutTargets(route: Route, ids: ReadonlySet<string>): Route {
  const rest = (levels: Route['levels']) =>
    levels
      .map((level) => level.filter(({ id }) => !ids.has(id)))
      .filter((level) => level.length > 0)
  const longer = route.longer?.map((one) => ({ ...one, levels: rest(one.levels) }))
  return { ...route, levels: rest(route.levels), ...(longer && { longer }) }
}

/** All levels that a call may be sent to, those for a longer prompt included. */
export function everyLevel({ levels, longer }: Route): Route['levels'] {
  return longer === undefined ? levels : [...levels, ...longer.flatMap((one) => one.levels)]
}

/** The targets of a route of which `isPriced` says no, each asked as the only one. */
export function unpricedIn(route: Route, isPriced: (alone: Route) => boolean): ReadonlySet<string> {
  const { longer: _, ...rest } = route
  const alone = (target: Target): Route => ({ ...rest, levels: [[target]] })
  const unpriced = everyLevel(route)
    .flat()
    .filter((target) => !isPriced(alone(target)))
  return new Set(unpriced.map(({ id }) => id))
}
