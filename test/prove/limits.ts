import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { hashSecret } from '../../packages/gateway/src/accounts/secrets.ts'
import type { Budget } from '../../packages/gateway/src/ports/account.ts'
import { openSqlite } from '../../packages/store/src/sqlite/open-sqlite.ts'
import { noRedis, openRedisServer, type RedisServer } from '../support/servers/redis-server.ts'
import { sampleKey } from '../support/store-samples.ts'
import { startGateway } from './gateway-process.ts'
import { type Arrival, askAtOnce, askSteadily, type Kind, openWitness } from './limits-load.ts'

/** What one limit was found to hold. */
export interface LimitProof {
  readonly limit: string
  /** How much of it, in the time that it was asked for, and in which unit. */
  readonly allowed: number
  readonly unit: string
  readonly asked: number
  readonly admitted: number
  /** Of what was allowed, from 0 to 1. */
  readonly utilisation: number
}

/** So much of what is allowed is had by those who ask for ten times of it. */
const utilisationMin = 0.95

/** What is wrong; empty where every limit held exactly and was used, which it is from this share on. */
export function breaches(
  proofs: readonly LimitProof[],
  usedFrom = utilisationMin,
): readonly string[] {
  return proofs.flatMap(({ limit, allowed, admitted, utilisation }) => [
    ...(admitted > allowed ? [`${limit}: ${admitted} were admitted, ${allowed} are allowed`] : []),
    ...(utilisation < usedFrom ? [`${limit}: ${utilisation} of it could be used`] : []),
  ])
}

interface Limited extends Kind {
  readonly limit: string
  readonly unit: string
}

const requestsPerMinute = 120
const tokensPerMinute = 12_000
const places = 8

const processes = 3
/** How much more is asked for than is allowed. */
const load = 10
/** And how much at least, where the machine is too busy for that. */
const loadMin = load / 2
/** How much longer it may take until then. */
const longerMs = 60_000
/** How long Redis is away. */
const awayMs = 300

const requests: Limited = {
  name: 'requests',
  tokens: 2,
  upstreamMs: 0,
  limit: `${requestsPerMinute} requests per minute`,
  unit: 'requests',
}
const tokens: Limited = {
  name: 'tokens',
  tokens: 100,
  upstreamMs: 0,
  limit: `${tokensPerMinute} tokens per minute`,
  unit: 'tokens',
}
/** Calls last long beside what it takes to hand a place on, as those of models do: that is a matter of how busy the machine is. */
const concurrency = (seconds: number): Limited => ({
  name: 'places',
  tokens: 2,
  upstreamMs: (seconds * 1_000) / 5,
  limit: `${places} requests at a time`,
  unit: 'at a time',
})
/** In US dollars for a million tokens, which is in millionths for one. */
const usdPerMillion = 10
/** Two thirds of the output that a call may have are used. With its input, a call reserves about 1 % of the budget. */
const moneyTokens = { used: 100, most: 150 }
const budget: Budget = { id: 'money', window: 'lifetime', limitMicroUsd: 300_000 }
const money = (seconds: number): Limited => ({
  name: 'money',
  tokens: moneyTokens.used,
  most: moneyTokens.most,
  // What one call of three times its cost leaves is there for the next: the last of the money is there when Redis is gone.
  upstreamMs: (seconds * 1_000) / 20,
  limit: `a budget of $${budget.limitMicroUsd / 1_000_000}`,
  unit: 'millionths of $',
})
const kindsOf = (seconds: number) => [requests, tokens, concurrency(seconds), money(seconds)]

const settings = {
  // A machine that is busy with much else is no reason to take Redis for lost: what was asked then is refused, and counts.
  redis: { timeoutMs: 10_000 },
  limits: { tokensPerMinute },
  keys: [requests, tokens].map(({ name }) => ({
    name,
    key: `sk-${name}`,
    ...(name === requests.name && { requestsPerMinute }),
  })),
  prices: {
    '*': { input: 0, output: 0 },
    'openai/money': { input: usdPerMillion, output: usdPerMillion },
  },
}

