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
export function unpricedNotes({ levels }: Route, at: number): readonly string[] {
  const targets = levels.flat()
  const unpriced = targets.filter(({ price }) => price.written(at) === undefined)
  const isAlone = unpriced.length === targets.length
  return [...new Set(unpriced.map(({ id }) => unpricedNote(id, isAlone)))]
}

/** The route without some of its targets, by their ids. */
export function withoutTargets(route: Route, ids: ReadonlySet<string>): Route {
  const levels = route.levels
    .map((level) => level.filter(({ id }) => !ids.has(id)))
    .filter((level) => level.length > 0)
  return { ...route, levels }
}

/** The targets of a route of which `isPriced` says no, each asked as the only one. */
export function unpricedIn(route: Route, isPriced: (alone: Route) => boolean): ReadonlySet<string> {
  const alone = (target: Target): Route => ({ ...route, levels: [[target]] })
  const unpriced = route.levels.flat().filter((target) => !isPriced(alone(target)))
  return new Set(unpriced.map(({ id }) => id))
}
