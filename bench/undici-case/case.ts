// What a proxy costs with different versions of undici. Nothing of this project is used: it can be run anywhere with Node 24 on
// Linux. `node case.ts 7.30.2 8.12.4`, or `node case.ts --dispatch …` for dispatch() instead of request().
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { Agent, createServer, request as ask } from 'node:http'
import type { AddressInfo, Server } from 'node:net'
import { join } from 'node:path'

const folder = join(import.meta.dirname, '../node_modules/.undici-versions')
const callers = 64
const requestsPerBurst = 150
const bursts = 40
const warmRequests = 10_000
const reply = Buffer.from(JSON.stringify({ text: 'word '.repeat(400) }))
const body = Buffer.from(JSON.stringify({ text: 'word '.repeat(380) }))

async function listen(server: Server): Promise<number> {
  await once(server.listen(0, '127.0.0.1', 4096), 'listening')
  // A server that listens on a port has an AddressInfo.
  return (server.address() as AddressInfo).port
}

async function proxy(version: string, upstream: string, kind: string): Promise<void> {
  const undici = await import(join(folder, 'node_modules', `undici-${version}`, 'index.js'))
  const agent = new undici.Agent({ keepAliveTimeout: 60_000, headersTimeout: 0, bodyTimeout: 0 })
  const server = createServer((incoming, response) => {
    const pieces: Buffer[] = []
    incoming.on('data', (piece: Buffer) => pieces.push(piece))
    incoming.on('end', () => {
      const headers = { 'content-type': 'application/json' }
      const options = { method: 'POST', headers, body: Buffer.concat(pieces) }
      if (kind === 'request')
        undici
          .request(`${upstream}/`, { ...options, dispatcher: agent })
          .then((answer: { statusCode: number; headers: object; body: NodeJS.ReadableStream }) => {
            response.writeHead(answer.statusCode, { ...answer.headers })
            answer.body.pipe(response)
          })
      else
        agent.dispatch(
          { ...options, origin: upstream, path: '/' },
          {
            onRequestStart() {},
            onResponseStart: (_controller: unknown, status: number, head: object) =>
              response.writeHead(status, { ...head }),
            onResponseData: (_controller: unknown, piece: Buffer) => response.write(piece),
            onResponseEnd: () => response.end(),
            onResponseError: () => response.destroy(),
          },
        )
    })
  })
  process.stdout.write(`port ${await listen(server)}\n`)
}

class Measured {
  readonly version: string
  readonly process: ChildProcess
  readonly us: number[] = []
  port = 0
  scavenges = 0
  fullCollections = 0

  constructor(version: string, process: ChildProcess) {
    this.version = version
    this.process = process
  }

  read(line: string): void {
    if (line.startsWith('port ')) this.port = Number(line.slice(5))
    if (line.includes('Scavenge')) this.scavenges += 1
    if (line.includes('Mark-Compact')) this.fullCollections += 1
  }

  cpuUs(): number {
    const tasks = `/proc/${this.process.pid}/task`
    return readdirSync(tasks).reduce((sum, task) => {
      const [ns] = readFileSync(`${tasks}/${task}/schedstat`, 'utf8').split(' ')
      return sum + Number(ns) / 1000
    }, 0)
  }

  memoryMb(): number {
    const status = readFileSync(`/proc/${this.process.pid}/status`, 'utf8')
    return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1024
  }
}

async function begin(version: string, upstream: string, kind: string): Promise<Measured> {
  const args = [
    ...process.execArgv,
    '--trace-gc',
    import.meta.filename,
    'proxy',
    version,
    upstream,
    kind,
  ]
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
  const measured = new Measured(version, child)
  let rest = ''
  child.stdout.on('data', (piece: Buffer) => {
    const lines = (rest + String(piece)).split('\n')
    rest = lines.pop() ?? ''
    for (const line of lines) measured.read(line)
  })
  while (measured.port === 0) await once(child.stdout, 'data')
  return measured
}

async function load(port: number, requests: number): Promise<void> {
  const agent = new Agent({ keepAlive: true, maxSockets: callers })
  let left = requests
  const one = () =>
    new Promise<void>((resolve, reject) => {
      const sent = ask({ port, host: '127.0.0.1', method: 'POST', path: '/', agent }, (answer) => {
        answer.resume()
        answer.on('end', resolve)
      })
      sent.on('error', reject)
      sent.end(body)
    })
  const caller = async () => {
    while (left-- > 0) await one()
  }
  await Promise.all(Array.from({ length: callers }, caller))
  agent.destroy()
}

async function compare(versions: readonly string[], kind: string): Promise<void> {
  mkdirSync(folder, { recursive: true })
  const packages = versions.map((version) => `undici-${version}@npm:undici@${version}`)
  const install = ['install', '--prefix', folder, '--no-audit', '--no-fund', ...packages]
  if (spawnSync('npm', install, { stdio: 'inherit' }).status !== 0) return
  const upstream = createServer((incoming, response) => {
    incoming.resume()
    incoming.on('end', () => {
      response.writeHead(200, [
        'content-type',
        'application/json',
        'content-length',
        `${reply.length}`,
      ])
      response.end(reply)
    })
  })
  const address = `http://127.0.0.1:${await listen(upstream)}`
  const all: Measured[] = []
  for (const version of versions) all.push(await begin(version, address, kind))
  for (const { port } of all) await load(port, warmRequests)
  for (let round = 0; round < bursts; round += 1)
    for (const measured of all) {
      const before = measured.cpuUs()
      await load(measured.port, requestsPerBurst)
      measured.us.push((measured.cpuUs() - before) / requestsPerBurst)
    }
  const requests = warmRequests + bursts * requestsPerBurst
  console.info(
    `${kind}(), Node ${process.version}, ${requests} requests each, µs of processor time`,
  )
  for (const measured of all) {
    const sorted = measured.us.toSorted((one, other) => one - other)
    const at = (share: number) => sorted[Math.floor(share * (bursts - 1))]?.toFixed(0)
    console.info(
      `${measured.version}: 10th percentile ${at(0.1)}, median ${at(0.5)}; ${measured.memoryMb().toFixed(0)} MB; ${measured.scavenges} scavenges, ${measured.fullCollections} full collections`,
    )
    measured.process.kill()
  }
  upstream.close()
  upstream.closeAllConnections()
}

const [command = '', ...others] = process.argv.slice(2)
if (command === 'proxy') await proxy(others[0] ?? '', others[1] ?? '', others[2] ?? '')
else if (command === '--dispatch') await compare(others, 'dispatch')
else await compare([command, ...others], 'request')
