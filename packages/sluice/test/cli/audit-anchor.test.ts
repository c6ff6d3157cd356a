// The newest entry of the audit log, told where somebody who cuts the log off cannot reach it.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { stringify } from 'yaml'
import { granted } from '../../../../test/support/administrate.ts'
import { fakeUpstream } from '../../../../test/support/fakes/fake-upstream.ts'
import { startServer } from '../../../../test/support/gateways/server-process.ts'
import { main } from '../../../../test/support/run-sluice.ts'
import { start, until } from '../../../../test/support/start.ts'
import { temporaryFolder } from '../../../../test/support/temporary-folder.ts'
import { anchorAudit } from '../../src/cli/audit-anchor.ts'

test('logs and sends the newest audit entry at start and periodically', async () => {
  await using gateway = await start()
  const { store, log } = gateway.gateway
  const raised: unknown[] = []
  const alerts = { raise: (alert: object) => void raised.push(alert) }
  const newest = async () => {
    const { data } = await granted(gateway, 'GET /admin/v1/audit?limit=1')
    return { entries: Number(data[0]?.id), hash: data[0]?.['hash'] }
  }
  await granted(gateway, 'POST /admin/v1/teams', { name: 'a' })
  const first = await newest()
  using _anchor = anchorAudit(store, { log, alerts, everyMs: 20 })
  await until(() => raised.length > 2)
  expect(raised[0]).toEqual({ event: 'audit.newest', ...first })
  await granted(gateway, 'POST /admin/v1/teams', { name: 'b' })
  const second = await newest()
  expect(second.entries).toBe(first.entries + 1)
  await until(() => JSON.stringify(raised.at(-1)).includes(String(second.hash)))
  expect(
    gateway.logged.some(({ level, fields }) => level === 'info' && fields['hash'] === second.hash),
  ).toBe(true)
})

test('sends nothing while the audit log is empty', async () => {
  const raised: unknown[] = []
  const logged: unknown[] = []
  const log = { info: (line: unknown) => void logged.push(line), warn: () => undefined }
  let reads = 0
  const store = {
    listAudit: async () => {
      reads += 1
      return []
    },
  }
  using _anchor = anchorAudit(store, {
    log,
    alerts: { raise: (alert) => void raised.push(alert) },
    everyMs: 5,
  })
  await until(() => reads > 3)
  expect([...raised, ...logged]).toEqual([])
})

test('adds the audit anchor to the start line and sends it only to webhooks that subscribe to it', async () => {
  await using receiver = await fakeUpstream((_seen, response) => void response.writeHead(204).end())
  using folder = temporaryFolder()
  const secret = `whsec_${Buffer.from('a secret of at least 24 bytes').toString('base64')}`
  const webhooks = [
    { url: `${receiver.url}/wanting`, secret, events: ['audit.newest'] },
    { url: `${receiver.url}/usual`, secret },
  ]
  writeFileSync(join(folder.path, 'sluice.yaml'), stringify({ alerts: { webhooks } }))
  const env = { PATH: process.env['PATH'] ?? '' }
  await using gateway = await startServer(process.execPath, [main, 'serve'], {
    folder: folder.path,
    env,
  })
  await until(() => receiver.seen.length > 0)
  expect(receiver.seen.map(({ path }) => path)).toEqual(['/wanting'])
  const { data } = receiver.seen[0]?.body as { data: { entries: number; hash: string } }
  expect(data).toEqual({ entries: 1, hash: expect.stringMatching(/^[0-9a-f]{64}$/) })
  const lines = gateway.output().trim().split('\n')
  const started = lines.map((line) => JSON.parse(line) as Record<string, unknown>)
  expect(started.find(({ msg }) => String(msg).includes('listens'))).toMatchObject({ audit: data })
})
