// The audit log: every change with its author and target, in a hash chain that shows changes made outside of the
// program.
import { expect, test } from 'vitest'
import { AuditCheck } from '../../../packages/gateway/src/accounts/audit.ts'
import { asked, granted } from '../../support/administrate.ts'
import { onEachDatabase } from '../../support/servers/databases.ts'
import { type Started, start } from '../../support/start.ts'

async function entriesOf(from: Started) {
  const { store } = from.gateway
  return store.listAudit({ limit: 10_000 })
}

function firstProblem(entries: Awaited<ReturnType<typeof entriesOf>>): string | undefined {
  const check = new AuditCheck()
  for (const entry of entries) {
    const problem = check.problemOf(entry)
    if (problem !== undefined) return problem
  }
  return undefined
}

onEachDatabase((newData) => {
  test('records who changed what, without secrets and without rejected changes', async () => {
    await using data = await newData()
    await using gateway = await start({}, data.options)
    const before = (await entriesOf(gateway)).length
    const made = await granted(gateway, 'POST /admin/v1/keys', { name: 'audited' })
    await granted(gateway, `PATCH /admin/v1/keys/${made.id}`, { name: 'renamed' })
    await asked(gateway, `PATCH /admin/v1/keys/${made.id}`, { name: 5 })
    await asked(gateway, 'PATCH /admin/v1/keys/key_unknown', { name: 'x' })
    const rotated = await granted(gateway, `POST /admin/v1/keys/${made.id}/rotate`, {
      overlapSeconds: 9,
    })
    const page = await granted(gateway, `GET /admin/v1/audit?order=asc&after=${before}`)
    expect(page.data).toMatchObject([
      { action: 'key.create', target: made.id, before: null, after: { name: 'audited' } },
      { action: 'key.change', before: { name: 'audited' }, after: { name: 'renamed' } },
      { action: 'key.rotate', before: { name: 'renamed' }, after: { olderSecrets: [{}] } },
    ])
    for (const entry of page.data) expect(entry['actor']).toMatch(/^environment_/)
    const all = JSON.stringify(await entriesOf(gateway))
    const { store } = gateway.gateway
    const hashes = (await store.listKeys()).flatMap(({ hash, olderSecrets = [] }) => [
      hash,
      ...olderSecrets.map((older) => older.hash),
    ])
    for (const secret of [made.secret.slice(8), rotated.secret.slice(8), ...hashes])
      expect(all).not.toContain(secret)
    expect(firstProblem(await entriesOf(gateway))).toBeUndefined()
    const newest = await granted(gateway, 'GET /admin/v1/audit?limit=1')
    expect(newest).toMatchObject({ data: [{ action: 'key.rotate' }], has_more: true })
  })

  test('chains the entries of concurrent changes at two gateways', async () => {
    await using data = await newData()
    await using first = await start({}, data.options)
    await using second = await start({}, data.options)
    const { id } = await granted(first, 'POST /admin/v1/teams', { name: 'busy' })
    await Promise.all(
      Array.from({ length: 12 }, (_, n) =>
        granted(
          n % 2 ? first : second,
          `PATCH /admin/v1/teams/${id}`,
          n % 3 ? { name: `n${n}` } : { metadata: { n: String(n) } },
        ),
      ),
    )
    const entries = await entriesOf(first)
    expect(entries).toHaveLength(13)
    expect(firstProblem(entries)).toBeUndefined()
    for (const [index, entry] of entries.slice(2).entries())
      expect(entry.before).toBe(entries[index + 1]?.after)
  })

  test.each<[string, string, string]>([
    [
      'a changed entry',
      "UPDATE audit_log SET after = '{}' WHERE sequence = 2",
      'Entry 2 was changed',
    ],
    ['a removed entry', 'DELETE FROM audit_log WHERE sequence = 2', 'Entry 2 is missing'],
    ['a removed first entry', 'DELETE FROM audit_log WHERE sequence = 1', 'Entry 1 is missing'],
    [
      'a recomputed hash',
      "UPDATE audit_log SET hash = 'x' WHERE sequence = 2",
      'Entry 2 was changed',
    ],
  ])('detects %s', async (_name, statement, problem) => {
    await using data = await newData()
    await using served = await start({}, data.options)
    for (const name of ['a', 'b', 'c']) await granted(served, 'POST /admin/v1/teams', { name })
    expect(firstProblem(await entriesOf(served))).toBeUndefined()
    await data.run(statement)
    expect(firstProblem(await entriesOf(served))).toContain(problem)
  })
})
