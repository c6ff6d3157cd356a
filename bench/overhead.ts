// What a request costs the gateway, in processor time: `node bench/overhead.ts [requests]`. Figures of one run can be
// compared with each other; other machines and other moments give others.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface, type Interface } from 'node:readline'
import { Pool } from 'undici'

const requests = Number(process.argv[2] ?? 4_000)
const connections = 32

interface Child {
  readonly process: ChildProcess
  readonly lines: AsyncIterator<string>
}

function start(file: string, ...args: string[]): Child {
  const child = spawn(process.execPath, [join(import.meta.dirname, file), ...args], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const lines: Interface = createInterface({ input: child.stdout })
  return { process: child, lines: lines[Symbol.asyncIterator]() }
}

async function line({ lines }: Child): Promise<string> {
  const { value } = await lines.next()
  return String(value)
}

async function usage(child: Child): Promise<{ cpu: number; memory: number }> {
  child.process.stdin?.write('cpu\n')
  const [cpu = 0, memory = 0] = (await line(child)).split(' ').map(Number)
  return { cpu, memory }
}

const message = 'word '.repeat(380)
const chat = (further: object) =>
  JSON.stringify({ model: 'bench/m', messages: [{ role: 'user', content: message }], ...further })
const messages = (further: object) =>
  JSON.stringify({
    model: 'bench/m',
    max_tokens: 100,
    messages: [{ role: 'user', content: message }],
    ...further,
  })

const cases = [
  ['chat, bytes passed', '/v1/chat/completions', chat({})],
  ['chat stream of 50 events, bytes passed', '/v1/chat/completions', chat({ stream: true })],
  ['messages, translated', '/v1/messages', messages({})],
  ['messages stream of 50 events, translated', '/v1/messages', messages({ stream: true })],
] as const

const upstream = start('upstream.ts')
const gateway = start('gateway.ts', `http://127.0.0.1:${await line(upstream)}`)
const pool = new Pool(`http://127.0.0.1:${await line(gateway)}`, { connections })

async function load(path: string, body: string, count: number): Promise<void> {
  let left = count
  await Promise.all(
    Array.from({ length: connections }, async () => {
      while (left-- > 0) {
        const answer = await pool.request({
          method: 'POST',
          path,
          body,
          headers: {
            authorization: 'Bearer sk-bench0123456789',
            'content-type': 'application/json',
          },
        })
        if (answer.statusCode !== 200) throw new Error(await answer.body.text())
        await answer.body.dump()
      }
    }),
  )
}

for (const [, path, body] of cases) await load(path, body, Math.ceil(requests / 4))
for (const [name, path, body] of cases) {
  const before = await usage(gateway)
  await load(path, body, requests)
  const after = await usage(gateway)
  const each = (after.cpu - before.cpu) / requests
  const memory = Math.round(after.memory / 1024 / 1024)
  process.stdout.write(`${name}: ${each.toFixed(0)} µs of processor time a request, ${memory} MB\n`)
}
await pool.close()
gateway.process.stdin?.end()
upstream.process.kill()
await once(gateway.process, 'exit')
