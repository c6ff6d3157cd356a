import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { LargeAnswer } from '../../corpus/large-answers.ts'
import { fakeUpstream } from '../fakes/fake-upstream.ts'
import { chatReply } from '../fakes/openai-wire.ts'
import { askHealth } from '../measures/health-latency.ts'
import { npmEnvironment, root } from '../npm.ts'
import { temporaryFolder } from '../temporary-folder.ts'
import { startServer } from './server-process.ts'

/** The result of a request with a large response. */
export interface Delayed {
  readonly status: number
  readonly came: Buffer
  readonly sent: Buffer
  /** The longest response time of `/healthz` meanwhile, in milliseconds. */
  readonly waitMs: number
}

export interface LargeAnswerGateway extends AsyncDisposable {
  /** The longest response time of `/healthz` without other requests, in milliseconds. */
  readonly idleMs: number
  take(one: Omit<LargeAnswer, 'name' | 'status'>): Promise<Delayed>
}

/** A gateway in a separate process, in front of an upstream whose response the test sets. */
export async function largeAnswerGateway(): Promise<LargeAnswerGateway> {
  const opened = new AsyncDisposableStack()
  let answer: Buffer = Buffer.from('')
  let contentType = 'application/json'
  let refusals = 0
  const upstream = opened.use(
    await fakeUpstream((_seen, response) => {
      const status = refusals > 0 ? 503 : 200
      refusals -= 1
      response.writeHead(status, { 'content-type': contentType }).end(answer)
    }),
  )
  const { path: folder } = opened.use(temporaryFolder())
  const { url: baseUrl } = upstream
  const types = ['openai', 'gemini', 'anthropic', 'cohere', 'openai-responses']
  const bedrock = { baseUrl, key: 'AKIDEXAMPLE:secret', region: 'eu-central-1' }
  const providers = {
    ...Object.fromEntries(types.map((type) => [type, { type, baseUrl, key: 'k' }])),
    'amazon-bedrock': bedrock,
  }
  const settings = { providers, builtin: { enabled: 'always' } }
  writeFileSync(join(folder, 'sluice.yaml'), JSON.stringify(settings))
  const program = [`${root}/packages/sluice/src/cli/main.ts`, 'serve']
  const env = npmEnvironment()
  const server = opened.use(await startServer(process.execPath, program, { folder, env }))
  const health = opened.use(await askHealth(server.address, server.child.pid))

  async function take(one: Omit<LargeAnswer, 'name' | 'status'>): Promise<Delayed> {
    answer = Buffer.from(one.answer?.() ?? '')
    contentType = one.contentType ?? 'application/json'
    refusals = one.refusals ?? 0
    await health.longest()
    const response = await fetch(server.address + one.path, {
      method: 'POST',
      headers: { authorization: 'Bearer key', 'content-type': 'application/json' },
      body: JSON.stringify({ model: `${one.up}/m`, ...one.body }),
    })
    const came = Buffer.from(await response.arrayBuffer())
    return { status: response.status, came, sent: answer, waitMs: await health.longest() }
  }

  // The first responses make Node compile the code that is needed.
  const chat = {
    path: '/v1/chat/completions',
    body: { messages: [{ role: 'user', content: 'Hi' }] },
  }
  for (const size of [10, 2_000_000])
    await take({ up: 'openai', ...chat, answer: () => JSON.stringify(chatReply('a'.repeat(size))) })
  await take({ up: 'builtin', ...chat, body: { ...chat.body, model: 'builtin-chat' } })
  await health.longest()
  await sleep(500)
  const idleMs = await health.longest()
  return { idleMs, take, [Symbol.asyncDispose]: () => opened.disposeAsync() }
}
