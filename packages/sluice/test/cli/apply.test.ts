// `sluice apply`: a file of organizations, teams, users and keys, against a gateway that runs.
import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { granted } from '../../../../test/support/administrate.ts'
import { type Finished, runSluice, startSluice } from '../../../../test/support/run-sluice.ts'
import { adminKey, type Started, start, until } from '../../../../test/support/start.ts'
import { temporaryFolder } from '../../../../test/support/temporary-folder.ts'
import { appliedSchema } from '../../src/cli/apply/file.ts'

interface Applied {
  readonly changes: readonly {
    readonly action: string
    readonly kind: string
    readonly name: string
  }[]
  readonly made: number
  readonly secrets: Readonly<Record<string, string>>
}

const first = `
organizations:
  - name: acme
    budgets: [100/month]
teams:
  - name: search
    organization: acme
    models: [builtin-*, 'openai/*']
    budgets: [10/month, '1/24h,tag=nightly']
users:
  - name: ada
    team: search
    requestsPerMinute: 60
keys:
  - name: app
    team: search
    tags: [project=search]
  - name: ada-laptop
    user: ada
    expiresAt: 2090-01-31
  - name: auditor
    role: administrator
    adminRole: viewer
`

/** Runs `sluice apply` on a text, in the gateway's folder. */
function applier(gateway: Started) {
  const folder = gateway.dataFolder
  const variables = {
    SLUICE_DATA: folder,
    SLUICE_PORT: new URL(gateway.url).port,
    SLUICE_ADMIN_KEY: adminKey,
  }
  return (text: string, ...args: readonly string[]): Promise<Finished> => {
    writeFileSync(join(folder, 'accounts.yaml'), text)
    return runSluice(['apply', '-f', 'accounts.yaml', ...args], { folder, variables })
  }
}

async function done(finished: Promise<Finished>): Promise<string> {
  const { exitCode, stdout, stderr } = await finished
  expect(exitCode, stderr).toBe(0)
  return stdout
}

async function json(finished: Promise<Finished>): Promise<Applied> {
  return JSON.parse(await done(finished)) as Applied
}

async function refused(finished: Promise<Finished>): Promise<string> {
  const { exitCode, stderr } = await finished
  expect(exitCode).toBe(1)
  return stderr
}

async function listed(gateway: Started, kind: string) {
  const { data } = await granted(gateway, `GET /admin/v1/${kind}?order=asc`)
  return data as unknown as readonly (Readonly<Record<string, unknown>> & {
    readonly name: string
    readonly id: string
    readonly budgets: readonly { readonly id: string; readonly limitMicroUsd: number }[]
  })[]
}

test('a file is made what it says, and the same file once more changes nothing', async () => {
  await using gateway = await start()
  const apply = applier(gateway)

  const planned = await done(apply(first, '--dry-run'))
  expect(planned).toContain('+ team search\n    organization: acme\n')
  expect(planned).toContain('    budgets: $10/month, $1/24h (nightly)\n')
  expect(planned).toContain('6 to create, 0 to change, 0 to remove.')
  expect(await listed(gateway, 'teams')).toEqual([])

  const made = await json(apply(first, '--yes', '--json'))
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

  expect(await done(apply(first, '--yes'))).toBe('Nothing differs.\n')
  expect(await json(apply(first, '--yes', '--json'))).toEqual({
    changes: [],
    routes: [],
    made: 0,
    secrets: {},
  })
})

test('what differs is changed, what the file lacks is taken away, and a budget keeps what was spent', async () => {
  await using gateway = await start()
  const apply = applier(gateway)
  await done(apply(first, '--yes'))
  const [before] = await listed(gateway, 'teams')
  const changed = first
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
  await done(apply(first, '--yes'))
  expect((await listed(gateway, 'users'))[0]).not.toHaveProperty('disabledAt')
})

