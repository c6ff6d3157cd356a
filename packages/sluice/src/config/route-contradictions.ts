import type { Mistake } from './explain-errors.ts'
import type { ConfigFile } from './schema.ts'

type Models = NonNullable<ConfigFile['models']>
type Route = Exclude<Models[string], string>

/** What contradicts itself in routes, and the schema cannot express. */
export function routeContradictions(models: Models): readonly Mistake[] {
  return Object.entries(models).flatMap(([name, written]) => {
    const found =
      typeof written === 'string'
        ? wildcardProblem(name, written, [])
        : [
            ...wildcardProblems(name, written),
            ...ownLonger(name, written),
            ...doubledDefaults(written),
            ...doubledChoice(written),
          ]
    return found.map(({ path, problem }) => ({ path: ['models', name, ...path], problem }))
  })
}

function wildcardProblems(name: string, route: Route): readonly Mistake[] {
  const { targets, fallback = [], longer = [] } = route
  return [
    ...targets.flatMap((written, index) =>
      typeof written === 'string'
        ? wildcardProblem(name, written, ['targets', index])
        : wildcardProblem(name, written.target, ['targets', index, 'target']),
    ),
    ...fallback.flatMap((next, index) => unfilled(name, next, ['fallback', index])),
    ...longer.flatMap((next, index) => unfilled(name, next, ['longer', index])),
  ]
}

/** A target has a `*` where the name has one, and nowhere else. */
function wildcardProblem(name: string, target: string, path: Mistake['path']): readonly Mistake[] {
  if (target.slice(0, target.indexOf('/')).includes('*'))
    return [{ path, problem: 'must name the provider: * stands for a part of the model’s name' }]
  if (name.includes('*') && !target.includes('*'))
    return [{ path, problem: 'has no *, and the name of the route has one: both or neither' }]
  return unfilled(name, target, path)
}

function unfilled(name: string, next: string, path: Mistake['path']): readonly Mistake[] {
  return next.includes('*') && !name.includes('*')
    ? [{ path, problem: 'has a *, and the name of the route has none: both or neither' }]
    : []
}

/** What does not fit a model does not fit it a second time. */
function ownLonger(name: string, { targets, longer = [] }: Route): readonly Mistake[] {
  const own = new Set([name, ...targets.map((one) => (typeof one === 'string' ? one : one.target))])
  return longer.flatMap((next, index) =>
    own.has(next)
      ? [{ path: ['longer', index], problem: 'is the route itself or one of its own targets' }]
      : [],
  )
}

function doubledDefaults({ defaults = {} }: Route): readonly Mistake[] {
  const { max_tokens: older, max_completion_tokens: newer } = defaults
  if (older === undefined || newer === undefined) return []
  const problem = 'must not stand beside max_completion_tokens, which is the same'
  return [{ path: ['defaults', 'max_tokens'], problem }]
}

/** Two settings that decide which target is next. */
export function doubledChoice({
  choose,
  strategy,
  sticky,
}: Pick<Route, 'choose' | 'strategy' | 'sticky'>): readonly Mistake[] {
  if (choose === undefined) return []
  const other = strategy !== undefined ? 'strategy' : sticky === true ? 'sticky' : undefined
  return other === undefined
    ? []
    : [{ path: ['choose'], problem: `must not stand beside ${other}: one of them chooses` }]
}
