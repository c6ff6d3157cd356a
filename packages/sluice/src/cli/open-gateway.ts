import { type BuiltinEngine, engineCard } from '@sluice/engine'
import { MemorySignInAttempts } from '@sluice/server/sign-in/sign-in-attempts.ts'
import { hashSecret, keyOf } from '@sluice/gateway/accounts/secrets.ts'
import { createOidcClient } from '@sluice/server/sign-in/oidc-client.ts'
import { createSessions } from '@sluice/server/sign-in/sessions.ts'
import { createTokens } from '@sluice/gateway/accounts/tokens.ts'
import { aiSdkEngines } from '@sluice/gateway/ai-sdk/engines.ts'
import type { Alerts } from '../alerts/alerts.ts'
import { addressListOf } from '@sluice/gateway/settings/address-block.ts'
import type { Config } from '../config/config.ts'
import { secretSettings } from '../config/shown-settings.ts'
import type { Log } from '@sluice/gateway/call/log.ts'
import type { CurrentSettings, Gateway } from '@sluice/server/gateway.ts'
import { StorageQuota } from '@sluice/gateway/stored/storage-quota.ts'
import { LearnedSizes } from '@sluice/gateway/admit/call-size.ts'
import { createLearnedMaxima } from '@sluice/gateway/route/learned-maxima.ts'
import { settleOrphaned } from '@sluice/gateway/admit/settle-orphaned.ts'
import { LiveCalls } from '@sluice/gateway/observe/live-calls.ts'
import { concealedSettings } from '@sluice/gateway/route/concealed-settings.ts'
import { createRouting } from '@sluice/gateway/route/create-routing.ts'
import { createModelLists } from '@sluice/gateway/route/model-lists.ts'
import { retiringModels } from '@sluice/gateway/route/retirement.ts'
import type { SharedLimit } from '@sluice/gateway/route/limited-keys.ts'
import type { Routing } from '@sluice/gateway/route/routing.ts'
import { configuredUpstreams } from '@sluice/gateway/route/upstreams.ts'
import { whyOff } from '@sluice/gateway/route/why-off.ts'
import { Concealer } from '@sluice/gateway/call/concealer.ts'
import type { Address, ServerOptions } from '@sluice/server/address.ts'
import type { StreamTimes } from '@sluice/server/deliver.ts'
import { Network } from '@sluice/gateway/dial/network.ts'
import { createSender } from '@sluice/gateway/upstream/send.ts'
import { createServer, type GatewayServer } from '@sluice/server/server.ts'
import type { ApiKey } from '@sluice/gateway/ports/api-key.ts'
import type { Store } from '@sluice/gateway/ports/store.ts'
import { createPriceBook } from '@sluice/gateway/prices/book.ts'
import { overridesOf } from '@sluice/gateway/prices/overrides.ts'
import { createTargetPrices } from '@sluice/gateway/prices/target-price.ts'
import { providers } from '@sluice/gateway/providers/index.ts'
import { type KeyRing, openKeyRing } from '@sluice/store/keys/key-ring.ts'
import type { ProcessLink } from '@sluice/store/limits/process-link.ts'
import { bundledOrFetched } from './fetched-prices.ts'
import { createIds } from './ids.ts'
import { dayOf } from './day.ts'
import { LayeredSettings } from './layered-settings.ts'
import { openSettingSections } from './setting-sections.ts'
import { engineContextOf, openEngine } from './open-engine.ts'
import { openLimits, slotLimitsOf } from './open-limits.ts'
import { sharedSignInAttempts, shareKeyLimits, shareLiveCalls } from './worker-sharing.ts'
import { type OfferedParts, type OpenWatching, openWatching } from './open-watching.ts'

/** A gateway ready to listen. Disposing stops it, waits for open calls and writes pending data. */
export interface OpenGateway extends OfferedParts, AsyncDisposable {
  readonly gateway: Gateway
  readonly server: GatewayServer
  /** Replaces the whole configuration; open calls finish with the one they began with. */
  configure(config: Config): Promise<void>
}

export interface OpenGatewayInput {
  readonly config: Config
  readonly store: Store
  readonly log: Log
  /** Keep-alive and stall times of streams; default the server's. */
  readonly streamTimes?: StreamTimes
  /** Which addresses are served; default all. */
  readonly serves?: (address: Address) => boolean
  /** Link to the process that holds the limits of several workers; absent if there is only one process. */
  readonly link?: ProcessLink
  /** Number of workers. Default 1. */
  readonly workers?: number
  /** Delays between webhook attempts; default the usual ones. */
  readonly alertWaitsMs?: readonly number[]
}

