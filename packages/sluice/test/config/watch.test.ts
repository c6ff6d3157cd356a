import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { temporaryFolder } from '../../../../test/support/temporary-folder.ts'
import { type Config, createConfig } from '../../src/config/config.ts'
import { readEnvironment } from '../../src/config/env.ts'
import { parseConfig } from '../../src/config/file.ts'
import { removedSettings } from '../../src/config/removed-settings.ts'
import type { ConfigFile } from '../../src/config/schema.ts'
import { AbsentSettings, watchConfig } from '../../src/config/watch.ts'

const soon = { timeout: 10_000, interval: 5 }
const portOf = (port: number) => `server: { port: ${port} }\n`

/** What the file says now. */
const said = (file: string) => (existsSync(file) ? readFileSync(file, 'utf8') : undefined)

function watched(file: string, { quietMs = 20, applied = said(file) } = {}) {
  const ports: (number | undefined)[] = []
  const failures: string[] = []
  const watcher = watchConfig(file, {
    applied,
    quietMs,
    pollMs: 50,
    apply: () => {
      ports.push(parseConfig(readFileSync(file, 'utf8'), file, {}).server?.port)
    },
    failed: (error) => failures.push(String(error)),
  })
  return { ports, failures, [Symbol.dispose]: () => watcher[Symbol.dispose]() }
}

test('applies a change made between reading the file and watching it', async () => {
  using folder = temporaryFolder()
  const file = join(folder.path, 'sluice.yaml')
  writeFileSync(file, portOf(2))
  using watcher = watched(file, { applied: portOf(1) })
  await vi.waitFor(() => expect(watcher.ports).toEqual([2]), soon)
})

test('applies a changed file, written in place or replaced by rename', async () => {
  using folder = temporaryFolder()
  const file = join(folder.path, 'sluice.yaml')
  writeFileSync(file, portOf(1))
  using watcher = watched(file)
  writeFileSync(file, portOf(2))
  await vi.waitFor(() => expect(watcher.ports).toEqual([2]), soon)
  writeFileSync(`${file}.new`, portOf(3))
  renameSync(`${file}.new`, file)
  await vi.waitFor(() => expect(watcher.ports).toEqual([2, 3]), soon)
  expect(watcher.failures).toEqual([])
})

test('reports a broken file with its place, and applies the next valid one', async () => {
  using folder = temporaryFolder()
  const file = join(folder.path, 'sluice.yaml')
  writeFileSync(file, portOf(1))
  using watcher = watched(file)
  writeFileSync(file, 'server:\n  prot: 2\n')
  await vi.waitFor(() => expect(watcher.failures).toHaveLength(1), soon)
  expect(watcher.failures[0]).toContain(`${file}:2:3: server.prot is not a setting`)
  expect(watcher.ports).toEqual([])
  writeFileSync(file, portOf(3))
  await vi.waitFor(() => expect(watcher.ports).toEqual([3]), soon)
})

test('applies a file that appears later, and reports one that disappears', async () => {
  using folder = temporaryFolder()
  const file = join(folder.path, 'sluice.yaml')
  using watcher = watched(file)
  writeFileSync(file, portOf(1))
  await vi.waitFor(() => expect(watcher.ports).toEqual([1]), soon)
  rmSync(file)
  await vi.waitFor(() => expect(watcher.failures).toHaveLength(1), soon)
})

