import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as wait } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { temporaryFolder } from '../support/temporary-folder.ts'
import type { Ran } from './gateway.ts'

/**
 * How much of our sources a warm call runs, from its first byte until its response has been read: these figures only go down.
 * `CEILING=print npx vitest run test/ceiling` prints what is counted.
 */
const ceilings = {
  chat: { files: 52, functions: 270 },
  stream: { files: 72 },
}

/** Calls before the first that counts. */
const warmingCalls = 20
/** Calls that count: what ran in each of them is taken, because timers may run beside one. */
const countedCalls = 8
/** Before each call that counts, so that the timers of the one before have run, in milliseconds. */
const quietMs = 300

const key = 'sk-ceiling0123456789'
const open = new AsyncDisposableStack()
let gateway: ChildProcess
let address = ''

beforeAll(async () => {
  const folder = open.use(temporaryFolder()).path
  const upstream = startProcess('upstream.ts', {})
  const [upstreamUrl] = await once(upstream, 'message')
  const file = join(folder, 'sluice.yaml')
  writeFileSync(file, settingsFor(String(upstreamUrl)))
  gateway = startProcess('gateway.ts', {
    SLUICE_HOST: '127.0.0.1',
    SLUICE_PORT: '0',
    SLUICE_DATA: join(folder, 'data'),
    SLUICE_CONFIG: file,
    SLUICE_API_KEYS: key,
    // What it runs is not what the calls below run.
    SLUICE_WARM_START: 'false',
  })
  address = await listeningAddress(gateway)
  for (let call = 0; call < warmingCalls; call += 1) {
    await chat({})
    await chat({ events: 10 })
  }
})

afterAll(() => open.disposeAsync())

test('a passed chat runs few files and functions', async () => {
  const found = await ranInEach(() => chat({}))
  print('chat', found)
  const { files, functions } = sizeOf(found)
  expect(files).toBeLessThanOrEqual(ceilings.chat.files)
  expect(functions).toBeLessThanOrEqual(ceilings.chat.functions)
})

test('a passed stream runs few files', async () => {
  const found = await ranInEach(() => chat({ events: 50 }))
  print('stream', found)
  expect(sizeOf(found).files).toBeLessThanOrEqual(ceilings.stream.files)
})

test('an event of a stream costs no promise', async () => {
  const few = await leastPromises(10)
  const many = await leastPromises(50)
  // Not equal: a timer beside the call may create a few.
  expect(many - few).toBeLessThan(10)
})

/** Sends a chat and reads its response, a stream of this many events if given. */
async function chat({ events }: { readonly events?: number }): Promise<void> {
  const response = await fetch(`${address}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      model: 'chat',
      messages: [{ role: 'user', content: String(events ?? 'Hello') }],
      ...(events !== undefined && { stream: true }),
    }),
  })
  expect(response.status).toBe(200)
  await response.text()
}

/** The functions that run in each of several calls. */
async function ranInEach(call: () => Promise<void>): Promise<readonly string[]> {
  let found: ReadonlySet<string> | undefined
  for (let calls = 0; calls < countedCalls; calls += 1) {
    await beginCount()
    await call()
    const ran = new Set((await ranSinceLast()).functions)
    found = found?.intersection(ran) ?? ran
  }
  return [...(found ?? [])].toSorted()
}

async function leastPromises(events: number): Promise<number> {
  let least = Number.POSITIVE_INFINITY
  for (let calls = 0; calls < countedCalls; calls += 1) {
    await beginCount()
    await chat({ events })
    least = Math.min(least, (await ranSinceLast()).promises)
  }
  return least
}

async function beginCount(): Promise<void> {
  await wait(quietMs)
  await ranSinceLast()
}

async function ranSinceLast(): Promise<Ran> {
  gateway.send('tell')
  const [ran] = await once(gateway, 'message')
  return ran
}

function sizeOf(functions: readonly string[]): {
  readonly files: number
  readonly functions: number
} {
  return { files: byFile(functions).length, functions: functions.length }
}

function byFile(functions: readonly string[]): readonly (readonly [string, readonly string[]])[] {
  const groups = Map.groupBy(functions, (ran) => ran.split(' ')[0] ?? '')
  return [...groups].map(([file, ran]) => [file, ran.map((name) => name.slice(file.length + 1))])
}

function print(title: string, functions: readonly string[]): void {
  if (process.env['CEILING'] !== 'print') return
  const lines = byFile(functions).map(([file, ran]) => `${file} (${ran.length}): ${ran.join(' ')}`)
  console.log([`${title}: ${JSON.stringify(sizeOf(functions))}`, ...lines].join('\n'))
}

function settingsFor(upstreamUrl: string): string {
  return JSON.stringify({
    providers: { acme: { type: 'openai', baseUrl: `${upstreamUrl}/v1`, key: 'sk-upstream01' } },
    models: { chat: 'acme/model' },
    prices: { 'acme/model': { input: 1, output: 2 } },
  })
}

/** Starts a program of this folder, which is killed when the tests are over. */
function startProcess(file: string, environment: Readonly<Record<string, string>>): ChildProcess {
  const child = fork(join(import.meta.dirname, file), {
    env: { PATH: process.env['PATH'] ?? '', ...environment },
    execArgv: [],
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  })
  open.defer(async () => {
    const exited = once(child, 'exit')
    child.kill('SIGKILL')
    await exited
  })
  return child
}

async function listeningAddress({ stdout }: ChildProcess): Promise<string> {
  if (!stdout) throw new Error('The gateway has no output')
  for await (const line of createInterface({ input: stdout })) {
    const [, found] = /listens on (http:\S+)/.exec(line) ?? []
    if (found !== undefined) {
      stdout.resume()
      return found
    }
  }
  throw new Error('The gateway does not listen')
}