/** Assembles a gateway. The caller owns the store and disposes it after the gateway. */
export async function openGateway(input: OpenGatewayInput): Promise<OpenGateway> {
  const { config, store, log, link } = input
  const now = Date.now
  const newId = createIds(now)
  // If a later step fails, what was opened before it is closed.
  await using opening = new AsyncDisposableStack()
  const keys = opening.use(await openKeys(input))
  const network = opening.use(new Network(config.proxies))
  const { fetch } = network
  const tokens = createTokens({ fetch, issuers: config.jwt, keys, now })
  const proxyResolves = () => current.config.media.proxyResolves === true
  const send = createSender(network, { proxyResolves })
  const { limiter, slotQueues } = await openLimits(input)
  opening.use(limiter)
  settleOrphaned(store, limiter)
  const engineWaiting = () => opened.engine.waiting()
  const underWay = () => server.underWay()
  const shared = openShared(link)
  const observed = { ...shared, network, limiter, slotQueues, now, underWay, engineWaiting }
  const watching = opening.use(await openWatching({ ...input, ...observed }))
  opening.use(await openKeyLimits(watching.watching.health, input))
  const opened = opening.use(await openEngine({ store, now, newId, log, ...engineShare(input) }))
  const { engine, videos, published } = opened
  const fetchThrough = network.fetchThrough.bind(network)
  const needs = { send, fetchThrough, engine, now, newId, log, ...watching.offered }
  const parts = { needs, store, keys, tokens, watching }
  const { current, concealer, layers, settings } = await openConfiguration(config, parts)
  opening.use(layers)
  const oidc = createOidcClient({ settings: () => current.config.console.oidc, fetch, now })

  const gateway: Gateway = {
    store,
    limiter,
    slots: slotQueues.of('requests'),
    upstreamSlots: (name) => slotQueues.of(`upstream ${name}`),
    ...watching.watching,
    learnedSizes: new LearnedSizes(),
    learnedMaxima: createLearnedMaxima(now),
    keys,
    tokens,
    sessions: createSessions({ store, keys, settings: () => current.config.console, now }),
    oidc,
    current,
    settings,
    send,
    ...shared,
    concealer,
    engine,
    engineContext: engineContextOf(published, network, () => current.config),
    videos,
    published,
    storageQuota: new StorageQuota({ store, limits: () => current.limits, now }),
    now,
    newId,
    random: Math.random,
    log,
  }
  const server = createServer(gateway, serverOptions(input))
  const opens = opening.move()
  return {
    gateway,
    server,
    ...watching.offered,
    configure: (next) => layers.declare(next),
    async [Symbol.asyncDispose]() {
      await server.close()
      await opens.disposeAsync()
    },
  }
}

function openKeys({ store, config, log }: OpenGatewayInput): Promise<KeyRing> {
  return openKeyRing(store, {
    fixed: fixedKeys(config),
    readFailed: (error) => log.error({ error: String(error) }, 'the keys could not be reloaded'),
  })
}

/** The state that workers share. */
function openShared(link: ProcessLink | undefined): Pick<Gateway, 'live' | 'signInAttempts'> {
  const live = new LiveCalls()
  if (!link) return { live, signInAttempts: new MemorySignInAttempts() }
  shareLiveCalls(live, link)
  return { live, signInAttempts: sharedSignInAttempts(link) }
}

/** Shares the limits of provider keys with the other workers, or with all processes that use the same Redis. */
async function openKeyLimits(
  health: Gateway['health'],
  { config: { redis }, link }: OpenGatewayInput,
): Promise<AsyncDisposable | undefined> {
  if (!redis) {
    if (link) shareKeyLimits(health.keys, link)
    return undefined
  }
  // The client is loaded only if Redis is configured.
  const { openRedisChannel } = await import('@sluice/store/limits/redis-channel.ts')
  const channel = await openRedisChannel(redis, 'limited-keys', (limit) =>
    // Only other gateways tell there.
    health.keys.keyLimitedElsewhere(limit as SharedLimit),
  )
  health.keys.shareLimits((limit) => channel.tell(limit))
  return channel
}

interface Current extends CurrentSettings {
  readonly config: Config
}

interface ConfiguredParts {
  readonly needs: RoutingNeeds & { readonly log: Log }
  readonly store: Store
  readonly keys: KeyRing
  readonly tokens: ReturnType<typeof createTokens>
  readonly watching: Pick<OpenWatching, 'configure'>
}

/** The configuration in effect, the texts that it conceals, and what replaces it. */
async function openConfiguration(
  first: Config,
  { needs, store, keys, tokens, watching }: ConfiguredParts,
) {
  const concealer = new Concealer()
  const currentOf = (config: Config, routing: Routing): Current => {
    const { limits } = config
    concealer.learn(concealedSettings(config, routing.upstreams.values(), secretSettings(config)))
    return { config, routing, limits, slotLimits: slotLimitsOf(limits) }
  }
  const layers = new LayeredSettings(first, { store, log: needs.log, apply })
  const initial = await layers.read()
  const current = currentOf(initial, await routingOf(initial, needs))
  async function apply(next: Config): Promise<void> {
    const { hasProviders: hadProviders } = current.routing
    const following = currentOf(next, await routingOf(next, { ...needs, hadProviders }))
    keys.setFixed(fixedKeys(next))
    tokens.configure(next.jwt)
    watching.configure(next)
    Object.assign(current, following)
  }
  layers.follow()
  const config = () => current.config
  const sections = openSettingSections({
    layers,
    config,
    routing: () => current.routing,
    routingOf: (next) => routingOf(next, needs),
    store,
    now: needs.now,
  })
  return { current, concealer, layers, settings: { config, sections } }
}

