import { spawnSync } from 'node:child_process'
import { existsSync, writeFileSync } from 'node:fs'
import { cpus } from 'node:os'
import { join, resolve } from 'node:path'
import { createBudgetedKey } from './budgeted-key.ts'
import { setTimeout as pause } from 'node:timers/promises'
import { peerOf, startOf } from './peers.ts'
import { familyOf } from './proc.ts'
import { type Cores, freePort, pin, type Running, start, untilListening } from './processes.ts'

/** One thing to measure, not started yet. */
export interface Target {
  readonly name: string
  /** Whether it is called in any format, with the provider before the model's name. Default: in that of the upstream. */
  readonly translates?: boolean
  readonly headers: Readonly<Record<string, string>>
  /** Absent for what is measured without a process of its own. */
  readonly begin?: (begin: Begin) => Promise<Begun>
  /** Creates the key that requests have to carry instead of the usual one, once the target listens. */
  readonly createKey?: (port: number) => Promise<string>
  /** Measured only where `--targets` names it. */
  readonly isExtra?: boolean
  /** Where it is already, when it was not started here. */
  readonly url?: URL
}

export interface Begin {
  readonly cores: Cores
  /** The stub, without a path. */
  readonly upstream: string
  /** For files; goes afterwards. */
  readonly folder: string
}

export interface Begun {
  readonly running: Running
  readonly port: number
}

const benchKey = 'sk-bench0123456789abcdef'
const adminKey = 'sk-admin0123456789abcdef'

const root = join(import.meta.dirname, '..', '..')
const bearer = { authorization: `Bearer ${benchKey}` }

/** How the program of a target is started, given its port. */
type Recipe = (
  port: number,
  begin: Begin,
) => Omit<Parameters<typeof start>[0], 'core' | 'outputFile'>

function startedBy(name: string, recipe: Recipe, fixedPort?: string): NonNullable<Target['begin']> {
  return async (begin) => {
    const port = fixedPort === undefined ? await freePort() : Number(fixedPort)
    const outputFile = join(begin.folder, `${name}-${port}.log`)
    const running = start({ ...recipe(port, begin), core: begin.cores.gateway, outputFile })
    try {
      await untilListening(port, running)
    } catch (cause) {
      await running[Symbol.asyncDispose]()
      throw new Error(`${name} did not start; its output is in ${outputFile}`, { cause })
    }
    return { running, port }
  }
}

/** A proxy in a file beside this one. */
const proxy = (name: 'thin' | 'bare'): Target => ({
  name,
  headers: bearer,
  begin: startedBy(name, (port, { upstream }) => ({
    command: [
      process.execPath,
      join(import.meta.dirname, `${name}.ts`),
      String(port),
      upstream,
      benchKey,
    ],
  })),
})

/** What the streams come from: the name in the gateway, that in its environment, and the path of its base URL. */
const providers = [
  { id: 'openai', variable: 'OPENAI', path: '/v1' },
  { id: 'openai-responses', variable: 'OPENAI_RESPONSES', path: '/v1' },
  { id: 'anthropic', variable: 'ANTHROPIC', path: '' },
  { id: 'google', variable: 'GEMINI', path: '' },
  { id: 'deepseek', variable: 'DEEPSEEK', path: '/v1' },
  { id: 'groq', variable: 'GROQ', path: '/v1' },
  { id: 'moonshotai', variable: 'MOONSHOT', path: '/v1' },
  { id: 'xai', variable: 'XAI', path: '/v1' },
] as const

/** Everything on: keys, rates, budgets, routing, records, costs, a log line. */
const sluiceSettings = `log:
  level: info
prices:
${providers.map(({ id }) => `  ${id}/*: { input: 0.15, output: 0.6 }`).join('\n')}
`

const sluiceRecipe =
  (further: (upstream: string) => string, build = root): Recipe =>
  (port, { upstream, folder }) => {
    const settings = join(folder, `sluice-${port}.yaml`)
    writeFileSync(settings, sluiceSettings + further(upstream))
    return {
      command: [process.execPath, join(build, 'bin', 'sluice.cjs'), 'serve'],
      folder,
      environment: {
        SLUICE_PORT: String(port),
        SLUICE_DATA: join(folder, `data-${port}`),
        SLUICE_CONFIG: settings,
        SLUICE_API_KEYS: benchKey,
        SLUICE_ADMIN_KEY: adminKey,
        ...Object.fromEntries(
          providers.flatMap(({ variable, path }) => [
            [`${variable}_API_KEY`, 'upstream-key'],
            [`${variable}_BASE_URL`, `${upstream}${path}`],
          ]),
        ),
      },
    }
  }

/** `further` are settings beside the usual ones, given the address of the stub. */
const sluice = (name: string, further: (upstream: string) => string = () => ''): Target => ({
  name,
  translates: true,
  headers: bearer,
  begin: startedBy(name, sluiceRecipe(further)),
  createKey,
})

function createKey(port: number): Promise<string> {
  return createBudgetedKey(port, adminKey)
}

/** With a key that has no budgets and no rates. */
const unlimited: Target = {
  name: 'sluice-unlimited',
  translates: true,
  headers: bearer,
  begin: startedBy(
    'sluice-unlimited',
    sluiceRecipe(() => ''),
  ),
  isExtra: true,
}

const workersMsMax = 30_000

