// A gateway with several processes: one port, the same limits, and no lost records when one of them is killed.
import { readdirSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { ConfigFile } from '../../../packages/sluice/src/config/schema.ts'
import type { Store } from '../../../packages/gateway/src/ports/store.ts'
import { openSqlite } from '../../../packages/store/src/sqlite/open-sqlite.ts'
import { type FakeUpstream, fakeUpstream, json, sse } from '../../support/fakes/fake-upstream.ts'
import { chatReply } from '../../support/fakes/openai-wire.ts'
import { isRunning, type Program, startProgram } from '../../support/gateways/program.ts'
import { runSluice } from '../../support/run-sluice.ts'
import { adminKey, until } from '../../support/start.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import { noSuchAddress } from '../../support/gateways/two-keys.ts'
import { clientStreams, upstreamStreams } from '../../support/fakes/upstream-streams.ts'

let folder: ReturnType<typeof temporaryFolder>
beforeEach(() => {
  folder = temporaryFolder()
})
afterEach(() => folder[Symbol.dispose]())

const chat = { model: 'up/m', messages: [{ role: 'user', content: 'Hi' }] }
const prices: NonNullable<ConfigFile['prices']> = { '*': { input: 0, output: 0 } }
const [openai] = upstreamStreams

/** Answers at once, or begins a stream and never ends it. */
const answering = () =>
  fakeUpstream((seen, response) => {
    if (seen.path.endsWith('/responses')) return noSuchAddress(response)
    if (seen.body['stream'] !== true) return json(response, chatReply('Hello'))
    return sse(response, [...openai!.preamble, ...openai!.content], { end: false })
  })

function settings(upstream: FakeUpstream, more: ConfigFile = {}): ConfigFile {
  const up = { type: 'openai', baseUrl: upstream.url, key: 'k' } as const
  return { prices, providers: { up }, builtin: { enabled: 'always' }, ...more }
}

const start = (content: ConfigFile, workers = '2') =>
  startProgram({ folder: folder.path, content, args: ['--workers', workers] })

/** Every record that was kept, once the program has ended. */
async function records() {
  const file = join(folder.path, 'data', 'sluice.db')
  await using store: Store = openSqlite({
    file,
    journalFolder: join(folder.path, 'data', 'journal'),
  })
  await store.flush()
  return store.listUsage({ limit: 10_000 })
}

/** Asks again until every worker has answered; a failing answer of any of them is an answer. */
async function ofEveryWorker<Answer>(
  program: Program,
  look: () => Promise<Answer>,
): Promise<readonly Answer[]> {
  const before = program.lines().length
  const answers: Answer[] = []
  await until(async () => {
    answers.push(await look())
    const workers = program
      .lines()
      .slice(before)
      .flatMap(({ worker }) => worker ?? [])
    return new Set(workers).size === 2
  }, 10_000)
  return answers
}

async function begunStream(
  program: Program,
  key?: string,
): Promise<ReadableStreamDefaultReader<string>> {
  const body = { ...chat, stream: true }
  const answer = await program.stream('/v1/chat/completions', body, key)
  const reader = answer.body!.pipeThrough(new TextDecoderStream()).getReader()
  for (let text = ''; !text.includes('lo"'); ) text += (await reader.read()).value ?? ''
  return reader
}

/** What is left of a stream; undefined where it was cut. */
async function rest(reader: ReadableStreamDefaultReader<string>): Promise<string | undefined> {
  let text = ''
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return text
      text += value
    }
  } catch {
    return undefined
  }
}

test('workers share one port and each limit', async () => {
  await using upstream = await answering()
  const limits = { requestsPerMinute: 30 }
  await using program = await start(settings(upstream, { limits }))
  expect(program.workers()).toHaveLength(2)
  const asked = Array.from({ length: 80 }, () =>
    program.ask('/v1/chat/completions', { body: chat }),
  )
  const statuses = (await Promise.all(asked)).map(({ status }) => status)
  const granted = statuses.filter((status) => status === 200).length
  // A bucket of 30, and what flows in while this takes some seconds.
  expect(granted).toBeGreaterThanOrEqual(30)
  expect(granted).toBeLessThanOrEqual(36)
  expect(statuses.filter((status) => status === 429)).toHaveLength(80 - granted)
  await until(() => program.lines().filter(({ path }) => path !== undefined).length === 80)
  const workers = program.lines().flatMap(({ worker }) => worker ?? [])
  expect(new Set(workers)).toEqual(new Set([1, 2]))
  expect(await program.end('SIGTERM')).toMatchObject({ exitCode: 0, stderr: '' })
  expect(await records()).toHaveLength(granted)
})