/** Keys with a budget and with places, the same in each data folder, as they are in a database that processes share. */
async function writeKeys(folder: string): Promise<void> {
  mkdirSync(folder)
  await using store = openSqlite({ file: join(folder, 'sluice.db') })
  const own = {
    money: { budgets: [budget], concurrentRequests: 1e4 },
    places: { concurrentRequests: places },
  }
  for (const [name, terms] of Object.entries(own))
    await store.addKey(
      sampleKey({
        id: `key_${name}`,
        hash: hashSecret(`sk-${name}`),
        tokensPerMinute: 1e9,
        ...terms,
      }),
    )
}

/**
 * Three gateways at one Redis, which is killed and started again in the middle, asked for ten times what each limit
 * allows. What was admitted is what reached the upstream.
 *
 * @throws Error where Redis is not installed.
 */
export async function proveLimits(seconds: number): Promise<readonly LimitProof[]> {
  await using redis = await openRedisServer()
  if (!redis) throw new Error(noRedis)
  await using witness = await openWitness(kindsOf(seconds))
  const folder = mkdtempSync(join(tmpdir(), 'sluice-prove-'))
  const config = join(folder, 'sluice.yaml')
  writeFileSync(config, JSON.stringify(settings))
  const environment = {
    PATH: process.env['PATH'],
    HOME: process.env['HOME'],
    SLUICE_PORT: '0',
    SLUICE_CONFIG: config,
    SLUICE_LOG_LEVEL: 'fatal',
    REDIS_URL: redis.url,
    OPENAI_API_KEY: 'upstream-key',
    OPENAI_BASE_URL: `${witness.url}/v1`,
  }
  const started = await Promise.all(
    Array.from({ length: processes }, async (_, index) => {
      const data = join(folder, String(index))
      await writeKeys(data)
      return startGateway({ ...environment, SLUICE_DATA: data })
    }),
  )
  try {
    const urls = started.map(({ url }) => url)
    const asked = new Map<string, number>()
    const from = performance.now()
    const away = await askEverything({ urls, seconds, redis, asked })
    return [
      ...proofs(witness.arrivals, { seconds, from, away, asked }),
      moneyProof(money(seconds), witness.arrivals, asked),
    ]
  } finally {
    for (const one of started) await one[Symbol.asyncDispose]()
    rmSync(folder, { recursive: true, force: true })
  }
}

interface Away {
  readonly from: number
  readonly until: number
}

/** Asks for all kinds at once, and takes Redis away in the middle. */
async function askEverything({
  urls,
  seconds,
  redis,
  asked,
}: {
  readonly urls: readonly string[]
  readonly seconds: number
  readonly redis: RedisServer
  readonly asked: Map<string, number>
}): Promise<Away> {
  const stopping = new AbortController()
  const began = performance.now()
  /** Of what was asked, what a limit has granted or refused. */
  const decided = new Map<string, number>()
  const asking = (kind: Limited) => ({
    kind,
    urls,
    signal: stopping.signal,
    answered(status: number) {
      asked.set(kind.name, (asked.get(kind.name) ?? 0) + 1)
      if (status === 200 || status === 429)
        decided.set(kind.name, (decided.get(kind.name) ?? 0) + 1)
    },
  })
  const perSecond = (allowed: number) => (load * allowed) / seconds
  const all = [
    askSteadily(asking(requests), perSecond(inTime(requestsPerMinute, seconds))),
    askSteadily(asking(tokens), perSecond(inTime(tokensPerMinute, seconds) / tokens.tokens)),
    askAtOnce(asking(concurrency(seconds)), { callers: load * places, pauseMs: 400 }),
    askSteadily(asking(money(seconds)), perSecond(budget.limitMicroUsd / costOf(moneyTokens.used))),
  ]
  try {
    await pause((seconds * 1_000) / 2)
    const from = performance.now()
    await redis.kill()
    await pause(awayMs)
    await redis.start()
    const until = performance.now()
    await pause((seconds * 1_000) / 2 - (until - from))
    // On a busy machine it takes longer to ask for so much more than is allowed.
    const isEnough = () => {
      const passed = (performance.now() - began) / 1_000
      const rates = [
        [requests.name, inTime(requestsPerMinute, passed)],
        [tokens.name, inTime(tokensPerMinute, passed) / tokens.tokens],
      ] as const
      return rates.every(([name, allowed]) => (decided.get(name) ?? 0) > loadMin * allowed)
    }
    const giveUpAt = performance.now() + longerMs
    while (!isEnough() && performance.now() < giveUpAt) await pause(100)
    return { from, until }
  } finally {
    stopping.abort()
    await Promise.all(all)
  }
}

