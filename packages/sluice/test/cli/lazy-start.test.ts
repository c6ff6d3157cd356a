// What a gateway does not load, and does not start, before somebody needs it.
import { expect, test } from 'vitest'
import { fakeUpstream } from '../../../../test/support/fakes/fake-upstream.ts'
import { startSluice } from '../../../../test/support/run-sluice.ts'
import { until } from '../../../../test/support/start.ts'
import { temporaryFolder } from '../../../../test/support/temporary-folder.ts'

/** Says at its end which modules of Node's were loaded, and how many threads were started. */
const telling = `data:text/javascript,${encodeURIComponent(`
  import { subscribe } from 'node:diagnostics_channel'
  import { isMainThread } from 'node:worker_threads'
  let threads = 0
  subscribe('worker_threads', () => { threads += 1 })
  if (isMainThread) process.on('exit', () => {
    const modules = process.moduleLoadList.filter((name) => /NativeModule (http|https|http2|tls|internal.deps.undici.undici)$/.test(name))
    console.error('told ' + JSON.stringify({ threads, modules: modules.map((name) => name.slice(13)) }))
  })`)}`

const key = 'sk-test0123456789abcdef'

/** Between two looks at what there is to sum. */
const foldEveryMs = 2_000

/** Starts a gateway, uses it, stops it, and returns what it had loaded. */
async function toldAfter(use: (address: string) => Promise<void>) {
  await using upstream = await fakeUpstream((_seen, response) => {
    response.end(
      '{"id":"c","object":"chat.completion","created":1,"model":"m","choices":[{"index":0,"message":{"role":"assistant","content":"Hi"},"finish_reason":"stop"}]}',
    )
  })
  using folder = temporaryFolder()
  const sluice = startSluice(['serve'], {
    folder: folder.path,
    variables: {
      NODE_OPTIONS: `--import ${telling}`,
      SLUICE_PORT: '0',
      SLUICE_API_KEYS: key,
      OPENAI_API_KEY: 'k',
      OPENAI_BASE_URL: `${upstream.url}/v1`,
    },
  })
  const address = await until(() => /listens on (http:\S+)/.exec(sluice.output())?.[1], 20_000)
  await use(address)
  sluice.child.kill('SIGTERM')
  const { stderr } = await sluice.finished
  return JSON.parse(/^told (.*)$/m.exec(stderr)?.[1] ?? '') as unknown
}

test('an idle gateway loads no HTTP/2, TLS or fetch and has one thread', async () => {
  const told = await toldAfter(async () => {
    await new Promise((resolve) => setTimeout(resolve, 2 * foldEveryMs))
  })
  expect(told).toEqual({ threads: 0, modules: ['http'] })
}, 60_000)

test('two threads write and sum usage after a call', async () => {
  const told = await toldAfter(async (address) => {
    const answer = await fetch(`${address}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: '{"model":"openai/m","messages":[{"role":"user","content":"Hi"}]}',
    })
    expect(answer.status).toBe(200)
    await answer.json()
    await new Promise((resolve) => setTimeout(resolve, 2 * foldEveryMs))
  })
  expect(told).toMatchObject({ threads: 2, modules: ['http'] })
}, 60_000)