/** Maximum number of processes of the built-in engine on a machine, shared by all workers. */
const engineProcesses = 3

function engineShare({ workers = 1 }: OpenGatewayInput): { readonly processes?: number } {
  return workers === 1 ? {} : { processes: Math.ceil(engineProcesses / workers) }
}

/** The options of the server, which are fixed at startup. */
function serverOptions({
  config: { server },
  streamTimes,
  serves,
}: OpenGatewayInput): ServerOptions {
  return {
    bodyBytesMax: server.bodyLimitBytes,
    inflatedBytesMax: server.inflatedLimitBytes,
    bodyUnitsMax: server.bodyLimitValues,
    requestTimeoutMs: server.requestTimeoutMs,
    ...(server.publicUrl !== undefined && { publicUrl: server.publicUrl }),
    ...(streamTimes && { streamTimes }),
    ...(serves && { serves }),
    ...(server.trustedProxies && { trustedProxies: addressListOf(server.trustedProxies) }),
  }
}

/** How long before its end a configured model is warned of: half of the shortest notice that providers give. */
const retiresSoonMs = 30 * 86_400_000

export interface RoutingNeeds {
  readonly send: Gateway['send']
  readonly fetchThrough: Network['fetchThrough']
  /** Absent if routes are only inspected. */
  readonly engine?: BuiltinEngine
  readonly now: () => number
  readonly newId: (prefix: string) => string
  readonly log: Pick<Log, 'warn'>
  /** Alerted about targets without a known price. */
  readonly alerts?: Pick<Alerts, 'raise'>
  /** Whether an earlier configuration of this process had providers. */
  readonly hadProviders?: boolean
}

/** Creates the routing of a configuration. A configured provider that is off is logged. */
export async function routingOf(
  config: Config,
  { send, fetchThrough, engine, now, newId, log, alerts, hadProviders = false }: RoutingNeeds,
): Promise<Routing> {
  const skipped = new Map<string, string>()
  const skip = (id: string, reason: string) => {
    skipped.set(id, reason)
    log.warn({ provider: id }, `the provider ${id} is off: ${reason}`)
  }
  const upstreams = configuredUpstreams(config, providers, skip, fetchThrough)
  const today = dayOf(now())
  const soon = dayOf(now() + retiresSoonMs)
  for (const { target, date, text } of retiringModels(config, upstreams, today))
    if (date <= soon) log.warn({ target, date }, text)
  const book = createPriceBook({
    library: () => bundledOrFetched(config.dataFolder, log),
    overrides: overridesOf(config.prices),
    today,
  })
  const prices = createTargetPrices(book, ({ provider, model }, reason) => {
    const target = `${provider}/${model}`.slice(0, 200)
    alerts?.raise({ event: 'price.unknown', target, reason })
    log.warn({ target }, `what a call costs is unknown: ${reason}; set prices in sluice.yaml`)
  })
  const lists = createModelLists({
    upstreams,
    send,
    now,
    newId,
    failed: (provider, reason) =>
      log.warn({ provider, reason }, `${provider} could not be asked for its models`),
  })
  return createRouting({
    config,
    upstreams,
    engine: engine ?? engineCard,
    packages: aiSdkEngines(config),
    lists,
    prices,
    hadProviders,
    known: {
      ids: [...providers.keys()],
      find: (id) => providers.get(id),
      whyOff: (id) => whyOff(id, { config, catalogue: providers, upstreams, skipped }),
    },
  })
}

/**
 * The keys in the configuration. Their ids are stable across restarts, so that stored data stays theirs. In sluice.yaml the
 * name is the identity, so that a secret can be renewed; a key in the environment is identified by a hash of its secret.
 */
function fixedKeys({ apiKeys, adminKey, keys }: Config): readonly ApiKey[] {
  const fromSettings = keys.map(({ key, name, ...terms }) =>
    keyOf(key, `key_${name}`, { ...terms, name, role: 'caller' }, 0),
  )
  const fromEnvironment = apiKeys.map((secret) => environmentKey(secret, 'caller'))
  const admin = adminKey === undefined ? [] : [environmentKey(adminKey, 'administrator')]
  return [...fromSettings, ...fromEnvironment, ...admin]
}

/** Enough of a hash to be unique, too little to find the key by. */
const identityLength = 24

function environmentKey(secret: string, role: ApiKey['role']): ApiKey {
  const identity = hashSecret(secret).slice(0, identityLength)
  const variable = role === 'caller' ? 'SLUICE_API_KEYS' : 'SLUICE_ADMIN_KEY'
  const name = role === 'caller' ? `${variable} ${identity.slice(0, 8)}` : variable
  // Ids of all other keys begin with key_.
  return keyOf(secret, `environment_${identity}`, { name, role }, 0)
}
