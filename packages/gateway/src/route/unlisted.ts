import { didYouMean } from '../settings/similar-name.ts'
import type { Upstream, UpstreamModel } from './routing.ts'

/** A model that a target names. */
interface Named {
  readonly upstream: Upstream
  /** As the target names it, or the provider's own name for it. */
  readonly model: string
}

/**
 * A note about a model that its provider does not list; undefined if it does, if nothing is known of its list, or where a name is
 * given by the account, such as that of a deployment.
 */
export function unlistedNote(
  { upstream, model }: Named,
  listed: readonly Pick<UpstreamModel, 'id' | 'upstream'>[] | undefined,
): string | undefined {
  const { id, provider } = upstream
  if (listed === undefined || listed.length === 0) return undefined
  if (provider.namesByAccount?.(model) === true) return undefined
  if (listed.some((one) => one.id === model || one.upstream === model)) return undefined
  const meant = didYouMean(
    model,
    listed.map((one) => one.id),
  )
  return `${id} does not list ${model}${meant === '' ? '' : `. ${meant}`}`
}