test('workers serve images, videos and responses that others created', async () => {
  await using upstream = await answering()
  await using program = await start(settings(upstream))
  const made = await program.ask('/v1/images/generations', {
    body: { model: 'builtin-image', prompt: 'a red circle', size: '64x64' },
  })
  const { url } = (made.json as { data: { url: string }[] }).data[0]!
  const pictures = await ofEveryWorker(program, () => program.ask(new URL(url).pathname))
  for (const { status, bytes } of pictures)
    expect([status, bytes.subarray(1, 4).toString()]).toEqual([200, 'PNG'])

  const { json: stored } = await program.ask('/v1/responses', {
    body: { model: 'builtin-chat', input: 'Hi' },
  })
  const { id: responseId } = stored as { id: string }
  const found = await ofEveryWorker(program, () => program.ask(`/v1/responses/${responseId}`))
  expect(new Set(found.map(({ status }) => status))).toEqual(new Set([200]))

  const video = await program.ask('/v1/videos', {
    body: { model: 'builtin-video', prompt: 'a red circle', seconds: '1', size: '64x64' },
  })
  const { id } = video.json as { id: string }
  await until(async () => {
    const { json: now } = await program.ask(`/v1/videos/${id}`)
    return (now as { status: string }).status === 'completed'
  }, 60_000)
  const clips = await ofEveryWorker(program, () => program.ask(`/v1/videos/${id}/content`))
  for (const { status, bytes } of clips)
    expect([status, bytes.subarray(4, 8).toString()]).toEqual([200, 'ftyp'])
}, 120_000)

test('all workers accept a new key from its first call', async () => {
  await using upstream = await answering()
  await using program = await start(settings(upstream))
  for (let round = 0; round < 3; round += 1) {
    const made = await program.ask('/admin/v1/keys', { key: adminKey, body: { name: `a${round}` } })
    const { secret } = made.json as { secret: string }
    const before = program.lines().length
    const asked = Array.from({ length: 20 }, () => program.ask('/v1/models', { key: secret }))
    const statuses = (await Promise.all(asked)).map(({ status }) => status)
    expect(new Set(statuses)).toEqual(new Set([200]))
    const lines = () => program.lines().slice(before)
    await until(() => lines().filter(({ path }) => path === '/v1/models').length === 20)
    expect(new Set(lines().flatMap(({ worker }) => worker ?? []))).toEqual(new Set([1, 2]))
  }
}, 60_000)

test('all workers reject a revoked key and end its streams within two seconds', async () => {
  await using upstream = await answering()
  await using program = await start(settings(upstream))
  const made = await program.ask('/admin/v1/keys', { key: adminKey, body: { name: 'app' } })
  const { secret, id } = made.json as { secret: string; id: string }
  const before = program.lines().length
  const readers = await Promise.all(Array.from({ length: 8 }, () => begunStream(program, secret)))
  const ends = readers.map(async (reader) => ({
    text: await rest(reader),
    at: performance.now(),
  }))
  const path = `/admin/v1/keys/${id}/revoke`
  const revoked = await program.ask(path, { key: adminKey, method: 'POST' })
  const revokedAt = performance.now()
  expect(revoked.status).toBe(200)
  for (const { text, at } of await Promise.all(ends)) {
    expect(text).toContain('The API key is not valid any more')
    expect(at - revokedAt).toBeLessThan(2_000)
  }
  const refused = await ofEveryWorker(program, () => program.ask('/v1/models', { key: secret }))
  expect(new Set(refused.map(({ status }) => status))).toEqual(new Set([401]))
  // The streams were in both of them.
  const streams = program
    .lines()
    .slice(before)
    .filter(({ path: at }) => at === '/v1/chat/completions')
  expect(new Set(streams.map(({ worker }) => worker))).toEqual(new Set([1, 2]))
}, 60_000)

