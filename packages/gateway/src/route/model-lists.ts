import { GatewayError, isObject } from '@sluice/contract'
import type { ModelCard, Received } from '@sluice/protocols/protocol.ts'
import { outgoing } from '../providers/provider.ts'
import { missingAddress } from '../call/missing-address.ts'
import { ask as askOnce, type Send } from '../call/send.ts'
import { untilAborted } from '../call/until-aborted.ts'
import type { Upstream, UpstreamModel } from './routing.ts'

/**
 * The model lists of the upstreams. Fetched on demand and refreshed in the background after ten minutes. A known list
 * stays valid until a newer one arrives, even if the upstream cannot be reached.
 */
export interface ModelLists {
  owners(model: string): Promise<Owners>
  /** The card of a model in an upstream's list or the provider's table, as far as it is known; nothing is fetched. */
  known(upstream: Upstream, model: string): ModelCard | undefined
  /** The models that an upstream or its settings list; undefined if it could not be asked. */
  told(upstream: Upstream): Promise<readonly UpstreamModel[] | undefined>
  /** All known models of one upstream. */
  of(upstream: Upstream): Promise<readonly UpstreamModel[]>
}

/** The upstreams that have a model, by id. */
export interface Owners {
  readonly listing: readonly string[]
  /** Upstreams whose list is unknown and that might have it. */
  readonly silent: readonly string[]
}

export interface ModelListsInput {
  readonly upstreams: ReadonlyMap<string, Upstream>
  readonly send: Send
  readonly now: () => number
  readonly newId: (prefix: string) => string
  /** Called when an upstream's list could not be fetched. */
  readonly failed: (upstream: string, reason: string) => void
}

const none: readonly UpstreamModel[] = []

const askMs = 3_000
const freshMs = 600_000
/** An upstream that failed is not asked again for a minute. */
const failedMs = 60_000

interface Known {
  /** Undefined until the upstream has answered once. */
  models?: readonly ModelCard[] | undefined
  /** The same by id. */
  cards?: ReadonlyMap<string, ModelCard>
  /** The list merged with the provider's own table; cached until the upstream's list changes. */
  merged?: { readonly said: readonly ModelCard[]; readonly models: readonly UpstreamModel[] }
  /** When it is fetched again. */
  until: number
  asking?: Promise<void> | undefined
}

export function createModelLists(input: ModelListsInput): ModelLists {
  const known = new Map<string, Known>()

  async function refresh(upstream: Upstream, entry: Known): Promise<void> {
    try {
      entry.models = await ask(upstream, input)
      entry.cards = new Map(entry.models.map((card) => [card.id, card]))
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

  /** Undefined if the upstream's list is unknown and the provider has no table. */
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
    known: ({ id, provider }, model) =>
      known.get(id)?.cards?.get(model) ?? provider.models?.find((card) => card.id === model),
    told: async (upstream) =>
      upstream.models ?? ((await fetched(upstream)) && (await listed(upstream))),
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

/** Tries each key until one is accepted. Throws if the upstream does not return its list. */
async function ask(
  upstream: Upstream,
  { send, newId }: ModelListsInput,
): Promise<readonly ModelCard[]> {
  const { protocol } = upstream.provider
  const list = protocol.models
  if (!list) return []
  const signal = AbortSignal.timeout(askMs)
  const request = outgoing({ method: 'GET', path: list.path }, upstream, newId)
  let refused = 0
  for (const secret of upstream.secrets) {
    const signed = await untilAborted(
      upstream.provider.credentials(secret, request, upstream.settings, upstream.fetch),
      signal,
    )
    const headers = { ...request.headers, ...signed }
    const received = await askOnce(
      send,
      {
        method: 'GET',
        url: request.url,
        headers,
        body: undefined,
        connectMs: askMs,
        dialing: upstream.dialing,
      },
      signal,
    )
    const { status } = received
    const isListed = status === 200 && !hasError(received)
    if (isListed) return list.decode(received.json())
    if (status === 404 || missingAddress(received, protocol.failure(received))) return []
    refused = status
    if (status !== 401 && status !== 403) break
  }
  if (refused === 0) return []
  throw new GatewayError('upstream_unavailable', `it answered ${refused}`)
}

/** Whether a response with status 200 is an error or a page, as some servers answer for addresses that they lack. */
function hasError(received: Received): boolean {
  if (received.contentType.includes('html')) return true
  const body = received.json()
  return isObject(body) && body['error'] != null
}
