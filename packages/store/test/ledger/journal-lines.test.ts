// Lines of a journal that are cut, damaged, or contain what other programs take for the end of a line.
import { readdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { sampleUsage } from '../../../../test/support/store-samples.ts'
import { temporaryFolder } from '../../../../test/support/temporary-folder.ts'
import { documentOf, journalLine, openJournal } from '../../src/ledger/journal.ts'
import { openSqlite } from '../../src/sqlite/open-sqlite.ts'

const disk = vi.hoisted(() => ({ room: Infinity }))

vi.mock('node:fs', async (original) => {
  const fs = await original<typeof import('node:fs')>()
  return {
    ...fs,
    /** Writes what there is room for, as a real disk does. */
    writeSync(fd: number, bytes: Buffer, from = 0, length = bytes.length - from) {
      const fits = Math.min(length, disk.room)
      if (fits === 0) throw Object.assign(new Error('ENOSPC'), { code: 'ENOSPC' })
      disk.room -= fits
      return fs.writeSync(fd, bytes, from, fits)
    },
  }
})

/** The journal of a process that has ended. */
const name = 'elsewhere~1~1~a~000000000.journal'

const settled = (callId: string, more: object = {}) =>
  journalLine.settled(documentOf(`id-${callId}`, { ...sampleUsage({ callId }), ...more }))

/** What the next start finds in a journal with this text. */
async function recovered(text: string) {
  using folder = temporaryFolder()
  const journalFolder = folder.path
  writeFileSync(join(journalFolder, name), text)
  // Silent for longer than a process on another machine may be.
  utimesSync(join(journalFolder, name), 0, 0)
  const told: [number, string][] = []
  const store = openSqlite({
    file: join(folder.path, 'sluice.db'),
    journalFolder,
    journalUnreadable: (lines, file) => told.push([lines, file]),
  })
  await store.flush()
  const calls = (await store.listUsage({ limit: 100 })).map(({ callId }) => callId).toSorted()
  await store[Symbol.asyncDispose]()
  const left = readdirSync(journalFolder).filter((one) => one.startsWith('elsewhere'))
  const kept = left.map((one) => readFileSync(join(journalFolder, one), 'utf8'))
  return { calls, told: told.map(([lines]) => lines), left, kept }
}

test('round-trips any text of a record', async () => {
  const texts = [
    'a\u2028b',
    'a\u2029b',
    'a\u0085b',
    'a\rb',
    'a\nb',
    'a\vb\fc',
    '\ufeff',
    '🙂\u2028',
  ]
  const lines = texts.map((reason, at) => settled(`call_${at}`, { reason }))
  const { calls, told, left } = await recovered(lines.map((line) => `${line}\n`).join(''))
  expect(calls).toEqual(texts.map((_, at) => `call_${at}`))
  expect([told, left]).toEqual([[], []])
})

test.each([
  { what: 'is cut', damage: (line: string) => line.slice(0, 40) },
  { what: 'is of another kind', damage: (line: string) => `X${line.slice(1)}` },
  { what: 'has no id', damage: () => 'S{}' },
  { what: 'is zeros', damage: (line: string) => '\0'.repeat(line.length) },
])('a line that $what is counted and reported, and its file kept', async ({ damage }) => {
  const lines = ['call_0', 'call_1', 'call_2', 'call_3'].map((callId) => settled(callId))
  const text = lines.map((line, at) => `${at % 2 === 1 ? damage(line) : line}\n`).join('')
  const { calls, told, left, kept } = await recovered(text)
  expect(calls).toEqual(['call_0', 'call_2'])
  expect(told).toEqual([2])
  expect(left).toEqual([`${name}.unreadable`])
  expect(kept).toEqual([text])
})

test('reads a complete last line without a line end, and reports a truncated one', async () => {
  const whole = await recovered(`${settled('call_0')}\n${settled('call_1')}`)
  expect([whole.calls, whole.told]).toEqual([['call_0', 'call_1'], []])
  const cut = await recovered(`${settled('call_0')}\n${settled('call_1').slice(0, -1)}`)
  expect([cut.calls, cut.told]).toEqual([['call_0'], [1]])
})

test.each([1, 3, 7])(
  'a line of which a full disk took %i bytes does not corrupt the next',
  (room) => {
    using folder = temporaryFolder()
    using journal = openJournal({ folder: folder.path })
    const text = () =>
      readdirSync(folder.path).map((one) => readFileSync(join(folder.path, one), 'utf8'))
    for (let turn = 0; turn < 2; turn += 1) {
      disk.room = room
      journal.append(`first ${turn}`)
      journal.write()
      expect(journal.failure).toBeDefined()
      journal.append(`second ${turn}`)
      // A segment is not changed while its lines wait.
      expect(journal.rotate()).toEqual([])
      disk.room = Infinity
      journal.write()
      expect(journal.failure).toBeUndefined()
    }
    const lines = text().flatMap((one) => one.split('\n'))
    for (const line of ['first 0', 'second 0', 'first 1', 'second 1']) expect(lines).toContain(line)
    expect(text()).toHaveLength(1)
  },
)
