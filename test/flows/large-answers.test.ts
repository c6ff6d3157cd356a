// Whatever one upstream answers, the gateway answers the others while it reads it.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type FakeUpstream, fakeUpstream } from '../support/fake-upstream.ts'
import { askHealth, type HealthAsker } from '../support/health-asker.ts'
import { npmEnvironment, root } from '../support/npm.ts'
import { chatReply } from '../support/openai-wire.ts'
import { type ServerProcess, startServer } from '../support/server-process.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

/** On a machine that has nothing else to do. */
const waitMaxMs = 200
/** What a wait of an idle gateway says of how busy the machine is. */
const idleShare = 4

const opened = new AsyncDisposableStack()
let upstream: FakeUpstream
let server: ServerProcess
let health: HealthAsker
let waitMax: number
let answer: Buffer

beforeAll(async () => {
  upstream = opened.use(
    await fakeUpstream((_seen, response) => {
      response.writeHead(200, { 'content-type': 'application/json' }).end(answer)
    }),
  )
  const { path: folder } = opened.use(temporaryFolder())
  const settings = { providers: { up: { type: 'openai', baseUrl: upstream.url, key: 'k' } } }
  writeFileSync(join(folder, 'sluice.yaml'), JSON.stringify(settings))
  const program = [`${root}/packages/sluice/src/cli/main.ts`, 'serve']
  server = opened.use(
    await startServer(process.execPath, program, { folder, env: npmEnvironment() }),
  )
  health = opened.use(await askHealth(server.address))
  // The first answers compile what is needed.
  for (const size of [10, 2_000_000]) {
    answer = Buffer.from(JSON.stringify(chatReply('a'.repeat(size))))
    await (await ask('/v1/chat/completions', { messages: [] })).arrayBuffer()
  }
  await health.longest()
  await sleep(500)
  waitMax = waitMaxMs + idleShare * (await health.longest()).waitMs
})
afterAll(() => opened.disposeAsync())

const ask = (path: string, body: object): Promise<Response> =>
  fetch(server.address + path, {
    method: 'POST',
    headers: { authorization: 'Bearer key', 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'up/m', ...body }),
  })

const chat = ['/v1/chat/completions', { messages: [{ role: 'user', content: 'Hi' }] }] as const
const embed = ['/v1/embeddings', { input: 'Hi', encoding_format: 'float' }] as const
const images = ['/v1/images/generations', { prompt: 'A cat' }] as const
const megabyte = 1024 * 1024

const vectors = (): string => {
  const vector = Array.from({ length: 1_536 }, (_, index) => Math.sin(index)).join()
  const data = Array.from(
    { length: 1_000 },
    (_, index) => `{"index":${index},"embedding":[${vector}]}`,
  )
  return `{"object":"list","data":[${data.join()}],"model":"m","usage":{"prompt_tokens":9,"total_tokens":9}}`
}

type Row = readonly [string, readonly [string, object], () => string, number]
const rows: readonly Row[] = [
  ['a text', chat, () => JSON.stringify(chatReply('a\n'.repeat(10 * megabyte))), 200],
  ['a text larger than any', chat, () => JSON.stringify(chatReply('a'.repeat(65 * megabyte))), 502],
  ['vectors', embed, vectors, 200],
  [
    'a picture',
    images,
    () => JSON.stringify({ created: 1, data: [{ b64_json: 'aGkh'.repeat(5 * megabyte) }] }),
    200,
  ],
  [
    'values without number',
    chat,
    () => JSON.stringify(chatReply('Hi')).replace('{', `{"x":[${'{},'.repeat(5 * megabyte)}{}],`),
    502,
  ],
  ['broken JSON', chat, () => `{"x":"${'a'.repeat(20 * megabyte)}`, 502],
]

// Others use the machine too: what holds up the gateway itself does so every time.
test.each(rows)('%s', { retry: 3 }, async (_name, [path, body], written, status) => {
  answer = Buffer.from(written())
  await health.longest()
  const response = await ask(path, body)
  const came = Buffer.from(await response.arrayBuffer())
  const { waitMs, answers } = await health.longest()
  expect(response.status).toBe(status)
  if (status === 200) expect(came.equals(answer)).toBe(true)
  expect(answers).toBeGreaterThan(0)
  expect(waitMs).toBeLessThan(waitMax)
})
