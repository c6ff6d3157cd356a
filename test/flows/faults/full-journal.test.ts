// While the ledger's journal cannot be written, no call begins, because it could not be recorded.
import { expect, test, vi } from 'vitest'
import { fakeUpstream } from '../../support/fakes/fake-upstream.ts'
import { ledger } from '../../support/ledger.ts'
import { ask, at, good } from '../../support/routes.ts'
import { start } from '../../support/start.ts'

const disk = vi.hoisted(() => ({ isFull: false }))

vi.mock('node:fs', async (original) => {
  const fs = await original<typeof import('node:fs')>()
  const writeSync = (fd: number, bytes: Buffer, from?: number) => {
    if (!disk.isFull) return fs.writeSync(fd, bytes, from)
    // A part of it still fits, as on a real disk.
    if (bytes.length > 8 && from === 0) return fs.writeSync(fd, bytes.subarray(0, 8))
    throw Object.assign(new Error('ENOSPC: no space left on device'), { code: 'ENOSPC' })
  }
  return { ...fs, writeSync }
})

test('answers new calls with 503 while the journal cannot be written, and records the calls that had begun', async () => {
  await using only = await fakeUpstream(good)
  await using receiver = await fakeUpstream((_seen, response) => void response.end())
  const secret = `whsec_${Buffer.alloc(32, 1).toString('base64')}`
  const webhooks = [{ url: receiver.url, secret }]
  await using gateway = await start({ ...at({ only }), alerts: { webhooks } })
  const chat = () => gateway.post('/v1/chat/completions', { model: 'only/m', ...ask })
  expect((await chat()).status).toBe(200)
  disk.isFull = true
  // Nobody knows of it yet.
  expect((await chat()).status).toBe(200)
  const refused = await chat()
  expect(refused.status).toBe(503)
  expect(await refused.json()).toMatchObject({ error: { code: 'overloaded' } })
  expect(only.seen).toHaveLength(2)
  expect((await gateway.request('/readyz', { key: null })).status).toBe(503)
  // Operators are told, whatever the disk can keep.
  await vi.waitFor(() => expect(receiver.seen).toHaveLength(1), { timeout: 20_000 })
  expect(receiver.seen[0]?.body).toMatchObject({
    type: 'journal.full',
    data: { reason: 'Error: ENOSPC: no space left on device' },
  })
  disk.isFull = false
  await vi.waitFor(async () => expect((await chat()).status).toBe(200), {
    timeout: 10_000,
    interval: 100,
  })
  const records = await ledger(gateway)
  expect(records.map(({ outcome, reported }) => [outcome, reported])).toEqual([
    ['completed', true],
    ['completed', true],
    ['completed', true],
  ])
})
