// Polls a gateway's health endpoint on a separate thread, and measures the longest wait.
import { readFileSync } from 'node:fs'
import { Agent, get } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads'
import { crowding } from './processor-contention.ts'

export interface HealthAsker extends AsyncDisposable {
  /**
   * The longest wait since the last call of this function, in milliseconds, including that of a pending response. Where the
   * system reports it, this is the time that the gateway's main thread worked meanwhile, because other programs on the machine
   * also delay a response; and it is given as if no other program shared the core.
   */
  longest(): Promise<number>
}

/** The first runs find how fast the machine is when nothing else happens to share the core. */
const firstRuns = 100
const askedRuns = 10

interface Asked {
  readonly address: string
  readonly pid: number | undefined
}

/** Polls the gateway at an address; `pid` is its process. */
export async function askHealth(address: string, pid: number | undefined): Promise<HealthAsker> {
  const asked: Asked = { address, pid }
  const worker = new Worker(new URL(import.meta.url), { workerData: asked })
  worker.setMaxListeners(0)
  const next = () =>
    new Promise<number>((resolve, reject) => {
      worker.once('message', resolve)
      worker.once('error', reject)
    })
  await next()
  return {
    longest() {
      worker.postMessage('asked')
      return next()
    },
    async [Symbol.asyncDispose]() {
      await worker.terminate()
    },
  }
}

async function ask(address: string, agent: Agent): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    get(`${address}/healthz`, { agent }, (response) => {
      if (response.statusCode !== 200) reject(new Error(`Health: ${response.statusCode}`))
      response.resume().on('end', resolve)
    }).on('error', reject)
  })
}

/** How long the main thread of a process has worked, in milliseconds; undefined if the system does not report it. */
function workedMs(pid: number | undefined): number | undefined {
  if (process.platform !== 'linux' || pid === undefined) return undefined
  const [nanoseconds] = readFileSync(`/proc/${pid}/task/${pid}/schedstat`, 'utf8').split(' ')
  return Number(nanoseconds) / 1e6
}

async function run({ address, pid }: Asked): Promise<void> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  await ask(address, agent)
  crowding(firstRuns)
  let waitMs = 0
  let isAsked = false
  parentPort?.on('message', () => {
    isAsked = true
  })
  parentPort?.postMessage(0)
  for (;;) {
    const start = performance.now()
    const workedBefore = workedMs(pid)
    await ask(address, agent)
    const passedMs = performance.now() - start
    const worked = workedMs(pid)
    const isTold = worked !== undefined && workedBefore !== undefined
    waitMs = Math.max(waitMs, isTold ? Math.min(passedMs, worked - workedBefore) : passedMs)
    if (isAsked) {
      parentPort?.postMessage(waitMs / crowding(askedRuns))
      isAsked = false
      waitMs = 0
    }
    await sleep(5)
  }
}

if (!isMainThread) await run(workerData as Asked)
