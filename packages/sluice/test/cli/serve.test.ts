import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { leaveOut } from '../../../../test/support/leave-out.ts'
import { main, startSluice } from '../../../../test/support/run-sluice.ts'
import { startMessage } from '../../src/cli/start-message.ts'

/** Gives a program a terminal (util-linux). */
const script = '/usr/bin/script'
const soon = { timeout: 20_000, interval: 20 }

let folder: string
const running: {
  readonly child: ChildProcess
  readonly output: () => string
  readonly finished: Promise<unknown>
}[] = []

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'sluice-test-'))
})
afterEach(async () => {
  for (const { child, finished } of running.splice(0)) {
    child.kill('SIGKILL')
    await finished
  }
  rmSync(folder, { recursive: true, force: true })
})

/** Starts a gateway on a free port and waits until it listens. */
async function start(variables: Readonly<Record<string, string>> = {}) {
  const sluice = startSluice(['serve'], { folder, variables: { SLUICE_PORT: '0', ...variables } })
  running.push(sluice)
  await vi.waitFor(() => {
    expect(sluice.child.exitCode).toBeNull()
    expect(sluice.output()).toMatch(/listens on http/)
  }, soon)
  const address = /listens on (http:\S+)/.exec(sluice.output())?.[1] ?? ''
  const stop = async () => {
    sluice.child.kill('SIGTERM')
    return sluice.finished
  }
  return { ...sluice, address, stop }
}

/** What the process says at its start where no terminal is: the first line of its log. */
function startLine(output: string): Readonly<Record<string, unknown>> {
  return JSON.parse(output.slice(0, output.indexOf('\n')))
}

