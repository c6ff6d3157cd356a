// What a gateway does before it is ready, and that nothing is seen of it afterwards.
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import {
  type FakeUpstream,
  fakeUpstream,
  json,
} from '../../../../test/support/fakes/fake-upstream.ts'
import { chatReply } from '../../../../test/support/fakes/openai-wire.ts'
import { startProgram } from '../../../../test/support/gateways/program.ts'
import { runSluice, startSluice } from '../../../../test/support/run-sluice.ts'
import { adminKey, until } from '../../../../test/support/start.ts'
import { temporaryFolder } from '../../../../test/support/temporary-folder.ts'
import { warmStart } from '../../src/cli/warm-start/warm-start.ts'
import { createConfig } from '../../src/config/config.ts'
import { readEnvironment } from '../../src/config/env.ts'
import type { ConfigFile } from '../../src/config/schema.ts'

let folder: ReturnType<typeof temporaryFolder>
let upstream: FakeUpstream
beforeEach(async () => {
  folder = temporaryFolder()
  upstream = await fakeUpstream((_seen, response) => json(response, chatReply('Hello')))
})
afterEach(async () => {
  await upstream[Symbol.asyncDispose]()
  folder[Symbol.dispose]()
})

const data = () => join(folder.path, 'data')
const warmFolder = () => join(data(), 'warm-start')

function start(more: ConfigFile = {}, args: readonly string[] = []) {
  const up = { type: 'openai', baseUrl: upstream.url, key: 'k' } as const
  return startProgram({
    folder: folder.path,
    content: { prices: { '*': { input: 1, output: 1 } }, providers: { up }, ...more },
    args,
    variables: { SLUICE_WARM_START: '', SLUICE_LOG_LEVEL: 'debug' },
  })
}

type Line = Readonly<Record<string, unknown>>
const warmed = (lines: readonly Line[]) =>
  lines.filter(({ msg }) => msg === 'the warm start is over')

test('a gateway with a provider calls itself before it is ready, and nothing of it is sent, recorded or counted', async () => {
  await using program = await start()
  const [line] = await until(() => {
    const found = warmed(program.lines())
    return found.length > 0 ? found : undefined
  })
  const ready = program.lines().find(({ msg }) => String(msg).includes('listens on'))
  expect(String(line?.['time']) <= String(ready?.['time'])).toBe(true)
  expect(program.lines().map(({ level }) => level)).not.toContain('warn')
  expect(upstream.seen).toEqual([])
  expect(readdirSync(warmFolder())).toEqual([])

  const asked = async (path: string) => program.ask(path, { key: adminKey })
  expect((await asked('/admin/v1/requests')).json).toMatchObject({ data: [] })
  expect((await asked('/admin/v1/keys')).json).toMatchObject({ data: [] })
  expect((await asked('/metrics')).bytes.toString()).not.toMatch(/warm|^gen_ai\w*_count/m)
  const body = { model: 'up/m', messages: [{ role: 'user', content: 'Hi' }] }
  expect((await program.ask('/v1/chat/completions', { body })).status).toBe(200)
  expect(upstream.seen).toHaveLength(1)
}, 60_000)

test('each worker does so', async () => {
  await using program = await start({}, ['--workers', '2'])
  const lines = await until(() => {
    const found = warmed(program.lines())
    return found.length > 1 ? found : undefined
  })
  expect(new Set(lines.map(({ worker }) => worker))).toEqual(new Set([1, 2]))
  expect(upstream.seen).toEqual([])
}, 60_000)

test.each<[string, ConfigFile]>([
  ['turned off', { server: { warmStart: false } }],
  ['without a provider', { providers: {} }],
])(
  'it is left out when %s',
  async (_name, more) => {
    await using program = await start(more)
    expect((await program.ask('/readyz')).status).toBe(200)
    expect(existsSync(warmFolder())).toBe(false)
    expect(warmed(program.lines())).toEqual([])
  },
  60_000,
)

test('the variable must be true or false', async () => {
  const { exitCode, stderr } = await runSluice(['serve'], {
    folder: folder.path,
    variables: { SLUICE_WARM_START: 'no' },
  })
  expect([exitCode, stderr]).toEqual([1, 'SLUICE_WARM_START must be true or false, got "no"\n'])
})

test('a gateway that cannot warm up warns and starts', async () => {
  mkdirSync(data(), { mode: 0o700 })
  writeFileSync(warmFolder(), '')
  await using program = await start()
  expect((await program.ask('/readyz')).status).toBe(200)
  const message = 'the warm start failed: the first calls take longer'
  await until(() => program.lines().find(({ msg }) => msg === message))
}, 60_000)

test('a gateway that is killed while it warms up leaves nothing behind', async () => {
  const variables = { OPENAI_API_KEY: 'k', OPENAI_BASE_URL: upstream.url, SLUICE_PORT: '0' }
  const killed = startSluice(['serve'], { folder: folder.path, variables })
  await until(() => existsSync(warmFolder()) && readdirSync(warmFolder()).length > 0)
  killed.child.kill('SIGKILL')
  await killed.finished
  await using program = await start()
  expect((await program.ask('/admin/v1/requests', { key: adminKey })).json).toMatchObject({
    data: [],
  })
  await until(() => readdirSync(warmFolder()).length === 0)
  expect(program.lines().map(({ level }) => level)).not.toContain('warn')
}, 60_000)

const allFormats = { OPENAI_API_KEY: 'k', ANTHROPIC_API_KEY: 'k', GEMINI_API_KEY: 'k' }

test.each([
  [10_000, 24],
  [1, 0],
])(
  'within %i ms it makes %i calls and more, and all of them succeed',
  async (ms, least) => {
    const environment = readEnvironment({ SLUICE_DATA: data(), ...allFormats })
    const config = createConfig(environment, {}, join(folder.path, 'sluice.yaml'))
    const told: unknown[] = []
    const tell = (fields: object, message: string) => void told.push({ ...fields, message })
    await warmStart({ config, ms, log: { debug: tell, info: tell, warn: tell, error: tell } })
    expect(told).toEqual([{ calls: expect.any(Number), message: 'the warm start is over' }])
    const [{ calls }] = told as [{ calls: number }]
    expect(calls).toBeGreaterThanOrEqual(least)
  },
  60_000,
)
