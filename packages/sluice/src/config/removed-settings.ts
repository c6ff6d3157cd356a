import type { Config } from './config.ts'

/**
 * The paths of keys, limits, providers and routes that a change removes. A truncated file looks the same as one that was
 * shortened on purpose.
 */
export function removedSettings(before: Config, after: Config): readonly string[] {
  return [
    ...keysRemoved(before, after),
    ...namesRemoved('limits', before.limits, after.limits),
    ...namesRemoved('providers', before.providers, after.providers),
    ...namesRemoved('models', before.models, after.models),
    ...(before.builtin.enabled === 'never' && after.builtin.enabled !== 'never'
      ? ['builtin.enabled: never']
      : []),
  ]
}

function keysRemoved(before: Config, after: Config): readonly string[] {
  return before.keys.flatMap((key) => {
    const next = after.keys.find(({ name }) => name === key.name)
    if (!next) return [`keys.${key.name}`]
    return namesRemoved(`keys.${key.name}`, key, next)
  })
}

function namesRemoved(path: string, before: object, after: object): readonly string[] {
  const remaining = new Set(namesIn(after))
  return namesIn(before)
    .filter((name) => !remaining.has(name))
    .map((name) => `${path}.${name}`)
}

function namesIn(settings: object): readonly string[] {
  return Object.entries(settings).flatMap(([name, value]) => (value === undefined ? [] : [name]))
}
