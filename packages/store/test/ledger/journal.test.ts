import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { temporaryFolder } from '../../../../test/support/temporary-folder.ts'
import { openJournal } from '../../src/ledger/journal.ts'
import { isAbandoned, newInstanceName } from '../../src/ledger/journal-owner.ts'

const soon = { timeout: 20_000 }

const textsIn = (folder: string) =>
  readdirSync(folder)
    .toSorted()
    .map((name) => readFileSync(join(folder, name), 'utf8'))

test('writes lines at the end of the turn, or at once on request', async () => {
  using folder = temporaryFolder()
  using journal = openJournal({ folder: folder.path })
  journal.append('one')
  expect(textsIn(folder.path)).toEqual([''])
  await new Promise((resolve) => setImmediate(resolve))
  expect(textsIn(folder.path)).toEqual(['one\n'])
  journal.append('two')
  journal.append('three')
  journal.write()
  expect(textsIn(folder.path)).toEqual(['one\ntwo\nthree\n'])
})

test('deletes a segment once all of its lines are done', async () => {
  using folder = temporaryFolder()
  using journal = openJournal({ folder: folder.path, segmentBytes: 8 })
  const first = journal.append('first')
  const second = journal.append('second')
  journal.write()
  const third = journal.append('third')
  journal.write()
  expect(textsIn(folder.path)).toEqual(['first\nsecond\n', 'third\n'])
  first.done()
  expect(textsIn(folder.path)).toEqual(['first\nsecond\n', 'third\n'])
  second.done()
  await vi.waitFor(() => expect(textsIn(folder.path)).toEqual(['third\n']), soon)
  third.done()
  expect(textsIn(folder.path)).toEqual(['third\n'])
})

test('reads unfinished lines again from older segments and then deletes these', async () => {
  using folder = temporaryFolder()
  using journal = openJournal({ folder: folder.path })
  journal.append('written').done()
  journal.append('left').evict()
  const [segment, ...others] = journal.rotate()
  expect(others).toEqual([])
  expect(readFileSync(segment?.file ?? '', 'utf8')).toBe('written\nleft\n')
  segment?.evictedDone()
  await vi.waitFor(() => expect(textsIn(folder.path)).toEqual(['']), soon)
  expect(journal.rotate()).toEqual([])
})

test('dispose removes an empty journal and keeps unfinished lines', async () => {
  using folder = temporaryFolder()
  openJournal({ folder: folder.path })[Symbol.dispose]()
  await vi.waitFor(() => expect(textsIn(folder.path)).toEqual([]), soon)
  const journal = openJournal({ folder: folder.path })
  journal.append('open')
  journal[Symbol.dispose]()
  expect(textsIn(folder.path)).toEqual(['open\n'])
})

test('detects whether the writer of a segment is alive', async () => {
  using folder = temporaryFolder()
  const write = (name: string) => {
    const file = join(folder.path, `${name}~000000000.journal`)
    writeFileSync(file, '')
    return file
  }
  const own = newInstanceName()
  expect(isAbandoned(write(own))).toBe(false)
  const [machine = '', id = '', start = ''] = own.split('~')
  const child = spawn(process.execPath, ['-e', ''])
  await once(child, 'exit')
  expect(isAbandoned(write([machine, child.pid, '1', 'a'].join('~')))).toBe(true)
  // Another process had this one's number, as in a container that was started again.
  expect(isAbandoned(write([machine, id, Number(start) - 1, 'b'].join('~')))).toBe(true)
  // It dies, and its parent, which is another program by then, does not ask how.
  const shell = spawn('sh', ['-c', 'sleep 0.1 & echo $!; exec sleep 60'])
  const [told] = (await once(shell.stdout, 'data')) as [Buffer]
  const dead = told.toString().trim()
  const stat = () => readFileSync(`/proc/${dead}/stat`, 'latin1').split(') ')[1]?.split(' ') ?? []
  await vi.waitFor(() => expect(stat()[0]).toBe('Z'), soon)
  expect(isAbandoned(write([machine, dead, stat()[19], 'd'].join('~')))).toBe(true)
  shell.kill()
  const elsewhere = write(['elsewhere', id, start, 'c'].join('~'))
  expect(isAbandoned(elsewhere)).toBe(false)
  const aMinuteAgo = Date.now() / 1_000 - 61
  utimesSync(elsewhere, aMinuteAgo, aMinuteAgo)
  expect(isAbandoned(elsewhere)).toBe(true)
})
