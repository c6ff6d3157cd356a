// Replacing replicas one by one under load, behind a load balancer that checks readiness, fails no call.

import { readdirSync } from 'node:fs'
import { request } from 'node:http'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { expect, test } from 'vitest'
import type { ConfigFile } from '../../../packages/sluice/src/config/schema.ts'
import { openPostgres } from '../../../packages/store/src/postgres/open-postgres.ts'
import { type Answering, fakeUpstream, json } from '../../support/fakes/fake-upstream.ts'
import { leaveOut } from '../../support/leave-out.ts'
import { chatReply } from '../../support/fakes/openai-wire.ts'
import { type Program, startProgram } from '../../support/gateways/program.ts'
import { testKey, until } from '../../support/start.ts'
import { openPostgresAndRedis } from '../../support/servers/postgres-and-redis.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import { noSuchAddress } from '../../support/gateways/two-keys.ts'
import { upstreamStreams } from '../../support/fakes/upstream-streams.ts'

const { postgres, redis } = await openPostgresAndRedis()

const [openai] = upstreamStreams
const server = { drainMs: 1_000, stopTimeoutMs: 3_000 }
const streamMs = 600

/** Whole answers after a while, streams that last a while, and one that never ends. */
const answering: Answering = async (seen, response) => {
  if (seen.path.endsWith('/responses')) return noSuchAddress(response)
  if (seen.body['stream'] !== true) {
    await pause(30)
    return json(response, chatReply('Hello'))
  }
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  for (const event of [...openai!.preamble, ...openai!.content]) response.write(event)
  if (seen.text.includes('for ever')) return
  await pause(streamMs)
  for (const event of openai!.ending) response.write(event)
  response.end()
}

interface Answered {
  readonly id: string
  readonly status: number
  readonly text: string
}

const refusedCodes = new Set(['ECONNREFUSED'])

/** Sends each request to one of the replicas that are ready, over a connection of its own, and to the next where it is refused. */
class Balancer implements AsyncDisposable {
  readonly #stopping = new AbortController()
  readonly #replicas = new Set<Program>()
  readonly #ready = new Set<Program>()
  readonly #looking: Promise<void>
  #turn = 0

  constructor() {
    this.#looking = this.#look()
  }

  async add(replica: Program): Promise<void> {
    this.#replicas.add(replica)
    await until(() => this.#ready.has(replica), 10_000)
  }

  remove(replica: Program): void {
    this.#replicas.delete(replica)
    this.#ready.delete(replica)
  }

  isReady(replica: Program): boolean {
    return this.#ready.has(replica)
  }

  async ask(body: object): Promise<Answered> {
    for (;;) {
      const ready = [...this.#ready]
      const replica = ready[(this.#turn += 1) % ready.length]
      if (!replica) throw new Error('No replica is ready')
      try {
        return await post(replica.url, body)
      } catch (error) {
        const code = error instanceof Error && 'code' in error ? String(error.code) : ''
        if (!refusedCodes.has(code)) throw error
        this.#ready.delete(replica)
      }
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stopping.abort()
    await this.#looking
  }

  async #look(): Promise<void> {
    while (!this.#stopping.signal.aborted) {
      for (const replica of this.#replicas) {
        const status = await replica.ask('/readyz').then(
          ({ status: found }) => found,
          () => 0,
        )
        if (status === 200 && this.#replicas.has(replica)) this.#ready.add(replica)
        else this.#ready.delete(replica)
      }
      await pause(30)
    }
  }
}

function post(url: string, body: object): Promise<Answered> {
  return new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${testKey}`, 'content-type': 'application/json' }
    const options = { method: 'POST', agent: false, headers }
    const asked = request(`${url}/v1/chat/completions`, options, (response) => {
      let text = ''
      response.setEncoding('utf8')
      response.on('data', (piece: string) => (text += piece))
      response.on('error', reject)
      response.on('end', () => {
        const { headers: told, statusCode: status = 0 } = response
        resolve({ id: String(told['x-request-id']), status, text })
      })
    })
    asked.on('error', reject)
    asked.end(JSON.stringify(body))
  })
}

test('replacing two replicas under load fails and loses no call', async (context) => {
  if (!postgres || !redis) return leaveOut(context, 'see the two tests before')
  await using opened = new AsyncDisposableStack()
  const upstream = opened.use(await fakeUpstream(answering))
  const databaseUrl = await postgres.newSchema()
  const up = { type: 'openai', baseUrl: upstream.url, key: 'k' } as const
  const prices: NonNullable<ConfigFile['prices']> = { '*': { input: 1, output: 1 } }
  const limits = { requestsPerMinute: 100_000, concurrentRequestsPerKey: 100 }
  const content: ConfigFile = { server, prices, limits, providers: { up } }
  const variables = { DATABASE_URL: databaseUrl, REDIS_URL: redis.url }
  const folders = [0, 1].map(() => opened.use(temporaryFolder()).path)
  const start = async (folder: string) =>
    opened.use(await startProgram({ folder, content, variables }))
  const balancer = opened.use(new Balancer())
  let replicas = await Promise.all(folders.map(start))
  for (const replica of replicas) await balancer.add(replica)

  const ask = (text: string, stream: boolean) =>
    balancer.ask({
      model: 'up/m',
      stream,
      max_tokens: 5,
      messages: [{ role: 'user', content: text }],
    })
  const answered: Answered[] = []
  const streamed: Answered[] = []
  let isOver = false
  const callers = Array.from({ length: 8 }, async (_, caller) => {
    while (!isOver) {
      const isStream = caller % 2 === 1
      ;(isStream ? streamed : answered).push(await ask('Hi', isStream))
    }
  })
  const endless: Promise<Answered>[] = []
  for (const [at, folder] of folders.entries()) {
    const old = replicas[at]!
    const before = upstream.seen.length
    endless.push(ask('for ever', true), ask('for ever', true))
    // What goes wrong with them is told at the end.
    for (const asked of endless) asked.catch(() => undefined)
    // Both replicas have some of everything.
    await until(() => upstream.seen.length > before + 30, 20_000)
    const stopped = old.end('SIGTERM')
    await until(() => !balancer.isReady(old), 10_000)
    expect(await stopped).toMatchObject({ exitCode: 0, stderr: '' })
    balancer.remove(old)
    const next = await start(folder)
    await balancer.add(next)
    replicas = replicas.with(at, next)
  }
  const atEnd = answered.length + streamed.length
  await until(() => answered.length + streamed.length > atEnd + 20, 20_000)
  isOver = true
  await Promise.all(callers)

  for (const { status, text } of answered) {
    expect(status, text).toBe(200)
    expect(text).toContain('Hello')
  }
  for (const { status, text } of streamed) {
    expect(status).toBe(200)
    expect(text).toMatch(/\[DONE\]\n\n$/)
  }
  for (const replica of replicas)
    expect(await replica.end('SIGTERM')).toMatchObject({ exitCode: 0, stderr: '' })
  const cut = await Promise.all(endless)
  for (const { text } of cut) expect(text).toContain('The gateway is stopping')

  await using store = await openPostgres({ url: databaseUrl })
  const records = await store.listUsage({ limit: 100_000 })
  const seen = [...answered, ...streamed, ...cut].map(({ id }) => id)
  expect(records.map(({ callId }) => callId).toSorted()).toEqual(seen.toSorted())
  expect(records.filter(({ unsettled }) => unsettled === true)).toEqual([])
  for (const folder of folders) expect(readdirSync(join(folder, 'data', 'journal'))).toEqual([])
}, 120_000)
