import type { Config } from '../config/config.ts'

/** The targets that the settings name, as `provider/model`: callers cannot make more of them. */
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
