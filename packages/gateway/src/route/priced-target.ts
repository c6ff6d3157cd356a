import type { PricedTarget } from '../prices/book.ts'
import type { RoutingInput } from './routing-input.ts'

/**
 * The target as the price list knows it. A provider based on a catalogue entry has the prices of that entry, whatever its name.
 * A model has the price that its setting `pricedAs` names, otherwise that of its name at the provider; where that is a name
 * that the account gave, such as that of a deployment, that of its id in the settings. Such a name itself says nothing about the model:
 * without an entry only the prices of sluice.yaml apply. `id` may be either name.
 */
export function pricedTarget(
  { config, upstreams }: Pick<RoutingInput, 'config' | 'upstreams'>,
  provider: string,
  id: string,
): PricedTarget {
  const { kind = provider, type } = config.providers[provider] ?? {}
  const upstream = upstreams.get(provider)
  const models = upstream?.models ?? []
  const own = models.find((one) => one.id === id) ?? models.find((one) => one.upstream === id)
  const named = own?.upstream ?? id
  const isGiven = upstream?.provider.namesByAccount?.(named) === true
  const model = own?.pricedAs ?? (isGiven ? (own?.id ?? named) : named)
  return {
    provider,
    catalogue: type === undefined && (own || !isGiven) ? kind : undefined,
    model,
    ...(model !== named && { alsoNamed: named }),
  }
}
