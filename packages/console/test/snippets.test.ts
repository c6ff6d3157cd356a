// How programs are told to ask the gateway, as the console shows it beside a new key: each is run as it is shown.
import { execFile, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, type TestContext, test } from 'vitest'
import { installed } from '../../../test/agents/run-agent.ts'
import { fakeUpstream, json } from '../../../test/support/fakes/fake-upstream.ts'
import { type Started, start, testKey } from '../../../test/support/start.ts'
import { temporaryFolder } from '../../../test/support/temporary-folder.ts'
import type { Reply } from '../src/api/client.ts'
import { snippetModel, snippets } from '../src/pages/keys/snippets.ts'

let gateway: Started
beforeAll(async () => {
  gateway = await start()
})
afterAll(() => gateway[Symbol.asyncDispose]())

const python = process.env['DOCS_PYTHON'] ?? 'python3'
/** Where codex and Claude Code are, if anywhere: `npm run agents` installs them. */
const programs = process.env['AGENTS_BIN'] ?? join(installed, 'node_modules/.bin')

function shown(name: string): string {
  const [, format] = snippets.find(([known]) => known === name) ?? []
  expect(format, name).toBeDefined()
  return format?.({ address: gateway.url, secret: testKey, model: 'builtin-chat' }) ?? ''
}

/** No package of the registry brings these programs to where tests run: they are left out there, too. */
function notHere(context: TestContext, reason: string): never {
  console.warn(`${context.task.name}: not run: ${reason}`)
  return context.skip(reason)
}

interface Run {
  readonly folder?: string
  readonly env?: Readonly<Record<string, string>>
}

async function run(program: string, args: readonly string[], { folder, env }: Run = {}) {
  const running = promisify(execFile)(program, args, {
    cwd: folder,
    timeout: 120_000,
    killSignal: 'SIGKILL',
    env: { PATH: `${programs}:${process.env['PATH']}`, ...env },
  })
  running.child.stdin?.end()
  return (await running).stdout
}

test('every snippet has a test in this file', () => {
  const names = ['curl', 'openai', 'anthropic', 'genai', 'codex', 'Claude Code']
  expect(snippets.map(([name]) => name)).toEqual(names)
})

test('snippets name a provider’s model before a built-in one', async () => {
  const listed = async (at: Started) =>
    ((await (await at.request('/v1/models')).json()) as Reply<'listModels'>).data
  expect(snippetModel(await listed(gateway))).toBe('builtin-chat')
  await using upstream = await fakeUpstream((_seen, response) =>
    json(response, { object: 'list', data: [{ id: 'm', object: 'model' }] }),
  )
  const acme = { type: 'openai', baseUrl: upstream.url, key: 'k' } as const
  await using connected = await start({ providers: { acme }, builtin: { enabled: 'always' } })
  expect(snippetModel(await listed(connected))).toBe('acme/m')
  expect(snippetModel([])).toBe('MODEL')
})

test('curl', async () => {
  const said = await run('bash', ['-c', `${shown('curl')} --silent --fail-with-body`])
  expect(JSON.parse(said)).toMatchObject({
    choices: [{ message: { content: expect.stringContaining('42') } }],
  })
})

test.for([
  ['openai', 'import openai'],
  ['anthropic', 'import anthropic'],
  ['genai', 'from google import genai'],
] as const)('%s in Python', async ([name, imports], context) => {
  const code = shown(name)
  const compiled = spawnSync(python, ['-c', 'import sys; compile(sys.stdin.read(), "x", "exec")'], {
    input: code,
    encoding: 'utf8',
  })
  if (compiled.error) return notHere(context, 'there is no Python')
  expect(compiled.stderr).toBe('')
  if (spawnSync(python, ['-c', imports]).status !== 0)
    return notHere(context, `its package is not installed (DOCS_PYTHON names a Python with it)`)
  expect(await run(python, ['-c', code])).toContain('42')
})

test('codex', { timeout: 150_000 }, async (context) => {
  if (!existsSync(join(programs, 'codex'))) return notHere(context, 'npm run agents installs it')
  using folder = temporaryFolder()
  const [first = '', ...settings] = shown('codex').split('\n')
  const [, name = '', key = ''] = /export (\w+)=(\S+)$/.exec(first) ?? []
  expect(first).toContain('~/.codex/config.toml')
  mkdirSync(join(folder.path, '.codex'))
  writeFileSync(join(folder.path, '.codex/config.toml'), settings.join('\n'))
  const env = { HOME: folder.path, [name]: key }
  const args = ['exec', '--skip-git-repo-check', 'What is 6 times 7?']
  expect(await run('codex', args, { folder: folder.path, env })).toContain('42')
})

test('Claude Code', { timeout: 150_000 }, async (context) => {
  if (!existsSync(join(programs, 'claude'))) return notHere(context, 'npm run agents installs it')
  using folder = temporaryFolder()
  const lines = shown('Claude Code').split('\n')
  expect(lines.at(-1)).toBe('claude')
  const script = [...lines.slice(0, -1), 'claude -p "What is 6 times 7?"'].join('\n')
  const env = { HOME: folder.path, DISABLE_TELEMETRY: '1', DISABLE_AUTOUPDATER: '1' }
  expect(await run('bash', ['-c', script], { folder: folder.path, env })).toContain('42')
})
