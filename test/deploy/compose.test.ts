// compose.yaml and the unit of systemd, as far as they can be checked without the programs that run them.
import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { readEnvironment, unknownVariables } from '../../packages/sluice/src/config/env.ts'
import { parseConfig } from '../../packages/sluice/src/config/file.ts'
import { providers } from '../../packages/gateway/src/providers/index.ts'
import { installedFolder, installNpm } from '../support/installed.ts'
import { leaveOut } from '../support/leave-out.ts'
import { root } from '../support/npm.ts'

interface Service {
  readonly image: string
  readonly volumes?: readonly string[]
  readonly depends_on?: readonly string[] | Readonly<Record<string, { readonly condition: string }>>
  readonly healthcheck?: object
  readonly environment?: Readonly<Record<string, string>>
  readonly [field: string]: unknown
}

const linter = { dclint: '3.1.0' }
/** Rules of taste, and three that do not see what is meant: the image is built here, and the interface is a variable. */
const notHeld: readonly string[] = [
  'no-build-and-image',
  'service-image-require-explicit-tag',
  'no-unbound-port-interfaces',
  'no-quotes-in-volumes',
  'service-keys-order',
  'services-alphabetical-order',
]

const read = (file: string) => readFileSync(join(root, file), 'utf8')
const compose = parse(read('compose.yaml')) as {
  readonly services: Readonly<Record<string, Service>>
  readonly volumes: Readonly<Record<string, unknown>>
}
const services = Object.entries(compose.services)

test('every file and service that compose.yaml refers to exists', () => {
  for (const [name, { volumes = [], depends_on: needed = [], image }] of services) {
    if (name !== 'sluice') expect(image, name).toMatch(/^docker\.io\/.+:.*\d/)
    for (const volume of volumes) {
      const [source = ''] = volume.split(':')
      if (source.startsWith('./')) expect(existsSync(join(root, source)), volume).toBe(true)
      else expect(Object.keys(compose.volumes)).toContain(source)
    }
    const names = Array.isArray(needed) ? (needed as string[]) : Object.keys(needed)
    for (const other of names) expect(Object.keys(compose.services)).toContain(other)
    for (const [other, { condition }] of Array.isArray(needed) ? [] : Object.entries(needed))
      if (condition === 'service_healthy')
        expect(compose.services[other]).toHaveProperty('healthcheck')
  }
})

function variablesIn(file: string): Readonly<Record<string, string>> {
  const lines = read(file).matchAll(/^(\w+)=(.*)$/gm)
  return Object.fromEntries([...lines].map(([, name, value]) => [name, value]))
}

const secretName = /KEY|PASSWORD/

test('the examples have every variable that is asked for, and no secret', () => {
  const ofCompose = variablesIn('deploy/compose/example.env')
  const asked = [...read('compose.yaml').matchAll(/\$\{(\w+)[:}]/g)].map(([, name = '']) => name)
  expect(new Set(asked)).toEqual(new Set(Object.keys(ofCompose)))
  const ofGateway = variablesIn('deploy/sluice.example.env')
  const known = [...providers.values()].flatMap(({ environment }) => environment)
  for (const name of Object.keys(ofGateway).filter((one) => one.endsWith('_API_KEY')))
    expect(known).toContain(name)
  expect(unknownVariables(ofGateway, '')).toEqual([])
  for (const [name, value] of Object.entries({ ...ofCompose, ...ofGateway }))
    if (secretName.test(name)) expect(value).toBe('')
  const ignored = read('.gitignore').split('\n')
  expect(ignored).toEqual(expect.arrayContaining(['/.env', '/sluice.env']))
})

test('each container gets its own secrets alone', () => {
  const secrets = Object.fromEntries(
    services.map(([name, { environment = {} }]) => [
      name,
      Object.keys(environment).filter(
        (variable) => secretName.test(variable) || variable.startsWith('PG'),
      ),
    ]),
  )
  expect(secrets).toEqual({
    sluice: ['PGPASSWORD'],
    postgres: ['POSTGRES_PASSWORD'],
    valkey: [],
    prometheus: [],
    grafana: ['GF_SECURITY_ADMIN_PASSWORD'],
  })
  const files = services.flatMap(([name, { env_file: file }]) =>
    file === undefined ? [] : [name, file],
  )
  expect(files).toEqual(['sluice', 'sluice.env'])
})

test('compose.yaml sets valid variables and settings, and a sufficient stop timeout', () => {
  const { sluice } = compose.services
  const environment = readEnvironment(sluice?.environment)
  expect(environment.databaseUrl).toContain('@postgres:5432/sluice')
  expect(environment.redisUrl).toBe('redis://valkey:6379')
  const { server } = parseConfig(read('deploy/compose/sluice.yaml'), 'sluice.yaml', {})
  const graceMs = Number.parseInt(String(sluice?.['stop_grace_period']), 10) * 1000
  expect(graceMs).toBeGreaterThanOrEqual((server?.stopTimeoutMs ?? 0) + 2_000)
  expect(sluice).toMatchObject({ read_only: true, cap_drop: ['ALL'] })
})

test('the password of PostgreSQL is in no URL, so that it may contain any character', () => {
  const { DATABASE_URL: url, PGPASSWORD: password } = compose.services['sluice']?.environment ?? {}
  expect(url).toBe('postgres://sluice@postgres:5432/sluice')
  expect(password).toMatch(/^\$\{POSTGRES_PASSWORD:/)
})

test('Prometheus scrapes the gateway’s metrics port', () => {
  const { telemetry } = parseConfig(read('deploy/compose/sluice.yaml'), 'sluice.yaml', {})
  const port = telemetry?.metrics?.listen?.split(':')[1]
  expect(read('deploy/compose/prometheus.yml')).toContain(`sluice:${port}`)
})

test('compose.yaml passes its schema and a linter', async (context) => {
  const folder = installedFolder('compose-linter')
  const failure = await installNpm(folder, linter).catch((cause: unknown) => String(cause))
  if (failure !== undefined) return leaveOut(context, `dclint cannot be installed: ${failure}`)
  const lint = (file: string) => {
    const program = join(folder, 'node_modules/.bin/dclint')
    const args = [file, '--formatter', 'json']
    const { stdout } = spawnSync(program, args, { cwd: folder, encoding: 'utf8' })
    const found = JSON.parse(stdout) as readonly {
      readonly messages: readonly { readonly rule: string; readonly message: string }[]
    }[]
    return found.flatMap(({ messages }) => messages).filter(({ rule }) => !notHeld.includes(rule))
  }
  expect(lint(join(root, 'compose.yaml'))).toEqual([])
  const broken = join(folder, 'broken.yaml')
  writeFileSync(broken, read('compose.yaml').replace('read_only: true', 'read_only: [maybe]'))
  expect(lint(broken).map(({ rule }) => rule)).toContain('invalid-schema')
}, 120_000)

test('the systemd unit passes systemd-analyze', (context) => {
  const unit = join(root, 'deploy/systemd/sluice.service')
  expect(readFileSync(unit, 'utf8')).toMatch(/^ExecStart=\/usr\/bin\/env sluice serve$/m)
  const verified = spawnSync('systemd-analyze', ['verify', unit], { encoding: 'utf8' })
  if (verified.error) {
    const reason = 'left out: there is no systemd-analyze'
    console.warn(`${context.task.name}: ${reason}`)
    return context.skip(reason)
  }
  expect(verified.stderr).toBe('')
  expect(verified.status).toBe(0)
  const args = ['security', '--offline=true', '--threshold=20', unit]
  expect(spawnSync('systemd-analyze', args, { encoding: 'utf8' }).status).toBe(0)
})