test('a killed worker is restarted, others continue and no record is lost', async () => {
  await using upstream = await answering()
  await using program = await start(settings(upstream, { server: { stopTimeoutMs: 500 } }))
  const readers = await Promise.all(Array.from({ length: 8 }, () => begunStream(program)))
  const [victim = 0, survivor = 0] = program.workers()
  process.kill(victim, 'SIGKILL')
  await until(() => program.workers().length === 2 && !program.workers().includes(victim), 20_000)
  expect(program.workers()).toContain(survivor)
  await until(() =>
    program.lines().some(({ signal, waitMs }) => signal === 'SIGKILL' && waitMs === 100),
  )
  for (let call = 0; call < 10; call += 1)
    expect((await program.ask('/v1/chat/completions', { body: chat })).status).toBe(200)
  const ended = Promise.all(readers.map(rest))
  expect((await program.end('SIGTERM')).exitCode).toBe(0)
  const ends = await ended
  const cut = ends.filter((text) => text === undefined)
  expect(cut.length).toBeGreaterThan(0)
  // Those of the other one get the error of their format.
  for (const text of ends) if (text !== undefined) expect(text).toContain('The gateway is stopping')
  const kept = await records()
  expect(kept).toHaveLength(18)
  expect(kept.filter(({ unsettled }) => unsettled === true)).toHaveLength(cut.length)
  expect(new Set(kept.map(({ callId }) => callId)).size).toBe(18)
}, 60_000)

test('a hung worker gets no calls, and is killed and restarted', async () => {
  await using upstream = await answering()
  // Longer than a worker takes to start on a busy machine.
  await using program = await start(settings(upstream, { server: { workerTimeoutMs: 5_000 } }))
  const [victim = 0] = program.workers()
  process.kill(victim, 'SIGSTOP')
  const ends = await Promise.all(
    Array.from({ length: 20 }, () =>
      program.ask('/v1/chat/completions', { body: chat }).then(
        ({ status }) => status,
        () => 'closed',
      ),
    ),
  )
  // What it had been handed when it stopped ends with it.
  expect(ends.filter((end) => end === 200).length).toBeGreaterThanOrEqual(19)
  await until(() => program.workers().length === 2 && !program.workers().includes(victim), 20_000)
  // A line may be on its way when the process that it is about has ended.
  const said = () => program.lines().map(({ msg }) => msg)
  await expect.poll(said).toContain('a worker does not answer: it is killed')
  const statuses = await ofEveryWorker(program, () =>
    program.ask('/v1/chat/completions', { body: chat }).then(({ status }) => status),
  )
  expect(new Set(statuses)).toEqual(new Set([200]))
}, 60_000)

test('workers stop when their primary is killed, and no record is lost', async () => {
  await using upstream = await answering()
  await using program = await start(settings(upstream, { server: { stopTimeoutMs: 500 } }))
  const readers = await Promise.all(Array.from({ length: 6 }, () => begunStream(program)))
  const workers = program.workers()
  const killed = program.end('SIGKILL')
  for (const text of await Promise.all(readers.map(rest)))
    expect(text).toContain('The gateway is stopping')
  await until(() => !workers.some(isRunning), 20_000)
  await killed
  expect(await program.isPortFree()).toBe(true)
  expect(await records()).toHaveLength(6)
  await until(() => readdirSync(join(folder.path, 'data', 'journal')).length === 0)
})

test('records every call after all processes were killed under load', async () => {
  await using upstream = await answering()
  const content = settings(upstream)
  let seen = 0
  {
    await using program = await start(content)
    await Promise.all(Array.from({ length: 4 }, () => begunStream(program)))
    seen += 4
    for (let call = 0; call < 20; call += 1) {
      const { status } = await program.ask('/v1/chat/completions', { body: chat })
      if (status === 200) seen += 1
    }
    for (const worker of program.workers()) process.kill(worker, 'SIGKILL')
    await program.end('SIGKILL')
  }
  {
    await using program = await start(content)
    expect((await program.end('SIGTERM')).exitCode).toBe(0)
  }
  const kept = await records()
  expect(kept).toHaveLength(seen)
  expect(kept.filter(({ unsettled }) => unsettled === true)).toHaveLength(4)
  await until(() => readdirSync(join(folder.path, 'data', 'journal')).length === 0)
}, 60_000)

