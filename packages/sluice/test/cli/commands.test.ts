import { execFile } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { main, runSluice } from '../../../../test/support/run-sluice.ts'
import { start } from '../../../../test/support/start.ts'
import { temporaryFolder } from '../../../../test/support/temporary-folder.ts'
import { engineCard } from '../../../engine/src/models.ts'
import { check } from '../../src/cli/check.ts'
import { listModels } from '../../src/cli/models.ts'
import { defaultAliases } from '../../src/config/default-aliases.ts'
import { readEnvironment } from '../../src/config/env.ts'

function settings(folder: string, text: string, variables: Readonly<Record<string, string>> = {}) {
  const file = join(folder, 'sluice.yaml')
  writeFileSync(file, text)
  return readEnvironment({ SLUICE_CONFIG: file, SLUICE_DATA: join(folder, 'data'), ...variables })
}

test('check prints the effective settings', async () => {
  using folder = temporaryFolder()
  const environment = settings(
    folder.path,
    `
providers:
  acme: { type: openai, baseUrl: https://acme.example/v1, key: sk-acme-secret, models: [small] }
models:
  quick: acme/small
  safe: { targets: [{ target: openai/gpt-4o }], fallback: [quick, builtin/builtin-chat] }
keys: [{ name: team, key: sk-team-secret }]
storage: { url: "postgres://me:\${DB_PASSWORD}@db.example:5433/sluice?sslmode=require" }
`,
    {
      OPENAI_API_KEY: 'sk-openai-secret',
      SLUICE_PORT: '9000',
      DB_PASSWORD: 'secret',
      HTTPS_PROXY: 'http://me:secret@proxy.example:3128',
      NO_PROXY: '.corp.example',
    },
  )
  const { text, isFine } = await check(environment)
  expect(isFine).toBe(true)
  expect(text).toContain('http://127.0.0.1:9000')
  expect(text).toContain('Database   PostgreSQL at db.example:5433/sluice\n')
  expect(text).toContain('acme at https://acme.example/v1, one key, models small')
  expect(text).toContain('openai at https://api.openai.com/v1, one key, the models it lists')
  expect(text).toMatch(/^Proxy {6}https: http:\/\/\S+@proxy\.example:3128/m)
  expect(text).toContain('Proxy      not for: .corp.example\n')
  expect(text).toContain('quick → acme/small')
  expect(text).toContain('safe → openai/gpt-4o, then quick, builtin/builtin-chat')
  expect(text).toContain('No problems found.')
  expect(text).not.toContain('secret')
})

test('check reports targets that lead nowhere', async () => {
  using folder = temporaryFolder()
  const environment = settings(
    folder.path,
    `
builtin: { enabled: never }
providers: { nobody-knows: { key: x }, openai: {}, groq: { enabled: false } }
models:
  a: openia/gpt-4o
  b: { targets: [{ target: builtin/builtin-chat }], fallback: [gone/m, nowhere, gpt-4o, a] }
  c: { targets: [{ target: anthropic/claude }, { target: groq/x }] }
`,
  )
  const { text, isFine } = await check(environment)
  expect(isFine).toBe(false)
  for (const sentence of [
    'nobody-knows is off: it is not in the catalog, so it needs a type and a baseUrl.',
    'openai is off: set OPENAI_API_KEY, or providers.openai.key.',
    'models.a leads to openia/gpt-4o, which is not configured.',
    'models.b leads to builtin/builtin-chat, which is not configured.',
    'models.b leads to gone/m, which is not configured.',
    'models.b leads to nowhere, which is not configured.',
    'models.b leads to gpt-4o, which is not configured.',
    'models.c leads to anthropic/claude, which is not configured (anthropic is off: set ANTHROPIC_API_KEY).',
    'models.c leads to groq/x, which is not configured (groq is off: providers.groq.enabled is false).',
  ])
    expect(text).toContain(`PROBLEM    ${sentence}\n`)
  expect(text).toContain('Problems found: 9.')
})

test('check and models warn of retiring models without failing', async () => {
  using folder = temporaryFolder()
  const environment = settings(
    folder.path,
    `
providers: { openai: { key: k, models: [gpt-6-luna] } }
models: { old: openai/gpt-4-turbo, new: openai/gpt-6-luna }
`,
  )
  const warning = 'models.old leads to openai/gpt-4-turbo, which OpenAI retired on 2026-10-23'
  const { text, isFine } = await check(environment)
  expect(text.split('\n').filter((line) => line.startsWith('WARNING'))).toEqual([
    `WARNING    ${warning}.`,
    'WARNING    models.old leads to openai/gpt-4-turbo, but openai does not list gpt-4-turbo.',
  ])
  expect(isFine).toBe(true)
  expect((await listModels(environment, {})).split('\n').at(-1)).toBe(warning)
})

test('models lists names, limits and operations without network access', async () => {
  using folder = temporaryFolder()
  const environment = settings(folder.path, 'models: { house: builtin/builtin-chat }')
  const listed: { id: string; inputTokenLimit: number }[] = JSON.parse(
    await listModels(environment, { json: true }),
  )
  const ids = listed.map(({ id }) => id)
  expect(ids).toEqual(expect.arrayContaining(['builtin-chat', 'gpt-4o', 'whisper-1', 'house']))
  expect(await listModels(environment, {})).toMatch(/^MODEL +FROM +INPUT +OUTPUT +OPERATIONS\n/)
})

test('every well-known name maps to an existing model', () => {
  const models = new Set(engineCard.models.map(({ id }) => id))
  const lost = Object.entries(defaultAliases).filter(([, model]) => !models.has(model))
  expect(lost).toEqual([])
})

