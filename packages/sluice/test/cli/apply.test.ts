// `sluice apply`: a file of organizations, teams, users and keys, against a gateway that runs.
import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { granted } from '../../../../test/support/administrate.ts'
import { json as answer, fakeUpstream } from '../../../../test/support/fakes/fake-upstream.ts'
import {
  accountsFile,
  applier,
  done,
  json,
  listed,
  refused,
} from '../../../../test/support/gateways/apply.ts'
import { runSluice, startSluice } from '../../../../test/support/run-sluice.ts'
import { adminKey, start, until } from '../../../../test/support/start.ts'
import { temporaryFolder } from '../../../../test/support/temporary-folder.ts'
import { appliedSchema } from '../../src/cli/apply/file.ts'

test('creates what the file describes, and a second run changes nothing', async () => {
  await using gateway = await start()
  const apply = applier(gateway)

  const planned = await done(apply(accountsFile, '--dry-run'))
  expect(planned).toContain('+ team search\n    organization: acme\n')
  expect(planned).toContain('    budgets: $10/month, $1/24h (nightly)\n')
  expect(planned).toContain('6 to create, 0 to change, 0 to remove.')
  expect(await listed(gateway, 'teams')).toEqual([])

  const made = await json(apply(accountsFile, '--yes', '--json'))
  expect(made.changes.map(({ action, kind, name }) => `${action} ${kind} ${name}`)).toEqual([
    'create organization acme',
    'create team search',
    'create user ada',
    'create key app',
    'create key ada-laptop',
    'create key auditor',
  ])
  expect(made.made).toBe(6)
  const [organization] = await listed(gateway, 'organizations')
  const [team] = await listed(gateway, 'teams')
  const [user] = await listed(gateway, 'users')
  expect(team).toMatchObject({ parentId: organization?.id, models: ['builtin-*', 'openai/*'] })
  expect(user).toMatchObject({ parentId: team?.id, requestsPerMinute: 60 })
  expect(await listed(gateway, 'keys')).toMatchObject([
    { name: 'app', ownerId: team?.id, tags: ['project=search'] },
    { name: 'ada-laptop', ownerId: user?.id, expiresAt: Date.parse('2090-01-31') },
    { name: 'auditor', role: 'administrator', adminRole: 'viewer' },
  ])
  const key = made.secrets['app'] ?? ''
  expect((await gateway.request('/v1/models', { key })).status).toBe(200)

  expect(await done(apply(accountsFile, '--yes'))).toBe('Nothing differs.\n')
  expect(await json(apply(accountsFile, '--yes', '--json'))).toEqual({
    changes: [],
    routes: [],
    made: 0,
    secrets: {},
  })
})

test('changes what differs, removes what the file lacks, and keeps the spending of budgets', async () => {
  await using gateway = await start()
  const apply = applier(gateway)
  await done(apply(accountsFile, '--yes'))
  const [before] = await listed(gateway, 'teams')
  const changed = accountsFile
    .replace('[10/month, ', '[25/month, ')
    .replace("    models: [builtin-*, 'openai/*']\n", '')
    .replace('    requestsPerMinute: 60\n', '    requestsPerMinute: 5\n    disabled: true\n')
  const shown = await done(apply(changed, '--yes'))
  expect(shown).toContain('~ team search\n    models: builtin-*, openai/* → none\n')
  expect(shown).toContain(
    '    budgets: $10/month, $1/24h (nightly) → $25/month, $1/24h (nightly)\n',
  )
  expect(shown).toContain('~ user ada\n    requestsPerMinute: 60 → 5\n~ user ada: disable\n')
  const [after] = await listed(gateway, 'teams')
  expect(after).not.toHaveProperty('models')
  expect(after?.budgets.map(({ id }) => id)).toEqual(before?.budgets.map(({ id }) => id))
  expect(after?.budgets[0]?.limitMicroUsd).toBe(25_000_000)
  expect((await listed(gateway, 'users'))[0]).toHaveProperty('disabledAt')
  expect(await done(apply(changed, '--yes'))).toBe('Nothing differs.\n')
  await done(apply(accountsFile, '--yes'))
  expect((await listed(gateway, 'users'))[0]).not.toHaveProperty('disabledAt')
})

test('creates and changes budgets with ids, and then finds no difference', async () => {
  await using gateway = await start()
  const apply = applier(gateway)
  const team = (...budgets: readonly string[]) =>
    `teams:\n  - name: search\n    budgets: [${budgets.join(', ')}]\n`
  const daily = '{ id: daily, limitMicroUsd: 5, window: day }'
  for (const text of [
    team(daily),
    team(daily, '{ id: weekly, limitMicroUsd: 9, window: week }'),
    team('{ id: daily, limitMicroUsd: 5, window: month }', '9/week'),
  ]) {
    expect(await done(apply(text, '--yes'))).toContain('team search')
    expect(await done(apply(text, '--yes'))).toBe('Nothing differs.\n')
  }
})

