import type { Config } from './config.ts'

/**
 * What a change takes away of keys, limits, providers and routes, by its path in the settings file. A file that was cut
 * short looks the same as one that somebody has shortened.
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
  const left = new Set(namesIn(after))
  return namesIn(before)
    .filter((name) => !left.has(name))
    .map((name) => `${path}.${name}`)
}

function namesIn(settings: object): readonly string[] {
  return Object.entries(settings).flatMap(([name, value]) => (value === undefined ? [] : [name]))
}