test('applies one change at a time, the last one finally', async () => {
  using folder = temporaryFolder()
  const file = join(folder.path, 'sluice.yaml')
  writeFileSync(file, portOf(1))
  let running = 0
  let applied = 0
  const started: (() => void)[] = []
  using _watcher = watchConfig(file, {
    applied: portOf(1),
    quietMs: 1,
    pollMs: 5,
    apply: async () => {
      expect(++running).toBe(1)
      await new Promise<void>((resolve) => started.push(resolve))
      applied = parseConfig(readFileSync(file, 'utf8'), file, {}).server?.port ?? 0
      running--
    },
    failed: (error) => expect.unreachable(String(error)),
  })
  writeFileSync(file, portOf(2))
  await vi.waitFor(() => expect(started).toHaveLength(1), soon)
  writeFileSync(file, portOf(3))
  writeFileSync(file, portOf(4))
  started[0]?.()
  await vi.waitFor(() => expect(started).toHaveLength(2), soon)
  started[1]?.()
  await vi.waitFor(() => expect(applied).toBe(4), soon)
})

test('applies a change that happened during the previous one at once', async () => {
  using folder = temporaryFolder()
  const file = join(folder.path, 'sluice.yaml')
  writeFileSync(file, portOf(1))
  // Only the test moves the clock, so that neither the poll nor a late event can find the change instead.
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] })
  try {
    const applying: { readonly text: string; readonly done: () => void }[] = []
    using _watcher = watchConfig(file, {
      applied: portOf(1),
      quietMs: 10,
      pollMs: 3_600_000,
      apply: () =>
        new Promise<void>((done) => {
          applying.push({ text: readFileSync(file, 'utf8'), done })
        }),
      failed: (error) => expect.unreachable(String(error)),
    })
    writeFileSync(file, portOf(2))
    await timersAre(2)
    vi.advanceTimersByTime(10)
    expect(applying.map(({ text }) => text)).toEqual([portOf(2)])
    writeFileSync(file, portOf(3))
    await timersAre(2)
    vi.advanceTimersByTime(10)
    expect(applying).toHaveLength(1)
    applying[0]?.done()
    await ticks()
    expect(applying.map(({ text }) => text)).toEqual([portOf(2), portOf(3)])
    applying[1]?.done()
    await ticks()
    expect(applying).toHaveLength(2)
  } finally {
    vi.useRealTimers()
  }
})

const ticks = async () => {
  for (let n = 0; n < 20; n++) await new Promise((resolve) => setImmediate(resolve))
}

/** Waits in real time until the watcher has so many timers: the poll, and one more once it saw a change. */
async function timersAre(count: number): Promise<void> {
  const end = performance.now() + 10_000
  while (vi.getTimerCount() !== count && performance.now() < end)
    await new Promise((resolve) => setImmediate(resolve))
  expect(vi.getTimerCount()).toBe(count)
}

test('applies nothing after dispose', async () => {
  using folder = temporaryFolder()
  const file = join(folder.path, 'sluice.yaml')
  writeFileSync(file, portOf(1))
  using other = watched(file)
  const watcher = watched(file)
  watcher[Symbol.dispose]()
  writeFileSync(file, portOf(2))
  await vi.waitFor(() => expect(other.ports).toEqual([2]), soon)
  expect(watcher.ports).toEqual([])
})

interface Taken {
  readonly text: string
  readonly isSettled: boolean
}

/** Takes over whatever holds `all` at once, and what lacks it only when the file has lain still. */
function settling(file: string, settleMs: number) {
  const taken: Taken[] = []
  const failures: unknown[] = []
  const watcher = watchConfig(file, {
    applied: said(file),
    quietMs: 10,
    pollMs: 20,
    settleMs,
    apply(text, isSettled) {
      if (!text.includes('all') && !isSettled) return 'unsettled'
      taken.push({ text, isSettled })
      return undefined
    },
    failed: (error) => failures.push(error),
  })
  return { taken, failures, [Symbol.dispose]: () => watcher[Symbol.dispose]() }
}

test('applies a change that removes settings after a delay', async () => {
  using folder = temporaryFolder()
  const file = join(folder.path, 'sluice.yaml')
  writeFileSync(file, 'all: 1\n')
  using watcher = settling(file, 200)
  writeFileSync(file, 'less: 2\n')
  await vi.waitFor(() => expect(watcher.taken).toHaveLength(1), soon)
  expect(watcher.taken).toEqual([{ text: 'less: 2\n', isSettled: true }])
})

