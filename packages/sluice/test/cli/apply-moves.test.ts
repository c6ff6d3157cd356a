// `sluice apply` on what is there already: things that move, roles that change, several files and several at once.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { granted } from '../../../../test/support/administrate.ts'
import {
  accountsFile,
  applier,
  done,
  json,
  listed,
  refused,
} from '../../../../test/support/gateways/apply.ts'
import { runSluice } from '../../../../test/support/run-sluice.ts'
import { adminKey, start, until } from '../../../../test/support/start.ts'

describe('sluice apply moves accounts and changes roles', () => {
  test('moves users and teams to existing and new parents, and to none', async () => {
    await using gateway = await start()
    const apply = applier(gateway)
    await done(apply(accountsFile, '--yes'))
    const moved = accountsFile
      .replace('teams:\n', 'teams:\n  - name: new\n')
      .replace('  - name: search\n    organization: acme\n', '  - name: search\n')
      .replace('  - name: ada\n    team: search\n', '  - name: ada\n    team: new\n')
      .replace('  - name: app\n    team: search\n', '  - name: app\n    user: ada\n')
      .replace('  - name: ada-laptop\n    user: ada\n', '  - name: ada-laptop\n')
      .replace('adminRole: viewer', 'adminRole: operator')
    const shown = await done(apply(moved, '--yes'))
    for (const line of [
      '+ team new\n',
      '~ team search\n    in: organization acme → none\n',
      '~ user ada\n    in: team search → team new\n',
      '~ key app\n    in: team search → user ada\n',
      '~ key ada-laptop\n    in: user ada → none\n',
      '~ key auditor\n    adminRole: viewer → operator\n',
    ])
      expect(shown).toContain(line)
    const [search, team] = await listed(gateway, 'teams')
    expect(search).not.toHaveProperty('parentId')
    const [user] = await listed(gateway, 'users')
    expect(user).toMatchObject({ parentId: team?.id })
    const [app, laptop, auditor] = await listed(gateway, 'keys')
    expect(app).toMatchObject({ name: 'app', ownerId: user?.id })
    expect(laptop).not.toHaveProperty('ownerId')
    expect(auditor).toMatchObject({ role: 'administrator', adminRole: 'operator' })
    expect(await done(apply(moved, '--yes'))).toBe('Nothing differs.\n')
  })

  test('turns a caller into an administrator and back', async () => {
    await using gateway = await start()
    const apply = applier(gateway)
    const { secrets } = await json(apply('keys: [{ name: a }]', '--yes', '--json'))
    const mayRead = async () =>
      (await gateway.request('/admin/v1/keys', { key: secrets['a'] ?? '' })).status
    expect(await mayRead()).toBe(403)
    const viewer = 'keys: [{ name: a, role: administrator, adminRole: viewer }]'
    expect(await done(apply(viewer, '--yes'))).toContain('role: caller → administrator\n')
    await until(async () => (await mayRead()) === 200)
    expect(await done(apply(viewer, '--yes'))).toBe('Nothing differs.\n')
    await done(apply('keys: [{ name: a }]', '--yes'))
    await until(async () => (await mayRead()) === 403)
    expect((await listed(gateway, 'keys'))[0]).not.toHaveProperty('adminRole')
  })

  test('requires an owner to change roles, and rejects invalid parents', async () => {
    await using gateway = await start()
    const operator = await granted(gateway, 'POST /admin/v1/keys', {
      name: 'operator',
      role: 'administrator',
      adminRole: 'operator',
    })
    const { id } = await granted(gateway, 'POST /admin/v1/keys', { name: 'a' })
    const patch = (key: string, path: string, body: object) =>
      gateway.request(path, {
        method: 'PATCH',
        key,
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      })
    const path = `/admin/v1/keys/${String(id)}`
    const promoted = await patch(String(operator['secret']), path, { role: 'administrator' })
    expect(promoted.status).toBe(403)
    const odd = await patch(adminKey, path, { adminRole: 'viewer' })
    expect(odd.status).toBe(400)
    const homeless = await patch(adminKey, path, { role: 'administrator', adminRole: 'team' })
    expect(await homeless.json()).toMatchObject({ error: { param: 'ownerId' } })
    const { id: team } = await granted(gateway, 'POST /admin/v1/teams', { name: 't' })
    const inItself = await patch(adminKey, `/admin/v1/teams/${String(team)}`, { parentId: team })
    expect(await inItself.json()).toMatchObject({ error: { param: 'parentId' } })
  })

  test('a team’s administrator cannot move users out of the team', async () => {
    await using gateway = await start()
    const { id: team } = await granted(gateway, 'POST /admin/v1/teams', { name: 't' })
    const { id: other } = await granted(gateway, 'POST /admin/v1/teams', { name: 'o' })
    const { id: user } = await granted(gateway, 'POST /admin/v1/users', {
      name: 'u',
      parentId: team,
    })
    const { secret } = await granted(gateway, 'POST /admin/v1/keys', {
      name: 'lead',
      role: 'administrator',
      adminRole: 'team',
      ownerId: team,
    })
    for (const parentId of [other, null]) {
      const answer = await gateway.request(`/admin/v1/users/${String(user)}`, {
        method: 'PATCH',
        key: String(secret),
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ parentId }),
      })
      expect(answer.status, String(parentId)).toBe(400)
    }
  })
})

