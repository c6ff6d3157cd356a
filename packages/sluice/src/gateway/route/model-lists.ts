import { GatewayError } from '@sluice/contract'
import type { ModelCard } from '@sluice/protocols'
import { outgoing } from '../attempt/prepare.ts'
import { ask as askOnce, type Send } from '../attempt/send.ts'
import { untilAborted } from '../attempt/until-aborted.ts'
import type { Upstream, UpstreamModel } from './routing.ts'

/** What each upstream says it has. Asked only when somebody needs to know, and kept for a while. */
export interface ModelLists {
  /** The ids of upstreams that list this model. */
  owners(model: string): Promise<readonly string[]>
  /** Everything known of one upstream's models; asks it when nothing fresh is known. */
  of(upstream: Upstream): Promise<readonly UpstreamModel[]>
}

export interface ModelListsInput {
  readonly upstreams: ReadonlyMap<string, Upstream>
  readonly send: Send
  readonly now: () => number
  readonly newId: (prefix: string) => string
}

const askMs = 3_000
const freshMs = 600_000
/** An upstream that did not answer is left alone for a minute. */
const failedMs = 60_000

interface Known {
  readonly until: number
  readonly models: Promise<readonly ModelCard[]>
}

export function createModelLists(input: ModelListsInput): ModelLists {
  const known = new Map<string, Known>()

  function fetched(upstream: Upstream): Promise<readonly ModelCard[]> {
    const entry = known.get(upstream.id)
    if (entry && entry.until > input.now()) return entry.models
    const models = ask(upstream, input).catch(() => {
      known.set(upstream.id, { until: input.now() + failedMs, models: Promise.resolve([]) })
      return []
    })
    known.set(upstream.id, { until: input.now() + freshMs, models })
    return models
  }

  async function of(upstream: Upstream): Promise<readonly UpstreamModel[]> {
    if (upstream.models) return upstream.models
    const cards = new Map<string, UpstreamModel>()
    for (const card of upstream.provider.models ?? []) cards.set(card.id, card)
    for (const card of await fetched(upstream))
      cards.set(card.id, { ...cards.get(card.id), ...card })
    return [...cards.values()]
  }

  return {
    of,
    async owners(model) {
      const all = [...input.upstreams.values()]
      const sure = all.filter((upstream) => knownIn(upstream, model))
      if (sure.length > 0) return sure.map(({ id }) => id)
      const lists = await Promise.all(
        all.map(async (upstream) => ({ id: upstream.id, models: await of(upstream) })),
      )
      return lists.filter(({ models }) => models.some(({ id }) => id === model)).map(({ id }) => id)
    },
  }
}

function knownIn({ models, provider }: Upstream, model: string): boolean {
  return (models ?? provider.models ?? []).some(({ id }) => id === model)
}

async function ask(
  upstream: Upstream,
  { send, newId }: ModelListsInput,
): Promise<readonly ModelCard[]> {
  const list = upstream.provider.protocol.models
  const [secret] = upstream.secrets
  if (!list || secret === undefined) return []
  const signal = AbortSignal.timeout(askMs)
  const request = outgoing({ method: 'GET', path: list.path }, upstream, newId)
  const signed = await untilAborted(
    upstream.provider.credentials(secret, request, upstream.settings),
    signal,
  )
  const headers = { ...request.headers, ...signed }
  const outgoingList = { method: 'GET', url: request.url, headers, body: undefined } as const
  const received = await askOnce(send, { ...outgoingList, connectMs: askMs }, signal)
  if (received.status !== 200)
    throw new GatewayError('upstream_unavailable', `${upstream.id} did not list its models`)
  return list.decode(received.json())
}