test.each([
  [['--version'], 0, /^\d+\.\d+\.\d+\n$/],
  [['--help'], 0, /keys[^]*models[^]*check[^]*openapi[^]*discover[^]*explain/],
  [['openapi'], 0, /^\{\n {2}"openapi": "3\.1\.1"/],
  [['config', 'schema'], 0, /"title": "sluice.yaml"/],
  [['keys', 'create'], 2, /^$/],
  [['keys', 'create', '--name', 'x', '--rate', 'many'], 2, /^$/],
  [['nonsense'], 2, /^$/],
  [['sreve'], 2, /^$/],
])('exit code and output of sluice %s', async (args, exitCode, stdout) => {
  using folder = temporaryFolder()
  const finished = await runSluice(args, { folder: folder.path })
  expect(finished.stdout).toMatch(stdout)
  expect(finished.exitCode).toBe(exitCode)
})

test('reports the place of an error in the file and exits with an error', async () => {
  using folder = temporaryFolder()
  writeFileSync(join(folder.path, 'sluice.yaml'), 'server:\n  prot: 1\n')
  const { exitCode, stderr } = await runSluice(['check'], { folder: folder.path })
  expect({ exitCode, stderr }).toEqual({
    exitCode: 1,
    stderr: `${folder.path}/sluice.yaml:2:3: server.prot is not a setting. Did you mean "port"?\n`,
  })
})

test('suggests the command for a typo', async () => {
  using folder = temporaryFolder()
  const { stderr } = await runSluice(['sreve'], { folder: folder.path })
  expect(stderr).toBe("error: unknown command 'sreve'\n(Did you mean serve?)\n")
})

test.each([
  ['providers: { acme: { type: openai, baseURL: x } }', 'providers.acme.baseURL', 'baseUrl'],
  ['modles: {}', 'modles', 'models'],
  ['limits: { requests_per_minute: 5 }', 'limits.requests_per_minute', 'requestsPerMinute'],
  [
    'models: { m: { targets: [{ target: a/b }], fallbacks: [] } }',
    'models.m.fallbacks',
    'fallback',
  ],
])('suggests the setting for a typo: %s', async (yaml, path, meant) => {
  using folder = temporaryFolder()
  await expect(check(settings(folder.path, yaml))).rejects.toThrow(
    new RegExp(`: ${path.replaceAll('.', '\\.')} is not a setting\\. Did you mean "${meant}"\\?$`),
  )
})

test('warns of unknown SLUICE_ variables', async () => {
  using folder = temporaryFolder()
  const yaml = 'keys: [{ name: team, key: "${SLUICE_TEAM_KEY}" }]'
  const { text, isFine } = await check(
    settings(folder.path, yaml, {
      SLUICE_PROT: '1',
      SLUICE_WHATEVER: 'x',
      SLUICE_KEY: 'sk-x',
      SLUICE_TEAM_KEY: 'sk-team-0123456789',
      SLUICE_SERVICE_HOST: '10.0.0.1',
      SLUICE_PORT_8080_TCP: 'tcp://10.0.0.1:8080',
    }),
  )
  expect(isFine).toBe(true)
  expect(text.match(/^WARNING .*$/gm)).toEqual([
    'WARNING    SLUICE_PROT is not a setting. Did you mean "SLUICE_PORT"?',
    'WARNING    SLUICE_WHATEVER is not a setting.',
  ])
})

test.each([
  ['', ['server.publicUrl']],
  ['server: { publicUrl: https://sluice.example }', []],
])('check warns of OpenID Connect sign-in without a public URL: %s', async (server, wanted) => {
  using folder = temporaryFolder()
  const oidc =
    '{ issuer: https://issuer.example, clientId: c, clientSecret: s, roles: { admins: owner } }'
  const { text } = await check(settings(folder.path, `${server}\nconsole: { oidc: ${oidc} }`))
  const warnings = text.match(/^WARNING .*$/gm) ?? []
  expect(warnings).toEqual(wanted.map((name) => expect.stringContaining(name)))
})

test('check --json prints a machine-readable report', async () => {
  using folder = temporaryFolder()
  const environment = settings(
    folder.path,
    'providers: { acme: { type: openai, baseUrl: https://acme.example/v1, keys: [a, b] } }',
  )
  const { text } = await check(environment, { json: true })
  expect(JSON.parse(text)).toMatchObject({
    isFine: true,
    problems: [],
    warnings: [],
    address: 'http://127.0.0.1:8080',
    providers: [{ id: 'acme', baseUrl: 'https://acme.example/v1', keys: 2, models: null }],
  })
  expect(JSON.parse(text)).not.toHaveProperty('live')
})

test('a closed output pipe is not an error', async () => {
  using folder = temporaryFolder()
  const script = '"$0" "$1" openapi | head -c 10; echo " ${PIPESTATUS[0]}"'
  const { stdout, stderr } = await promisify(execFile)(
    'bash',
    ['-c', script, process.execPath, main],
    { cwd: folder.path },
  )
  expect({ stdout, stderr }).toEqual({ stdout: '{\n  "opena 0\n', stderr: '' })
})

test('reports when a command falls back to the data folder because the gateway rejects the key', async () => {
  await using gateway = await start()
  const variables = {
    SLUICE_DATA: gateway.dataFolder,
    SLUICE_PORT: new URL(gateway.url).port,
    SLUICE_ADMIN_KEY: 'sk-another0123456789abcdef',
  }
  const finished = await runSluice(['keys', 'list'], { folder: gateway.dataFolder, variables })
  expect(finished.exitCode).toBe(0)
  expect(finished.stderr).toContain(
    `The gateway at ${gateway.url} refuses the administrator's key: working on the data in`,
  )
  expect(finished.stderr).not.toContain('another')
})