/** As many processes that share one port, each on a core of its own. Where there is no other core, the load shares one. */
const workers = (count: number): Target => ({
  ...sluice(`sluice-workers-${count}`),
  isExtra: true,
  async begin(begin) {
    const name = `sluice-workers-${count}`
    const settings = () => `server:\n  workers: ${count}\n`
    const begun = await startedBy(name, sluiceRecipe(settings))(begin)
    const { pid } = begun.running
    const endsAt = performance.now() + workersMsMax
    while (familyOf(pid).length <= count && performance.now() < endsAt) await pause(20)
    const [, ...processes] = familyOf(pid)
    for (const [index, worker] of processes.entries()) {
      const core = begin.cores.all[index]
      if (core !== undefined) pin(worker, core)
    }
    return begun
  },
})

/** Without metrics, which are on usually. */
const unobserved = () => `telemetry:
  metrics:
    enabled: false
`

/** With metrics, and with spans of every call, which the stub takes and throws away. */
const observed = (upstream: string) => `telemetry:
  traces:
    endpoint: ${upstream}/v1/traces
    ratio: 1
`

const nginxRecipe: Recipe = (port, { upstream, folder }) => {
  const settings = join(folder, `nginx-${port}.conf`)
  writeFileSync(settings, nginxSettings(port, upstream, folder))
  return { command: ['nginx', '-p', folder, '-e', '/dev/null', '-c', settings] }
}

function nginxSettings(port: number, upstream: string, folder: string): string {
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
    .map((kind) => `  ${kind}_temp_path ${folder}/nginx-${kind};`)
    .join('\n')
  return `daemon off;
master_process off;
worker_rlimit_nofile 20000;
pid ${folder}/nginx-${port}.pid;
error_log /dev/null;
events { worker_connections 8192; }
http {
  access_log off;
${temporary}
  keepalive_requests 100000000;
  client_max_body_size 64m;
  client_body_buffer_size 1m;
  upstream stub { server ${new URL(upstream).host}; keepalive 256; keepalive_requests 100000000; }
  server {
    listen 127.0.0.1:${port} backlog=4096;
    location / {
      if ($http_authorization != "Bearer ${benchKey}") { return 401; }
      proxy_pass http://stub;
      proxy_http_version 1.1;
      proxy_set_header Connection "";
      proxy_buffering off;
      proxy_read_timeout 600s;
    }
  }
}
`
}

const nginx: Target = {
  name: 'nginx',
  headers: bearer,
  begin: startedBy('nginx', nginxRecipe),
}

const portkeyFile = join(
  root,
  'bench/node_modules/.gateways/node_modules/@portkey-ai/gateway/build/start-server.js',
)

const portkey: Target = {
  name: 'portkey',
  headers: { ...bearer, 'x-portkey-provider': 'openai', 'x-portkey-custom-host': '{upstream}/v1' },
  begin: startedBy('portkey', (port) => ({
    command: [process.execPath, portkeyFile, '--headless', `--port=${port}`],
  })),
}

const direct: Target = { name: 'direct', headers: bearer }

/** All that can be measured on this machine, in the order of the tables. */
export function availableTargets(): readonly Target[] {
  const hasNginx = spawnSync('nginx', ['-v']).status === 0
  return [
    direct,
    ...(hasNginx ? [nginx] : []),
    proxy('thin'),
    proxy('bare'),
    sluice('sluice'),
    unlimited,
    ...[1, 2, 3, 4].filter((count) => count <= cpus().length).map(workers),
    { ...sluice('sluice-unobserved', unobserved), isExtra: true },
    { ...sluice('sluice-observed', observed), isExtra: true },
    ...(existsSync(portkeyFile) ? [portkey] : []),
  ]
}

/** Another build of this gateway, given as `name=folder`: a checkout, or an installed package. */
export function buildTarget(text: string): Target {
  const [, name, folder] = /^([\w.-]+)=(.+)$/.exec(text) ?? []
  if (name === undefined || folder === undefined)
    throw new Error(`--build ${text} is not of the form name=folder`)
  const recipe = sluiceRecipe(() => '', resolve(folder))
  const begin = startedBy(name, recipe)
  return { name, translates: true, headers: bearer, begin, createKey }
}

/**
 * A gateway given as `name=command,url`. The command may name `{port}`, a free one, and `{upstream}`, and the address
 * `{port}`. Without a command the gateway runs already, and its processor time is not known.
 */
export function givenTarget(text: string): Target {
  const [, name, command, address] = /^([\w.-]+)=(.*),([^,]+)$/.exec(text) ?? []
  if (name === undefined || command === undefined || address === undefined)
    throw new Error(`--gateway ${text} is not of the form name=command,url`)
  const target = { name, headers: bearer }
  if (command === '') return { ...target, url: new URL(address) }
  const fixedPort = /:(\d+)/.exec(address)?.[1]
  const recipe: Recipe = (port, { upstream }) => ({
    command: [
      'sh',
      '-c',
      `exec ${command.replaceAll('{port}', `${port}`).replaceAll('{upstream}', upstream)}`,
    ],
  })
  return { ...target, begin: startedBy(name, recipe, fixedPort) }
}

/** Another gateway that has settings in `peers/`, given as `name=path` of its program. */
export function peerTarget(text: string): Target {
  const { peer, program } = peerOf(text)
  const { name, translates } = peer
  const recipe: Recipe = (port, { upstream, folder }) => {
    const started = startOf(peer, { port: `${port}`, upstream, key: benchKey, folder })
    const { args, environment } = started
    return { command: [program, ...args], environment, folder }
  }
  return { name, translates, headers: bearer, begin: startedBy(name, recipe) }
}