/** Starts a gateway as somebody at a terminal does, and waits until it has said all. */
async function startOnTerminal() {
  const command = `'${process.execPath}' '${main}' serve`
  const child = spawn(script, ['--quiet', '--return', '--command', command, '/dev/null'], {
    cwd: folder,
    env: { PATH: process.env['PATH'] ?? '', SLUICE_PORT: '0' },
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  let output = ''
  child.stdout.on('data', (piece: Buffer) => {
    output += piece.toString().replaceAll('\r', '')
  })
  const finished = new Promise<void>((resolve) => child.on('close', () => resolve()))
  running.push({ child, finished, output: () => output })
  await vi.waitFor(() => expect(output).toMatch(/Try it:\n\n {2}curl .*\n/), soon)
  const stop = async () => {
    child.kill('SIGTERM')
    await finished
  }
  return { output, stop }
}

function pasteCurl(output: string, variables: Readonly<Record<string, string>> = {}): unknown {
  const line = /^ {2}(curl .*)$/m.exec(output)?.[1] ?? ''
  const answer = execFileSync('sh', ['-c', line], {
    encoding: 'utf8',
    env: { PATH: process.env['PATH'] ?? '', ...variables },
  })
  return JSON.parse(answer)
}

const answered = {
  object: 'chat.completion',
  choices: [{ message: { role: 'assistant', content: expect.stringMatching(/42|forty-two/i) } }],
}

test('the first start creates the data folder and two keys, and prints what a first call needs', async (context) => {
  if (!existsSync(script)) return leaveOut(context, `there is no ${script} (util-linux)`)
  const { output, stop } = await startOnTerminal()
  const data = join(folder, 'data')
  expect(statSync(data).mode & 0o777).toBe(0o700)
  const file = join(data, 'initial-keys.json')
  expect(statSync(file).mode & 0o777).toBe(0o600)
  const keys: { adminKey: string; apiKey: string } = JSON.parse(readFileSync(file, 'utf8'))
  for (const part of [keys.adminKey, keys.apiKey, 'builtin-chat', `Data        ${data}\n`])
    expect(output).toContain(part)
  expect(pasteCurl(output)).toMatchObject(answered)
  await stop()

  const again = await startOnTerminal()
  expect(again.output).not.toContain('sk-')
  expect(pasteCurl(again.output)).toMatchObject(answered)
  await again.stop()
})

test('logs JSON without secrets when there is no terminal', async () => {
  const { address, stop } = await start()
  const data = join(folder, 'data')
  const keysFile = join(data, 'initial-keys.json')
  const keys: { adminKey: string; apiKey: string } = JSON.parse(readFileSync(keysFile, 'utf8'))
  const headers = { authorization: `Bearer ${keys.apiKey}` }
  expect((await fetch(`${address}/v1/models`, { headers })).status).toBe(200)
  const { exitCode, stdout, stderr } = await stop()
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' })
  const lines = stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as object)
  expect(lines).toMatchObject([
    {
      level: 'info',
      time: expect.any(String),
      url: address,
      data,
      keysFile,
      madeKeys: ['adminKey', 'apiKey'],
      models: expect.arrayContaining(['builtin-chat']),
      msg: expect.stringContaining(`listens on ${address}`),
    },
    { level: 'info', path: '/v1/models', status: 200 },
    { level: 'info', msg: 'stopping' },
  ])
  for (const secret of Object.values(keys)) expect(stdout).not.toContain(secret)

  const again = await start()
  expect(startLine(again.output())).not.toHaveProperty('madeKeys')
})

test('uses keys from the environment and creates none', async () => {
  const variables = { SLUICE_API_KEYS: 'first-key,second', SLUICE_ADMIN_KEY: 'boss-of-the-house' }
  const { output, address } = await start(variables)
  expect(existsSync(join(folder, 'data', 'initial-keys.json'))).toBe(false)
  expect(startLine(output())).not.toHaveProperty('keysFile')
  expect(output()).not.toMatch(/first-key|boss/)
  const message = startMessage({
    version: '1.2.3',
    host: '127.0.0.1',
    port: Number(new URL(address).port),
    readyMs: 1,
    made: {},
    dataFolder: join(folder, 'data'),
    hasApiKeys: true,
    models: ['builtin-chat'],
    providers: [],
  })
  expect(message).not.toMatch(/first-key|boss/)
  expect(pasteCurl(message, variables)).toMatchObject(answered)
  for (const [key, status] of [
    ['second', 200],
    ['sk-second', 200],
    ['third', 401],
  ] as const) {
    const headers = { authorization: `Bearer ${key}` }
    expect((await fetch(`${address}/v1/models`, { headers })).status).toBe(status)
  }
})

test('applies a changed settings file while calls run, and reports a broken one', async () => {
  const { address, output } = await start({ SLUICE_API_KEYS: 'key' })
  const names = async () => {
    const answer = await fetch(`${address}/v1/models`, { headers: { authorization: 'Bearer key' } })
    const { data }: { data: { id: string }[] } = JSON.parse(await answer.text())
    return data.map(({ id }) => id)
  }
  expect(await names()).not.toContain('house')
  writeFileSync(join(folder, 'sluice.yaml'), 'models:\n  house: builtin/builtin-chat\n')
  await vi.waitFor(async () => expect(await names()).toContain('house'), soon)

  writeFileSync(join(folder, 'sluice.yaml'), 'models:\n  house: 7\n')
  await vi.waitFor(() => expect(output()).toContain('sluice.yaml:2:3: models.house must be'), soon)
  expect(await names()).toContain('house')

  writeFileSync(join(folder, 'sluice.yaml'), 'keys: [{ name: new, key: another }]\n')
  await vi.waitFor(async () => expect(await names()).not.toContain('house'), soon)
  const headers = { authorization: 'Bearer another' }
  expect((await fetch(`${address}/v1/models`, { headers })).status).toBe(200)
})

test('a deleted, emptied or truncated settings file admits nobody and does not fall back to the built-in engine', async () => {
  const file = join(folder, 'sluice.yaml')
  const whole = [
    'providers: { acme: { type: openai, baseUrl: "http://127.0.0.1:9/v1", keys: [k] } }',
    'defaults: { retries: { attempts: 1 } }',
    'models: { gpt-4o: acme/m }',
    'limits: { requestsPerMinute: 1000 }',
    'keys: [{ name: app, key: sk-app0123456789abcdef, models: [gpt-4o] }]',
    '',
  ].join('\n')
  writeFileSync(file, whole)
  const { address, output } = await start({ SLUICE_API_KEYS: 'sk-other0123456789abcdef' })
  const ask = async (key: string, model: string) => {
    const answer = await fetch(`${address}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model, messages: [{ role: 'user', content: 'Hi' }] }),
    })
    await answer.arrayBuffer()
    return [answer.status, answer.headers.get('x-ratelimit-limit-requests')]
  }
  const holds = async () => {
    // Nothing listens there: the upstream is asked, and nobody else.
    expect(await ask('sk-app0123456789abcdef', 'gpt-4o')).toEqual([503, '1000'])
    expect(await ask('sk-app0123456789abcdef', 'builtin-chat')).toEqual([403, '1000'])
  }
  await holds()
  const told = (words: string) => output().split(words).length - 1
  for (const [index, lose] of [() => rmSync(file), () => writeFileSync(file, '')].entries()) {
    lose()
    await vi.waitFor(() => expect(told('the file is empty or missing')).toBe(index + 1), soon)
    await holds()
    writeFileSync(file, `${whole}# ${index}\n`)
    await vi.waitFor(() => expect(told('the settings have changed')).toBe(index + 1), soon)
    await holds()
  }
  const cut = whole.slice(0, whole.indexOf('models:'))
  writeFileSync(file, cut)
  await new Promise((resolve) => setTimeout(resolve, 500))
  await holds()
  await vi.waitFor(() => expect(output()).toContain('some are gone'), soon)
  const line = output()
    .split('\n')
    .find((one) => one.includes('some are gone'))
  expect(JSON.parse(line ?? '')).toMatchObject({
    removed: ['keys.app', 'limits.requestsPerMinute', 'models.gpt-4o'],
  })
  writeFileSync(file, '{}\n')
  await vi.waitFor(() => expect(output()).toContain('"providers.acme"'), soon)
  // Routes are gone by now, and what they were called is still nothing of the built-in engine's.
  expect(await ask('sk-other0123456789abcdef', 'gpt-4o')).toEqual([404, null])
})

test('accepts a key created by the command line within moments', async () => {
  const { address } = await start()
  const made = await startSluice(['keys', 'create', '--name', 'x'], { folder }).finished
  expect(made.exitCode).toBe(0)
  const headers = { authorization: `Bearer ${made.stdout.trim()}` }
  const status = async () => (await fetch(`${address}/v1/models`, { headers })).status
  await vi.waitFor(async () => expect(await status()).toBe(200), soon)
  const id = /key_\w+/.exec(made.stderr)?.[0] ?? ''
  await startSluice(['keys', 'revoke', id], { folder }).finished
  await vi.waitFor(async () => expect(await status()).toBe(401), soon)
})

test('explain asks the running gateway with the initial key', async () => {
  const { address } = await start()
  const request = join(folder, 'request.json')
  writeFileSync(
    request,
    JSON.stringify({ model: 'gpt-4o', messages: [{ role: 'user', content: 'Hi' }] }),
  )
  const { exitCode, stdout } = await startSluice(['explain', request, '--url', address], { folder })
    .finished
  expect(exitCode).toBe(0)
  expect(JSON.parse(stdout)).toMatchObject({
    model: 'gpt-4o',
    targets: [{ target: 'builtin/builtin-chat', chosen: true, mode: 'engine' }],
  })
  writeFileSync(request, '{"model": 7}')
  const refused = await startSluice(['explain', request, '--url', address], { folder }).finished
  expect(refused.exitCode).toBe(1)
  expect(refused.stderr).toMatch(
    /^The gateway refused \(400\): Missing required parameter: 'messages'/,
  )
})

test('reports a taken port in a sentence', async () => {
  const other = createServer()
  await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve))
  try {
    const { port } = other.address() as AddressInfo
    const variables = { SLUICE_PORT: String(port) }
    const { exitCode, stderr } = await startSluice(['serve'], { folder, variables }).finished
    expect({ exitCode, stderr }).toEqual({
      exitCode: 1,
      stderr: `Port ${port} on 127.0.0.1 is taken by another program: set SLUICE_PORT to a free one\n`,
    })
  } finally {
    other.close()
  }
})