test('applies a file written in parts once it is complete', async () => {
  using folder = temporaryFolder()
  const file = join(folder.path, 'sluice.yaml')
  writeFileSync(file, 'all: 1\n')
  using watcher = settling(file, 600_000)
  for (const text of ['', 'le', 'less: 2\n', 'less: 2\nall: 3\n']) {
    writeFileSync(file, text)
    await new Promise((resolve) => setTimeout(resolve, 60))
  }
  await vi.waitFor(() => expect(watcher.taken).toHaveLength(1), soon)
  expect(watcher.taken).toEqual([{ text: 'less: 2\nall: 3\n', isSettled: false }])
  // Back to what it was: nothing waits any more.
  writeFileSync(file, 'less: 4\n')
  writeFileSync(file, 'less: 2\nall: 3\n')
  expect(watcher.failures.every((error) => error instanceof AbsentSettings)).toBe(true)
})

test.each([
  ['gone', (file: string) => rmSync(file)],
  ['empty', (file: string) => writeFileSync(file, '')],
  ['blank', (file: string) => writeFileSync(file, '\ufeff---\n\n# keys: []\n  # nothing\n...\n')],
])('reports a file that is %s once and does not apply it', async (_name, lose) => {
  using folder = temporaryFolder()
  const file = join(folder.path, 'sluice.yaml')
  writeFileSync(file, 'all: 1\n')
  using watcher = settling(file, 20)
  lose(file)
  await vi.waitFor(() => expect(watcher.failures).toHaveLength(1), soon)
  expect(watcher.failures[0]).toBeInstanceOf(AbsentSettings)
  writeFileSync(file, 'all: 1\n')
  await new Promise((resolve) => setTimeout(resolve, 100))
  expect(watcher.taken).toEqual([])
  lose(file)
  await vi.waitFor(() => expect(watcher.failures).toHaveLength(2), soon)
  writeFileSync(file, 'all: 2\n')
  await vi.waitFor(() => expect(watcher.taken).toHaveLength(1), soon)
  expect(watcher.failures).toHaveLength(2)
})

const before = createConfig(
  readEnvironment({}),
  {
    keys: [
      { name: 'one', key: 'secret-of-one', models: ['m'], requestsPerMinute: 3 },
      { name: 'two', key: 'secret-of-two' },
    ],
    limits: { requestsPerMinute: 4, concurrentRequests: 5 },
    providers: { acme: { type: 'openai', baseUrl: 'http://acme.test/v1' } },
    models: { m: 'acme/m' },
    builtin: { enabled: 'never' },
  },
  'sluice.yaml',
)

test.each<[ConfigFile, readonly string[]]>([
  [
    {},
    [
      'keys.one',
      'keys.two',
      'limits.requestsPerMinute',
      'limits.concurrentRequests',
      'providers.acme',
      'models.m',
      'builtin.enabled: never',
    ],
  ],
  [
    { ...contentOf(before), keys: [{ name: 'one', key: 'another' }, before.keys[1]!] },
    ['keys.one.models', 'keys.one.requestsPerMinute'],
  ],
  [{ ...contentOf(before), limits: { requestsPerMinute: 9, concurrentRequests: 1 } }, []],
  [
    { ...contentOf(before), keys: before.keys.toReversed(), models: { m: 'acme/n', n: 'acme/m' } },
    [],
  ],
])('lists the settings removed by %j', (content, removed) => {
  const after = createConfig(readEnvironment({}), content, 'sluice.yaml')
  expect(removedSettings(before, after)).toEqual(removed)
  expect(JSON.stringify(removedSettings(before, after))).not.toContain('secret')
})

function contentOf({ keys, limits, providers, models, builtin }: Config): ConfigFile {
  return { keys: [...keys], limits, providers, models, builtin } as ConfigFile
}