test('only with --prune is anything removed, of the sections that are there, and never an administrator', async () => {
  await using gateway = await start()
  const apply = applier(gateway)
  await done(apply(first, '--yes'))
  const fewer = 'organizations: [{ name: acme, budgets: [100/month] }]\nteams: []\nusers: []\n'
  expect(await done(apply(fewer, '--yes'))).toBe('Nothing differs.\n')
  // Keys still belong to them: their section is not there, so that they stay.
  expect(await refused(apply(fewer, '--yes', '--prune'))).toContain(
    'delete user ada: The gateway refused (409): Something belongs to it',
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

test('secrets go to a new file that nobody else can read', async () => {
  await using gateway = await start()
  const apply = applier(gateway)
  const shown = await done(apply(first, '--yes', '--secrets', 'secrets.json'))
  expect(shown).not.toContain('sk-')
  const file = join(gateway.dataFolder, 'secrets.json')
  expect(statSync(file).mode & 0o777).toBe(0o600)
  const secrets = JSON.parse(readFileSync(file, 'utf8')) as Record<string, string>
  expect(Object.keys(secrets)).toEqual(['app', 'ada-laptop', 'auditor'])
  expect((await gateway.request('/v1/models', { key: secrets['app'] ?? '' })).status).toBe(200)
  const another = `${first}  - name: further\n`
  expect(await refused(apply(another, '--yes', '--secrets', 'secrets.json'))).toContain(
    'The secrets cannot be written to a new file',
  )
  expect(await listed(gateway, 'keys')).toHaveLength(3)
})

test('without a terminal nothing is changed unless --yes says so', async () => {
  await using gateway = await start()
  const apply = applier(gateway)
  expect(await refused(apply(first))).toContain('Nothing was changed: --yes applies the plan')
  expect(await listed(gateway, 'organizations')).toEqual([])
})

test('a step that is refused ends it, what was made is told, and the next run goes on', async () => {
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

describe('what is there already is moved, and a key gets another role', () => {
  test('between teams that are there, into one that is made, and out of everything', async () => {
    await using gateway = await start()
    const apply = applier(gateway)
    await done(apply(first, '--yes'))
    const moved = first
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

  test('a caller becomes an administrator and a caller again', async () => {
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

  test('none but an owner changes roles, and what an account cannot be in is refused', async () => {
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

  test("a team's administrator keeps its users in the team", async () => {
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

test('several at once make nothing twice, and who comes too late is told', async () => {
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

test('a file may be in several parts, and what stands in two of them is refused', async () => {
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

describe('export', () => {
  const odd = `
organizations:
  - name: "yes"
    metadata: { constructor: "a: b", "#": "- x", "null": "~" }
teams:
  - name: "2026-01-01"
    organization: "yes"
    budgets:
      - 0.000001/8760h
      - { limitMicroUsd: 5, window: day, model: "a,tag=b" }
      - { limitMicroUsd: 7, window: 3, tag: "x", overBudget: { route: "cheap" } }
      - { limitMicroUsd: 9007199254740991, window: lifetime }
  - name: "emoji 🚰 and \\"quotes\\" 'single' \\\\ | > & *"
users:
  - name: "line\\nbreak\\ttab \\u001b[2J"
    team: "2026-01-01"
    disabled: true
  - name: " leading and trailing "
    organization: "yes"
keys:
  - name: __proto__
    user: "line\\nbreak\\ttab \\u001b[2J"
    expiresAt: 2090-01-31T12:34:56.789Z
  - name: constructor
    team: "2026-01-01"
    contentLogging: false
    addresses: [10.0.0.0/8, "2001:db8::/32"]
  - name: lead
    role: administrator
    adminRole: team
    team: "2026-01-01"
`

  async function exported(gateway: Started, ...args: readonly string[]): Promise<string> {
    const folder = gateway.dataFolder
    const variables = {
      SLUICE_DATA: folder,
      SLUICE_PORT: new URL(gateway.url).port,
      SLUICE_ADMIN_KEY: adminKey,
    }
    return done(runSluice(['export', ...args], { folder, variables }))
  }

  test('what is exported, applied again, changes nothing, and makes the same elsewhere', async () => {
    await using gateway = await start({}, { configFile: join(temporaryFolder().path, 'none.yaml') })
    const apply = applier(gateway)
    const { secrets } = await json(apply(odd, '--yes', '--json'))
    expect(Object.keys(secrets)).toEqual(['__proto__', 'constructor', 'lead'])
    const text = await exported(gateway)
    for (const secret of Object.values(secrets)) expect(text).not.toContain(secret)
    expect(text).not.toMatch(/hash|prefix|budget_/)
    expect(await done(apply(text, '--yes', '--prune'))).toBe('Nothing differs.\n')
    const asJson = await exported(gateway, '--json')
    expect(await done(apply(asJson, '--yes', '--prune'))).toBe('Nothing differs.\n')

    await using another = await start({}, { configFile: join(temporaryFolder().path, 'none.yaml') })
    await done(applier(another)(text, '--yes', '--secrets', 'secrets.json'))
    expect(await exported(another)).toBe(text)
  })

  test('two things of one name cannot be told apart in a file', async () => {
    await using gateway = await start()
    for (const name of ['twice', 'twice']) await granted(gateway, 'POST /admin/v1/keys', { name })
    const variables = {
      SLUICE_DATA: gateway.dataFolder,
      SLUICE_PORT: new URL(gateway.url).port,
      SLUICE_ADMIN_KEY: adminKey,
    }
    const at = { folder: gateway.dataFolder, variables }
    expect(await refused(runSluice(['export'], at))).toContain('Several keys are named twice')
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
      apply: (...args: readonly string[]) =>
        runSluice(['apply', '-f', 'routes.yaml', '--url', url, ...args], at),
      async [Symbol.asyncDispose]() {
        gateway.child.kill('SIGKILL')
        await gateway.finished
        folder[Symbol.dispose]()
      },
    }
  }

  test('are written to the settings file, beside those that are there', async () => {
    await using gateway = await program(settings)
    const planned = await done(gateway.apply('--dry-run'))
    expect(planned).toContain('+ route fast\n    "up/b"\n')
    expect(planned).toContain('2 to create, 0 to change, 0 to remove.')
    expect(gateway.settings()).toBe(settings)
    await done(gateway.apply('--yes'))
    expect(gateway.settings()).toContain('# kept\n')
    expect(gateway.settings()).toContain('old: up/a # stays\n')
    expect(gateway.settings()).toContain('fast: up/b')
    expect(await done(gateway.apply('--yes'))).toBe('Nothing differs.\n')
    expect(await done(gateway.apply('--yes', '--prune'))).toContain('- route old\n')
    expect(gateway.settings()).not.toContain('old:')
  })

  test('that lead nowhere are refused before anything is changed', async () => {
    await using gateway = await program(settings.replaceAll('up', 'other'))
    expect(await refused(gateway.apply('--yes'))).toContain('routes.fast: ')
    expect(gateway.settings()).not.toContain('fast')
  })

  test('need a gateway that runs', async () => {
    using folder = temporaryFolder()
    writeFileSync(join(folder.path, 'routes.yaml'), wanted)
    const variables = { SLUICE_PORT: '0' }
    const at = { folder: folder.path, variables }
    expect(await refused(runSluice(['apply', '-f', 'routes.yaml', '--yes'], at))).toContain(
      'is asked of a gateway that runs',
    )
  })
})

test('a gateway that is named by its URL is asked with the key of the environment', async () => {
  await using gateway = await start()
  using folder = temporaryFolder()
  writeFileSync(join(folder.path, 'a.yaml'), 'teams: [{ name: far }]\n')
  const at = { folder: folder.path, variables: { SLUICE_ADMIN_KEY: adminKey } }
  await done(runSluice(['apply', '-f', 'a.yaml', '--yes', '--url', gateway.url], at))
  expect(await listed(gateway, 'teams')).toMatchObject([{ name: 'far' }])
})

describe('a wrong file is refused with the place of the mistake, and nothing is changed', () => {
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

test('the published schema is the one that is used', () => {
  const published = readFileSync(new URL('../../../../apply.schema.json', import.meta.url), 'utf8')
  expect(
    JSON.parse(published),
    'run: node bin/sluice.cjs apply --schema > apply.schema.json && npm run format',
  ).toEqual(JSON.parse(appliedSchema()))
})