test('removes only with --prune, only in listed sections, and never administrators', async () => {
  await using gateway = await start()
  const apply = applier(gateway)
  await done(apply(accountsFile, '--yes'))
  const fewer = 'organizations: [{ name: acme, budgets: [100/month] }]\nteams: []\nusers: []\n'
  expect(await done(apply(fewer, '--yes'))).toBe('Nothing differs.\n')
  // Keys still belong to them: their section is not there, so that they stay.
  expect(await refused(apply(fewer, '--yes', '--prune'))).toContain(
    'delete user ada: The gateway refused (409): It still owns accounts or keys',
  )
  const shown = await done(apply(`${fewer}keys: []\n`, '--yes', '--prune'))
  expect(shown).toContain('- key app: revoke\n')
  expect(shown).toContain('0 to create, 0 to change, 4 to remove.')
  expect(await listed(gateway, 'teams')).toEqual([])
  const keys = await listed(gateway, 'keys')
  expect(keys.map(({ name, revokedAt }) => [name, revokedAt !== undefined])).toEqual([
    ['app', true],
    ['ada-laptop', true],
    ['auditor', false],
  ])
})

test('writes secrets to a new file readable by its owner only', async () => {
  await using gateway = await start()
  const apply = applier(gateway)
  const shown = await done(apply(accountsFile, '--yes', '--secrets', 'secrets.json'))
  expect(shown).not.toContain('sk-')
  const file = join(gateway.dataFolder, 'secrets.json')
  expect(statSync(file).mode & 0o777).toBe(0o600)
  const secrets = JSON.parse(readFileSync(file, 'utf8')) as Record<string, string>
  expect(Object.keys(secrets)).toEqual(['app', 'ada-laptop', 'auditor'])
  expect((await gateway.request('/v1/models', { key: secrets['app'] ?? '' })).status).toBe(200)
  const another = `${accountsFile}  - name: further\n`
  expect(await refused(apply(another, '--yes', '--secrets', 'secrets.json'))).toContain(
    'The secrets cannot be written to a new file',
  )
  expect(await listed(gateway, 'keys')).toHaveLength(3)
})

test('changes nothing without a terminal unless --yes is given', async () => {
  await using gateway = await start()
  const apply = applier(gateway)
  expect(await refused(apply(accountsFile))).toContain(
    'Nothing was changed: --yes applies the plan',
  )
  expect(await listed(gateway, 'organizations')).toEqual([])
})

test('exits with 2 without a file', async () => {
  using folder = temporaryFolder()
  const { exitCode, stderr } = await runSluice(['apply', '--yes'], { folder: folder.path })
  expect([exitCode, stderr]).toEqual([2, expect.stringContaining('say which file')])
})

test('stops at a rejected step, reports what was created, and continues in the next run', async () => {
  await using gateway = await start()
  const apply = applier(gateway)
  const wrong = `teams: [{ name: a }, { name: b, addresses: [10.0.0.0/40] }]\n`
  const said = await refused(apply(wrong, '--yes'))
  expect(said).toContain('create team b: The gateway refused (400)')
  expect(said).toContain('1 of 2 changes are made')
  expect((await listed(gateway, 'teams')).map(({ name }) => name)).toEqual(['a'])
  await done(apply(wrong.replace('/40', '/8'), '--yes'))
  expect((await listed(gateway, 'teams')).map(({ name }) => name)).toEqual(['a', 'b'])
})

describe('does not lose the secret of a new key', () => {
  test('for any key name', async () => {
    await using gateway = await start()
    const text = 'keys: [{ name: __proto__ }, { name: constructor }]\n'
    const { secrets, made } = await json(applier(gateway)(text, '--yes', '--json'))
    expect(made).toBe(2)
    const names = ['__proto__', 'constructor']
    expect(Object.entries(secrets).map(([name]) => name)).toEqual(names)
    for (const [, key] of Object.entries(secrets))
      expect((await gateway.request('/v1/models', { key })).status).toBe(200)
  })

  test('when the secrets file cannot be written any more', async () => {
    using folder = temporaryFolder()
    const gone = temporaryFolder()
    // A gateway with nothing in it, behind which the folder of the file disappears.
    await using admin = await fakeUpstream((seen, response) => {
      if (seen.method === 'GET') return answer(response, { data: [], has_more: false })
      gone[Symbol.dispose]()
      return answer(response, { id: 'key_1', secret: 'sk-shown-once' })
    })
    writeFileSync(join(folder.path, 'a.yaml'), 'keys: [{ name: app }]\n')
    const at = { folder: folder.path, variables: { SLUICE_ADMIN_KEY: adminKey } }
    const file = join(gone.path, 'new-keys.json')
    const args = ['apply', '-f', 'a.yaml', '--yes', '--url', admin.url, '--secrets', file]
    const { exitCode, stdout, stderr } = await runSluice(args, at)
    expect(exitCode).toBe(1)
    expect(stdout).toContain('app sk-shown-once')
    expect(stderr).toContain('The secrets cannot be written')
    expect(stderr).toContain('1 of 1 changes are made')
  })
})