test('concurrent applies create nothing twice, and a late one fails', async () => {
  await using gateway = await start()
  const folder = gateway.dataFolder
  const variables = {
    SLUICE_DATA: folder,
    SLUICE_PORT: new URL(gateway.url).port,
    SLUICE_ADMIN_KEY: adminKey,
  }
  const teams = Array.from({ length: 12 }, (_, index) => `{ name: t${index} }`)
  writeFileSync(
    join(folder, 'a.yaml'),
    `teams: [${teams.join(', ')}]\nkeys: [{ name: k, team: t3 }]`,
  )
  const command = ['apply', '-f', 'a.yaml', '--yes']
  const run = () => runSluice(command, { folder, variables })
  const finished = await Promise.all([run(), run(), run()])
  for (const { exitCode, stderr } of finished)
    if (exitCode !== 0)
      expect(stderr).toMatch(/(?:409|Another team has this name)[\s\S]*goes on from there/)
  const again = await run()
  expect(again.exitCode, again.stderr).toBe(0)
  expect((await listed(gateway, 'teams')).map(({ name }) => name).toSorted()).toEqual(
    teams.map((_, index) => `t${index}`).toSorted(),
  )
  expect(await listed(gateway, 'keys')).toHaveLength(1)
})

test('reads several files, and rejects an entry that is in two of them', async () => {
  await using gateway = await start()
  const folder = gateway.dataFolder
  const variables = {
    SLUICE_DATA: folder,
    SLUICE_PORT: new URL(gateway.url).port,
    SLUICE_ADMIN_KEY: adminKey,
  }
  writeFileSync(join(folder, 'teams.yaml'), 'teams: [{ name: a }]')
  writeFileSync(join(folder, 'more.yaml'), 'teams: [{ name: b }]\nkeys: [{ name: k, team: a }]')
  const run = (...files: readonly string[]) =>
    runSluice(['apply', ...files.flatMap((file) => ['-f', file]), '--yes'], { folder, variables })
  await done(run('more.yaml', 'teams.yaml'))
  expect((await listed(gateway, 'teams')).map(({ name }) => name)).toEqual(['b', 'a'])
  expect(await refused(run('teams.yaml', 'more.yaml', 'teams.yaml'))).toContain(
    'teams.yaml: teams[0]: another team is named a already (teams.yaml: teams[0])',
  )
  writeFileSync(join(folder, 'broken.yaml'), 'teams: [{}]')
  expect(await refused(run('teams.yaml', 'broken.yaml'))).toContain('broken.yaml: teams[0].name')
})
