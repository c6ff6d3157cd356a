// While the database cannot be written, what must be stored is rejected with 503, and everything else is answered.
import { renameSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, test, vi } from 'vitest'
import { fakeUpstream } from '../../support/fakes/fake-upstream.ts'
import { ledger } from '../../support/ledger.ts'
import { ask, at, good } from '../../support/routes.ts'
import { start } from '../../support/start.ts'

test('while the database is not writable, videos and /readyz answer 503 and chats work', async () => {
  await using only = await fakeUpstream(good)
  await using gateway = await start(at({ only }, { builtin: { enabled: 'always' } }))
  const becomes = (status: number) =>
    vi.waitFor(
      async () => expect((await gateway.request('/readyz', { key: null })).status).toBe(status),
      { timeout: 15_000, interval: 50 },
    )
  await becomes(200)
  using other = new DatabaseSync(join(gateway.dataFolder, 'sluice.db'))
  other.exec('BEGIN IMMEDIATE')
  const video = await gateway.post('/v1/videos', { model: 'builtin-video', prompt: 'a red square' })
  expect(video.status).toBe(503)
  expect(await video.json()).toMatchObject({ error: { code: 'overloaded' } })
  await becomes(503)
  const chat = await gateway.post('/v1/chat/completions', { model: 'only/m', ...ask })
  expect(chat.status).toBe(200)
  other.exec('ROLLBACK')
  await becomes(200)
  expect((await ledger(gateway)).some(({ operation }) => operation === 'chat')).toBe(true)
})

test('/readyz answers 503 while the database file is missing', async () => {
  await using gateway = await start()
  const becomes = (status: number) =>
    vi.waitFor(
      async () => expect((await gateway.request('/readyz', { key: null })).status).toBe(status),
      { timeout: 15_000, interval: 50 },
    )
  await becomes(200)
  const file = join(gateway.dataFolder, 'sluice.db')
  renameSync(file, `${file}.away`)
  await becomes(503)
  expect((await gateway.request('/healthz', { key: null })).status).toBe(200)
  renameSync(`${file}.away`, file)
  await becomes(200)
})