test.each([
  [{ SLUICE_PORT: 'abc' }, 'SLUICE_PORT must be a whole number from 0 to 65535, got "abc"\n'],
  [{ SLUICE_CONFIG: 'no.yaml' }, 'SLUICE_CONFIG names no.yaml, and there is no such file\n'],
  [
    { SLUICE_ADMIN_KEY: 'fifteen-letters' },
    'SLUICE_ADMIN_KEY has 15 characters and must have at least 16\n',
  ],
  [
    { SLUICE_DATA: '/dev/null/x' },
    "The data folder /dev/null/x cannot be used: ENOTDIR: not a directory, mkdir '/dev/null/x'. Set SLUICE_DATA to a writable directory\n",
  ],
  [
    { SLUICE_DATA: '/proc/nope/data' },
    "The data folder /proc/nope/data cannot be used: ENOENT: no such file or directory, mkdir '/proc/nope'. Set SLUICE_DATA to a writable directory\n",
  ],
])('the invalid setting %o stops the start', async (variables, sentence) => {
  const { exitCode, stderr } = await startSluice(['serve'], { folder, variables }).finished
  expect({ exitCode, stderr }).toEqual({ exitCode: 1, stderr: sentence })
})

test('completes running calls after SIGTERM', async () => {
  const { address, child, finished } = await start({ SLUICE_API_KEYS: 'key' })
  const upload = new AbortController()
  const body = JSON.stringify({
    model: 'builtin-chat',
    messages: [{ role: 'user', content: 'What is 6 times 7?' }],
  })
  // The request is half written when the signal comes, and whole a little later.
  const halves = new ReadableStream<Uint8Array>({
    async start(controller) {
      controller.enqueue(Buffer.from(body.slice(0, 20)))
      await vi.waitFor(() => expect(upload.signal.aborted).toBe(true), soon)
      controller.enqueue(Buffer.from(body.slice(20)))
      controller.close()
    },
  })
  const answer = fetch(`${address}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: 'Bearer key', 'content-type': 'application/json' },
    body: halves,
    duplex: 'half',
  } as RequestInit)
  await vi.waitFor(async () => expect((await fetch(`${address}/healthz`)).status).toBe(200), soon)
  child.kill('SIGTERM')
  await vi.waitFor(() => expect(fetch(`${address}/healthz`)).rejects.toThrow('fetch failed'), soon)
  upload.abort()
  expect(await (await answer).json()).toMatchObject(answered)
  expect((await finished).exitCode).toBe(0)
})

test('start loads only the modules it needs, and none outside the bundle', async () => {
  const list = join(folder, 'modules.txt')
  const preload = fileURLToPath(
    new URL('../../../../test/support/measures/loaded-modules.ts', import.meta.url),
  )
  const { stop } = await start({ LOADED_MODULES: list, NODE_OPTIONS: `--import=${preload}` })
  await stop()
  const files = readFileSync(list, 'utf8')
    .split('\n')
    .filter((url) => url.startsWith('file:') && !url.endsWith('/loaded-modules.ts'))
    .map((url) => fileURLToPath(url))
  expect(files).toContainEqual(expect.stringMatching(/dist.sluice\.js$/))
  expect(files.filter((file) => !/[\\/](?:dist|bin|build)[\\/][\w.-]+$/.test(file))).toEqual([])
  const bytes = files.reduce((sum, file) => sum + statSync(file).size, 0)
  expect(bytes).toBeLessThan(startCodeBytesMax)
})

/** The gateway itself, the server, the HTTP client and the log. The tokenizer alone has a million bytes. */
const startCodeBytesMax = 3_400_000

test.each([['1'], ['2']])(
  'a locked database fails the start with %s workers and an error message',
  async (workers) => {
    const { stop } = await start()
    await stop()
    using db = new DatabaseSync(join(folder, 'data', 'sluice.db'))
    db.exec('BEGIN EXCLUSIVE')
    const variables = { SLUICE_PORT: '0' }
    const sluice = startSluice(['serve', '--workers', workers], { folder, variables })
    running.push(sluice)
    const { exitCode, stderr } = await sluice.finished
    expect(exitCode).toBe(1)
    expect(stderr).toContain(`The database in ${join(folder, 'data')} cannot be used: database is`)
    expect(stderr).not.toContain('    at ')
  },
)