const costOf = (count: number) => count * usdPerMillion

function moneyProof(
  kind: Limited,
  arrivals: readonly Arrival[],
  asked: ReadonlyMap<string, number>,
): LimitProof {
  const allowed = budget.limitMicroUsd
  const cost = costOf(kind.tokens)
  const admitted = arrivals.filter((one) => one.kind === kind.name).length * cost
  const { limit, unit, name } = kind
  const utilisation = admitted / allowed
  return { limit, unit, allowed, asked: (asked.get(name) ?? 0) * cost, admitted, utilisation }
}

/** What a bucket that begins full allows in so many seconds. */
function inTime(perMinute: number, seconds: number): number {
  return Math.floor(perMinute * (1 + seconds / 60))
}

interface Proving {
  readonly seconds: number
  readonly from: number
  readonly away: Away
  readonly asked: ReadonlyMap<string, number>
}

function proofs(
  arrivals: readonly Arrival[],
  { seconds, from, away, asked }: Proving,
): readonly LimitProof[] {
  const of = ({ name }: Limited) => arrivals.filter(({ kind }) => kind === name)
  const proof = (kind: Limited, allowed: number, admitted: number): LimitProof => ({
    limit: kind.limit,
    unit: kind.unit,
    allowed,
    asked: (asked.get(kind.name) ?? 0) * (kind === tokens ? kind.tokens : 1),
    admitted,
    utilisation: admitted / allowed,
  })
  const lasted = (kind: Limited) => (Math.max(...of(kind).map(({ at }) => at)) - from) / 1_000
  const held = concurrency(seconds)
  const atATime = busyPlaces(of(held), away)
  return [
    proof(requests, inTime(requestsPerMinute, lasted(requests)), of(requests).length),
    proof(tokens, inTime(tokensPerMinute, lasted(tokens)), of(tokens).length * tokens.tokens),
    { ...proof(held, places, atATime.most), utilisation: atATime.usual / places },
  ]
}

/** How many were at the upstream at the same time: at most, and on average while Redis could be asked. */
function busyPlaces(arrivals: readonly Arrival[], away: Away) {
  const steps = arrivals
    .flatMap(({ at, endedAt }) => [
      { at, by: 1 },
      { at: endedAt, by: -1 },
    ])
    .sort((one, other) => one.at - other.at)
  const last = Math.max(...arrivals.map(({ at }) => at))
  // Refused callers wait a while, and gateways look for Redis now and then.
  const backAt = steps.find(({ at, by }) => by > 0 && at > away.until)?.at ?? away.until
  const counts = (at: number) => at <= last && (at < away.from || at > backAt)
  let busy = 0
  let most = 0
  // From when all were busy for the first time.
  let hasBegun = false
  let busyMs = 0
  let countedMs = 0
  for (const [index, { at, by }] of steps.entries()) {
    busy += by
    most = Math.max(most, busy)
    const next = steps[index + 1]?.at ?? at
    hasBegun ||= busy === places
    if (!hasBegun || !counts(at)) continue
    busyMs += busy * (next - at)
    countedMs += next - at
  }
  return { most, usual: countedMs === 0 ? 0 : busyMs / countedMs }
}
