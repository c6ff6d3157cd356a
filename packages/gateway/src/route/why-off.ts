import type { Settings } from '../settings/settings.ts'
import type { Provider } from '../providers/provider.ts'

export interface OffInput {
  readonly config: Pick<Settings, 'providers' | 'stored'>
  readonly catalogue: ReadonlyMap<string, Provider>
  /** Enabled providers, from sluice.yaml or from a key in the environment. */
  readonly upstreams: Pick<ReadonlyMap<string, unknown>, 'has'>
  /** Why a configured provider was skipped, by its name. */
  readonly skipped: ReadonlyMap<string, string>
}

/** Why a provider is off and how to enable it, in one sentence; undefined if it is on or unknown. */
export function whyOff(
  id: string,
  { config, catalogue, upstreams, skipped }: OffInput,
): string | undefined {
  if (upstreams.has(id)) return undefined
  if (config.stored.locked.includes(id))
    return `${id} is off: its settings are encrypted with another key than those in SLUICE_ENCRYPTION_KEY`
  const reason = skipped.get(id)
  if (reason !== undefined) return `${id} is off: ${reason}`
  if (Object.hasOwn(config.providers, id))
    return config.providers[id]?.enabled === false
      ? `${id} is off: providers.${id}.enabled is false`
      : undefined
  const provider = catalogue.get(id)
  if (!provider) return undefined
  if (provider.local === true)
    return `${id} is off: add providers.${id} to sluice.yaml, or run sluice discover --write`
  return `${id} is off: set ${provider.environment.join(' or ')}`
}
