import type { Config } from '../config/config.ts'

/** The targets named in the settings, as `provider/model`; callers cannot add to them. */
export function configuredModels({ models, providers }: Config): readonly string[] {
  const fromModels = Object.values(models).flatMap((model) =>
    typeof model === 'string' ? [model] : model.targets.map(({ target }) => target),
  )
  const fromProviders = Object.entries(providers).flatMap(([provider, { models: listed = [] }]) =>
    listed.map((model) =>
      typeof model === 'string'
        ? `${provider}/${model}`
        : `${provider}/${model.upstream ?? model.id}`,
    ),
  )
  return [...fromModels, ...fromProviders]
}