describe('routes', () => {
  const settings = `# kept\nproviders: { up: { type: openai, baseUrl: 'http://127.0.0.1:1', key: k } }\nmodels:\n  old: up/a # stays\n`
  const wanted =
    'routes:\n  fast: up/b\n  main: { targets: [{ target: up/c, weight: 2 }], fallback: [up/a] }\n'

  /** A gateway that runs as a program, with a settings file of its own. */
  async function program(text: string) {
    const folder = temporaryFolder()
    writeFileSync(join(folder.path, 'sluice.yaml'), text)
    writeFileSync(join(folder.path, 'routes.yaml'), wanted)
    const variables = { SLUICE_PORT: '0', SLUICE_ADMIN_KEY: adminKey }
    const at = { folder: folder.path, variables }
    const gateway = startSluice(['serve'], at)
    const url = await until(() => /listens on (http:[^\s"]+)/.exec(gateway.output())?.[1], 20_000)
    return {
      settings: () => readFileSync(join(folder.path, 'sluice.yaml'), 'utf8'),
      want: (text: string) => writeFileSync(join(folder.path, 'routes.yaml'), text),
      apply: (...args: readonly string[]) =>
        runSluice(['apply', '-f', 'routes.yaml', '--url', url, ...args], at),
      async [Symbol.asyncDispose]() {
        gateway.child.kill('SIGKILL')
        await gateway.finished
        folder[Symbol.dispose]()
      },
    }
  }

  test('are stored beside those that the settings file declares', async () => {
    await using gateway = await program(settings)
    const planned = await done(gateway.apply('--dry-run'))
    expect(planned).toContain('+ route fast\n    "up/b"\n')
    expect(planned).toContain('2 to create, 0 to change, 0 to remove.')
    await done(gateway.apply('--yes'))
    expect(await done(gateway.apply('--yes'))).toBe('Nothing differs.\n')
    gateway.want('routes: { fast: up/b }\n')
    const pruned = await done(gateway.apply('--yes', '--prune'))
    expect(pruned).toContain('- route main\n')
    expect(pruned).not.toContain('old')
    gateway.want('routes: { old: up/b }\n')
    expect(await refused(gateway.apply('--yes'))).toContain('models.old is declared in sluice.yaml')
    expect(gateway.settings()).toBe(settings)
  })

  test('with unknown targets are rejected before any change', async () => {
    await using gateway = await program(settings.replaceAll('up', 'other'))
    expect(await refused(gateway.apply('--yes'))).toContain('routes.fast: ')
    expect(gateway.settings()).not.toContain('fast')
  })

  test('require a running gateway', async () => {
    using folder = temporaryFolder()
    writeFileSync(join(folder.path, 'routes.yaml'), wanted)
    const variables = { SLUICE_PORT: '0' }
    const at = { folder: folder.path, variables }
    expect(await refused(runSluice(['apply', '-f', 'routes.yaml', '--yes'], at))).toContain(
      'needs a running gateway',
    )
  })
})

test('--url applies to that gateway with the key of the environment', async () => {
  await using gateway = await start()
  using folder = temporaryFolder()
  writeFileSync(join(folder.path, 'a.yaml'), 'teams: [{ name: far }]\n')
  const at = { folder: folder.path, variables: { SLUICE_ADMIN_KEY: adminKey } }
  await done(runSluice(['apply', '-f', 'a.yaml', '--yes', '--url', gateway.url], at))
  expect(await listed(gateway, 'teams')).toMatchObject([{ name: 'far' }])
})

describe('rejects an invalid file with the place of the error and changes nothing', () => {
  test.each([
    ['teams: [', 'The file is not YAML'],
    ['teams: [{ name: a, model: [x] }]', 'teams[0].model'],
    ['groups: []', 'groups'],
    ['teams: [{}]', 'teams[0].name'],
    ['teams: [{ name: a }, { name: a }]', 'teams[1]: another team is named a already'],
    ['teams: [{ name: a, organization: o }]', 'teams[0]: there is no organization o'],
    [
      'teams: [{ name: a, budgets: [10/year] }]',
      'teams[0].budgets[0]: It must be such as 10/month',
    ],
    ['teams: [{ name: a, expiresAt: 2026-02-99 }]', 'teams[0].expiresAt'],
    ['users: [{ name: a, team: t, organization: o }]', 'not in both'],
    ['teams: [{ name: a, expiresAt: 2026-02-01garbage }]', 'teams[0].expiresAt'],
    ['keys: [{ name: present, team: elsewhere }]', 'there is no team elsewhere'],
    ['keys: [{ name: twice }]', 'several keys are named twice'],
  ])('%s', async (text, sentence) => {
    await using gateway = await start()
    for (const name of ['present', 'twice', 'twice'])
      await granted(gateway, 'POST /admin/v1/keys', { name })
    await granted(gateway, 'POST /admin/v1/teams', { name: 'other' })
    expect(await refused(applier(gateway)(text, '--yes'))).toContain(sentence)
    expect(await listed(gateway, 'teams')).toHaveLength(1)
  })
})

test('the published schema is up to date', () => {
  const published = readFileSync(new URL('../../../../apply.schema.json', import.meta.url), 'utf8')
  expect(
    JSON.parse(published),
    'run: node bin/sluice.cjs apply --schema > apply.schema.json && npm run format',
  ).toEqual(JSON.parse(appliedSchema()))
})
