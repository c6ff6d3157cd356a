import { execFileSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { startSluice } from '../../../../test/support/run-sluice.ts'

const soon = { timeout: 20_000, interval: 20 }

let folder: string
const running: ReturnType<typeof startSluice>[] = []

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
    expect(sluice.output()).toContain('Try it:\n\n  curl')
  }, soon)
  const address = /listens on (http:\S+)/.exec(sluice.output())?.[1] ?? ''
  const stop = async () => {
    sluice.child.kill('SIGTERM')
    return sluice.finished
  }
  return { ...sluice, address, stop }
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

test('the first start makes a folder and two keys, and says all that a first call needs', async () => {
  const { output, stop } = await start()
  const data = join(folder, 'data')
  expect(statSync(data).mode & 0o777).toBe(0o700)
  const file = join(data, 'initial-keys.json')
  expect(statSync(file).mode & 0o777).toBe(0o600)
  const keys: { adminKey: string; apiKey: string } = JSON.parse(readFileSync(file, 'utf8'))
  expect(output()).toContain(keys.adminKey)
  expect(output()).toContain(keys.apiKey)
  expect(output()).toContain('builtin-chat')
  expect(pasteCurl(output())).toMatchObject(answered)
  expect((await stop()).exitCode).toBe(0)

  const again = await start()
  expect(again.output()).not.toContain('sk-')
  expect(pasteCurl(again.output())).toMatchObject(answered)
  const { exitCode, stdout, stderr } = await again.stop()
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' })
  expect(stdout).not.toContain(keys.apiKey)
})

test('keys from the environment are taken as they are, and none is made', async () => {
  const variables = { SLUICE_API_KEYS: 'first-key,second', SLUICE_ADMIN_KEY: 'boss' }
  const { output, address } = await start(variables)
  expect(existsSync(join(folder, 'data', 'initial-keys.json'))).toBe(false)
  expect(output()).not.toMatch(/first-key|boss/)
  expect(pasteCurl(output(), variables)).toMatchObject(answered)
  for (const [key, status] of [
    ['second', 200],
    ['sk-second', 200],
    ['third', 401],
  ] as const) {
    const headers = { authorization: `Bearer ${key}` }
    expect((await fetch(`${address}/v1/models`, { headers })).status).toBe(status)
  }
})

test('a changed file is taken up while calls go on; a broken one changes nothing and says why', async () => {
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

test('a key made by the command line is valid within moments', async () => {
  const { address } = await start()
  const made = await startSluice(['keys', 'create', '--name', 'x'], { folder }).finished
  expect(made.exitCode).toBe(0)
  const headers = { authorization: `Bearer ${made.stdout.split('\n')[0]}` }
  const status = async () => (await fetch(`${address}/v1/models`, { headers })).status
  await vi.waitFor(async () => expect(await status()).toBe(200), soon)
  const id = /key_\w+/.exec(made.stdout)?.[0] ?? ''
  await startSluice(['keys', 'revoke', id], { folder }).finished
  await vi.waitFor(async () => expect(await status()).toBe(401), soon)
})

test('explain asks the running gateway, with the key of the first start', async () => {
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

test('a taken port is told in a sentence', async () => {
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
    { SLUICE_DATA: '/dev/null/x' },
    "The data folder /dev/null/x cannot be used: ENOTDIR: not a directory, mkdir '/dev/null/x'\n",
  ],
])('the wrong setting %o stops the start', async (variables, sentence) => {
  const { exitCode, stderr } = await startSluice(['serve'], { folder, variables }).finished
  expect({ exitCode, stderr }).toEqual({ exitCode: 1, stderr: sentence })
})

test('what is under way when the signal comes is finished', async () => {
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

test('a start reads little code: nothing that only some calls need, and no library beside the bundle', async () => {
  const list = join(folder, 'modules.txt')
  const preload = fileURLToPath(
    new URL('../../../../test/support/loaded-modules.ts', import.meta.url),
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
