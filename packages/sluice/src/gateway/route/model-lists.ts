import { GatewayError } from '@sluice/contract'
import type { ModelCard } from '@sluice/protocols'
import { outgoing } from '../attempt/prepare.ts'
import { ask as askOnce, type Send } from '../attempt/send.ts'
import { untilAborted } from '../attempt/until-aborted.ts'
import type { Upstream, UpstreamModel } from './routing.ts'

/**
 * What each upstream says it has. Asked only when somebody needs to know, and again after ten minutes, for which nobody waits:
 * what was known holds until something newer is, also while the upstream cannot be asked.
 */
export interface ModelLists {
  owners(model: string): Promise<Owners>
  /** Everything known of one upstream's models. */
  of(upstream: Upstream): Promise<readonly UpstreamModel[]>
}

/** Who has a model, by ids of upstreams. */
export interface Owners {
  readonly listing: readonly string[]
  /** Those that have never said what they have, and might have it. */
  readonly silent: readonly string[]
}

export interface ModelListsInput {
  readonly upstreams: ReadonlyMap<string, Upstream>
  readonly send: Send
  readonly now: () => number
  readonly newId: (prefix: string) => string
  /** Told when an upstream could not be asked. */
  readonly failed: (upstream: string, reason: string) => void
}

const none: readonly UpstreamModel[] = []

const askMs = 3_000
const freshMs = 600_000
/** An upstream that did not answer is left alone for a minute. */
const failedMs = 60_000

interface Known {
  /** Undefined until it has said something. */
  models?: readonly ModelCard[] | undefined
  /** That, with what the provider's own table says: the same list until something newer was said. */
  merged?: { readonly said: readonly ModelCard[]; readonly models: readonly UpstreamModel[] }
  /** When it is asked again. */
  until: number
  asking?: Promise<void> | undefined
}

export function createModelLists(input: ModelListsInput): ModelLists {
  const known = new Map<string, Known>()

  async function refresh(upstream: Upstream, entry: Known): Promise<void> {
    try {
      entry.models = await ask(upstream, input)
      entry.until = input.now() + freshMs
    } catch (thrown) {
      entry.until = input.now() + failedMs
      input.failed(upstream.id, thrown instanceof Error ? thrown.message : String(thrown))
    }
    entry.asking = undefined
  }

  async function fetched(upstream: Upstream): Promise<readonly ModelCard[] | undefined> {
    const entry = known.get(upstream.id) ?? { until: -Infinity }
    known.set(upstream.id, entry)
    if (entry.until <= input.now()) entry.asking ??= refresh(upstream, entry)
    if (!entry.models) await entry.asking
    return entry.models
  }

  /** Undefined where the upstream has not said what it has, and nobody else knows. */
  async function listed(upstream: Upstream): Promise<readonly UpstreamModel[] | undefined> {
    if (upstream.models) return upstream.models
    const said = await fetched(upstream)
    const { models = [] } = upstream.provider
    if (!said) return models.length === 0 ? undefined : models
    const entry = known.get(upstream.id)
    if (entry?.merged?.said === said) return entry.merged.models
    const cards = new Map<string, UpstreamModel>()
    for (const card of models) cards.set(card.id, card)
    for (const card of said) cards.set(card.id, { ...cards.get(card.id), ...card })
    const merged = { said, models: [...cards.values()] }
    if (entry) entry.merged = merged
    return merged.models
  }

  return {
    of: async (upstream) => (await listed(upstream)) ?? none,
    async owners(model) {
      const all = [...input.upstreams.values()]
      const sure = all.filter((upstream) => knownIn(upstream, model))
      if (sure.length > 0) return { listing: sure.map(({ id }) => id), silent: [] }
      const lists = await Promise.all(
        all.map(async (upstream) => ({ id: upstream.id, models: await listed(upstream) })),
      )
      const listing = lists.filter(({ models }) => models?.some(({ id }) => id === model))
      const silent = lists.filter(({ models }) => models === undefined)
      return { listing: listing.map(({ id }) => id), silent: silent.map(({ id }) => id) }
    },
  }
}

function knownIn({ models, provider }: Upstream, model: string): boolean {
  return (models ?? provider.models ?? []).some(({ id }) => id === model)
}

/** Servers that have no list at all say so. */
const hasNoList: ReadonlySet<number> = new Set([404, 405, 501])

/** Each secret in turn until one is taken. Throws where the upstream does not say what it has. */
async function ask(
  upstream: Upstream,
  { send, newId }: ModelListsInput,
): Promise<readonly ModelCard[]> {
  const list = upstream.provider.protocol.models
  if (!list) return []
  const signal = AbortSignal.timeout(askMs)
  const request = outgoing({ method: 'GET', path: list.path }, upstream, newId)
  let status = 0
  for (const secret of upstream.secrets) {
    const signed = await untilAborted(
      upstream.provider.credentials(secret, request, upstream.settings),
      signal,
    )
    const headers = { ...request.headers, ...signed }
    const outgoingList = { method: 'GET', url: request.url, headers, body: undefined } as const
    const received = await askOnce(send, { ...outgoingList, connectMs: askMs }, signal)
    status = received.status
    if (status === 200) return list.decode(received.json())
    if (status !== 401 && status !== 403) break
  }
  if (status === 0 || hasNoList.has(status)) return []
  throw new GatewayError('upstream_unavailable', `it answered ${status}`)
}
