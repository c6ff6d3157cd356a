// While the gateway reads a costly body of one caller, it answers the others.
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { costlyBodies } from '../../corpus/costly-bodies.ts'
import { type ServerProcess, startServer } from '../../support/gateways/server-process.ts'
import { askHealth, type HealthAsker } from '../../support/measures/health-latency.ts'
import { waitMaxMs } from '../../support/measures/wait-limit.ts'
import { npmEnvironment, root } from '../../support/npm.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

const opened = new AsyncDisposableStack()
let server: ServerProcess
let health: HealthAsker
let waitMax: number
let longest = { ms: 0, of: 'no body' }

beforeAll(async () => {
  const { path: folder } = opened.use(temporaryFolder())
  const program = [`${root}/packages/sluice/src/cli/main.ts`, 'serve']
  server = opened.use(
    await startServer(process.execPath, program, { folder, env: npmEnvironment() }),
  )
  health = opened.use(await askHealth(server.address, server.child.pid))
  // The first request of each kind compiles what it needs.
  for (const size of [10, 2_000_000])
    await post(Buffer.from(JSON.stringify({ messages: 'a'.repeat(size) })))
  await health.longest()
  await sleep(500)
  waitMax = waitMaxMs(await health.longest())
})
afterAll(async () => {
  const allowed = `${Math.round(waitMax)} ms are allowed`
  console.log(`The longest wait: ${Math.round(longest.ms)} ms for ${longest.of}; ${allowed}`)
  await opened.disposeAsync()
})

function post(body: Uint8Array, encoding?: string): Promise<Response> {
  return fetch(`${server.address}/v1/chat/completions`, {
    method: 'POST',
    headers: {
      authorization: 'Bearer key',
      'content-type': 'application/json',
      ...(encoding !== undefined && { 'content-encoding': encoding }),
    },
    body: body as Uint8Array<ArrayBuffer>,
  })
}

// Others use the machine too: what holds up the gateway itself does so every time.
test.each(costlyBodies)(
  '$name: $status',
  { retry: 3 },
  async ({ name, body, encoding, status }) => {
    const bytes = body()
    await health.longest()
    const response = await post(bytes, encoding)
    expect(await response.text()).toContain('error')
    expect(response.status).toBe(status)
    const ms = await health.longest()
    if (ms > longest.ms) longest = { ms, of: name }
    expect(ms).toBeLessThan(waitMax)
  },
)

test('several costly bodies at the same time', { retry: 3 }, async () => {
  const bodies = costlyBodies.filter(({ status }) => status === 404).map(({ body }) => body())
  const some = bodies.filter(({ length }) => length < 2_000_000)
  expect(some.length).toBeGreaterThan(5)
  await health.longest()
  const answers = await Promise.all(some.map((body) => post(body)))
  for (const answer of answers) expect(answer.status).toBe(404)
  // Far less than all of them take, and more than one does.
  expect(await health.longest()).toBeLessThan(3 * waitMax)
})