test('shutdown drains streams within its limit, then ends them with an error event', async () => {
  await using upstream = await answering()
  const server = { drainMs: 1_000, stopTimeoutMs: 1_000 }
  await using program = await start(settings(upstream, { server }))
  const streams = await Promise.all(
    clientStreams.flatMap((client) =>
      [1, 2].map(async () => {
        const answer = await program.stream(client.path('up/m'), client.body('up/m'))
        const reader = answer.body!.pipeThrough(new TextDecoderStream()).getReader()
        let text = ''
        while (client.text(text) !== 'Hello') text += (await reader.read()).value ?? ''
        return { client, text, reader }
      }),
    ),
  )
  expect((await program.ask('/readyz')).status).toBe(200)
  const stopped = program.end('SIGTERM')
  // It accepts still, and says that it will not for long.
  await until(async () => (await program.ask('/readyz')).status === 503)
  expect((await program.ask('/v1/chat/completions', { body: chat })).status).toBe(200)
  for (const { client, text, reader } of streams) {
    const whole = text + (await rest(reader))
    expect(client.isError(whole), whole).toBe(true)
    expect(whole).toContain('The gateway is stopping')
  }
  expect(await stopped).toMatchObject({ exitCode: 0, stderr: '' })
  const kept = await records()
  expect(kept.filter(({ outcome }) => outcome === 'incomplete')).toHaveLength(streams.length)
})

test('a signal to workers and then to their primary is one shutdown in which streams complete', async () => {
  await using upstream = await answering()
  const open: (() => void)[] = []
  upstream.answer((seen, response) => {
    if (seen.path.endsWith('/responses')) return noSuchAddress(response)
    void sse(response, [...openai!.preamble, ...openai!.content], { end: false })
    open.push(() => {
      for (const event of openai!.ending) response.write(event)
      response.end()
    })
  })
  await using program = await start(settings(upstream))
  const readers = await Promise.all(Array.from({ length: 4 }, () => begunStream(program)))
  for (const worker of program.workers()) process.kill(worker, 'SIGTERM')
  const stopping = () => program.lines().filter(({ msg }) => msg === 'stopping').length
  await until(() => stopping() === 2, 20_000)
  // Later than one press of a key could arrive twice.
  await new Promise((resolve) => setTimeout(resolve, 600))
  const ended = program.end('SIGTERM')
  await until(() => stopping() === 3, 20_000)
  for (const end of open) end()
  for (const reader of readers) expect(await rest(reader)).toContain('[DONE]')
  expect(await ended).toMatchObject({ exitCode: 0, stderr: '' })
  expect((await records()).map(({ outcome }) => outcome)).toEqual(Array(4).fill('completed'))
}, 60_000)

test('changed settings reach all workers', async () => {
  await using upstream = await answering()
  await using program = await start(settings(upstream))
  program.configure(settings(upstream, { models: { mine: 'up/m' } }))
  await until(async () => {
    const seen = await ofEveryWorker(program, () =>
      program.ask('/v1/chat/completions', { body: { ...chat, model: 'mine' } }),
    )
    return seen.every(({ status }) => status === 200)
  }, 20_000)
})

test('a taken port and an invalid number of workers are reported in a sentence', async () => {
  const taken = createServer().listen(0, '127.0.0.1')
  await new Promise((resolve) => taken.once('listening', resolve))
  const address = taken.address()
  const port = typeof address === 'object' ? String(address?.port) : ''
  const variables = { SLUICE_PORT: port, SLUICE_DATA: join(folder.path, 'data') }
  const run = (workers: string) =>
    runSluice(['serve', '--workers', workers], { folder: folder.path, variables })
  const { exitCode, stderr } = await run('3')
  expect(exitCode).toBe(1)
  expect(stderr).toContain(`Port ${port} on 127.0.0.1 is taken by another program`)
  expect(stderr).not.toContain('    at ')
  for (const wrong of ['0', '-1', '1.5', 'many']) {
    const refused = await run(wrong)
    expect([refused.exitCode, refused.stderr]).toEqual([
      2,
      expect.stringContaining('must be a whole number from 1 to 999, or auto'),
    ])
  }
  taken.close()
})
