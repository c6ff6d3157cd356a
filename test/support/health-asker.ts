// Asks a gateway whether it is there, again and again, on a thread of its own: how long did it wait at most?
import { Agent, get } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads'

export interface HealthAsker extends AsyncDisposable {
  /** The longest wait since the last time it was asked for, in milliseconds, and how many answers came. */
  longest(): Promise<{ readonly waitMs: number; readonly answers: number }>
}

export async function askHealth(address: string): Promise<HealthAsker> {
  const worker = new Worker(new URL(import.meta.url), { workerData: address })
  worker.setMaxListeners(0)
  const next = () =>
    new Promise<{ waitMs: number; answers: number }>((resolve, reject) => {
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

async function run(address: string): Promise<void> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  await ask(address, agent)
  let waitMs = 0
  let answers = 0
  let isAsked = false
  const tell = (): void => {
    // Where nothing was answered meanwhile, the next answer says how long it took.
    if (!isAsked || answers === 0) return
    parentPort?.postMessage({ waitMs, answers })
    isAsked = false
    waitMs = 0
    answers = 0
  }
  parentPort?.on('message', () => {
    isAsked = true
    tell()
  })
  parentPort?.postMessage('ready')
  for (;;) {
    const start = performance.now()
    await ask(address, agent)
    waitMs = Math.max(waitMs, performance.now() - start)
    answers += 1
    tell()
    await sleep(5)
  }
}

if (!isMainThread && typeof workerData === 'string') await run(workerData)
