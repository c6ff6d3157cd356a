import { renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { parseConfig } from '../../src/config/file.ts'
import { watchConfig } from '../../src/config/watch.ts'
import { temporaryFolder } from '../../../../test/support/temporary-folder.ts'
import { readFileSync } from 'node:fs'

const soon = { timeout: 10_000, interval: 5 }
const portOf = (port: number) => `server: { port: ${port} }\n`

function watched(file: string, quietMs = 20) {
  const ports: (number | undefined)[] = []
  const failures: string[] = []
  const watcher = watchConfig(file, {
    quietMs,
    pollMs: 50,
    apply: () => {
      ports.push(parseConfig(readFileSync(file, 'utf8'), file, {}).server?.port)
    },
    failed: (error) => failures.push(String(error)),
  })
  return { ports, failures, [Symbol.dispose]: () => watcher[Symbol.dispose]() }
}

test('a changed file is applied, written in place or renamed onto it', async () => {
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

test('a broken file is told, with its place, and the next good one is applied', async () => {
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

test('a file that appears later is seen, and one that vanishes is told', async () => {
  using folder = temporaryFolder()
  const file = join(folder.path, 'sluice.yaml')
  using watcher = watched(file)
  writeFileSync(file, portOf(1))
  await vi.waitFor(() => expect(watcher.ports).toEqual([1]), soon)
  rmSync(file)
  await vi.waitFor(() => expect(watcher.failures).toHaveLength(1), soon)
})

test('one change at a time, and the last one wins', async () => {
  using folder = temporaryFolder()
  const file = join(folder.path, 'sluice.yaml')
  writeFileSync(file, portOf(1))
  let running = 0
  let applied = 0
  const started: (() => void)[] = []
  using _watcher = watchConfig(file, {
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

test('a change while the one before is applied is looked at as soon as that is done', async () => {
  using folder = temporaryFolder()
  const file = join(folder.path, 'sluice.yaml')
  writeFileSync(file, portOf(1))
  // Only the test moves the clock, so that neither the poll nor a late event can find the change instead.
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] })
  try {
    const applying: { readonly text: string; readonly done: () => void }[] = []
    using _watcher = watchConfig(file, {
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

test('after dispose nothing is applied any more', async () => {
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
