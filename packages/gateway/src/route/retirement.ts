import type { Settings } from '../settings/settings.ts'
import type { Upstream } from './routing.ts'

/**
 * When its provider retires a model (YYYY-MM-DD, UTC), if it has said so; may be past. Undefined at another address than the
 * provider's own, which may serve something else under that name.
 */
export function retirementOf(
  { provider, isOtherBase, models }: Upstream,
  model: string,
): string | undefined {
  if (isOtherBase) return undefined
  const { upstream = model } = models?.find(({ id }) => id === model) ?? {}
  return provider.retirements?.get(upstream)
}

/** A model named in the configuration that its provider retires. */
export interface Retiring {
  readonly target: string
  /** YYYY-MM-DD, UTC. */
  readonly date: string
  /** A sentence without a full stop that says where it is named. */
  readonly text: string
}

/** The targets, fallbacks and models of providers in the configuration whose retirement is known, in that order. */
export function retiringModels(
  { models }: Pick<Settings, 'models'>,
  upstreams: ReadonlyMap<string, Upstream>,
  today: string,
): readonly Retiring[] {
  const named = Object.entries(models).flatMap(([name, model]) =>
    leadsTo(model).map((target) => [target, `models.${name} leads to ${target}`] as const),
  )
  const listed = [...upstreams.values()].flatMap(({ id, models: own = [] }) =>
    own.map((model) => [`${id}/${model.id}`, `providers.${id} lists ${model.id}`] as const),
  )
  return [...named, ...listed].flatMap(([target, where]) => {
    const slash = target.indexOf('/')
    const upstream = slash < 0 ? undefined : upstreams.get(target.slice(0, slash))
    const date = upstream && retirementOf(upstream, target.slice(slash + 1))
    if (date === undefined) return []
    const verb = date <= today ? 'retired' : 'retires'
    return [{ target, date, text: `${where}, which ${upstream?.provider.name} ${verb} on ${date}` }]
  })
}

function leadsTo(model: Settings['models'][string]): readonly string[] {
  if (typeof model === 'string') return [model]
  return [...model.targets.map(({ target }) => target), ...(model.fallback ?? [])]
}
