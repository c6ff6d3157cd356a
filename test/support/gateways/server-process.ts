import { type ChildProcess, spawn } from 'node:child_process'
import { createServer } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Surroundings } from '../npm.ts'

const soon = { timeout: 30_000, interval: 20 }

export interface ServerProcess extends AsyncDisposable {
  /** The started process; the gateway itself may be a child of it. */
  readonly child: ChildProcess
  readonly address: string
  readonly output: () => string
  /** Resolves when the started process and all processes that write to its output have ended. */
  readonly ended: Promise<{ readonly code: number | null; readonly signal: string | null }>
  /** Whether another program could listen on the gateway's port. */
  isPortFree(): Promise<boolean>
  post(path: string, body: object): Promise<Response>
}

/** Starts a program that leads to a running gateway, and waits until it listens on a free port. */
export async function startServer(
  program: string,
  args: readonly string[],
  { folder, env }: Surroundings,
): Promise<ServerProcess> {
  const child = spawn(program, args, {
    cwd: folder,
    env: { ...env, SLUICE_PORT: '0', SLUICE_API_KEYS: 'key', SLUICE_DATA: `${folder}/data` },
    stdio: ['ignore', 'pipe', 'pipe'],
    // A separate process group, so that all remaining processes can be ended reliably.
    detached: true,
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (piece: Buffer) => {
      output += piece.toString()
    })
  const ended = new Promise<{ code: number | null; signal: string | null }>((resolve, reject) => {
    child.on('error', reject)
    child.on('close', (code, signal) => resolve({ code, signal }))
  })
  const failed = ended.then(() => Promise.reject(new Error(`It ended: ${output}`)))
  const listening = listeningAddress(() => output)
  const started = await Promise.race([listening, failed])
  return {
    child,
    address: started,
    output: () => output,
    ended,
    isPortFree: () => canListen(Number(new URL(started).port)),
    post: (path, body) =>
      fetch(started + path, {
        method: 'POST',
        headers: { authorization: 'Bearer key', 'content-type': 'application/json' },
        body: JSON.stringify(body),
      }),
    async [Symbol.asyncDispose]() {
      try {
        if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL')
      } catch {
        // No process of the group is left.
      }
      await ended
    },
  }
}

/** Without Vitest, which is not available in a script. */
async function listeningAddress(output: () => string): Promise<string> {
  const end = Date.now() + soon.timeout
  for (;;) {
    const [, found] = /listens on (http:\S+)/.exec(output()) ?? []
    if (found !== undefined) return found
    if (Date.now() > end) throw new Error(`It does not listen: ${output()}`)
    await sleep(soon.interval)
  }
}

function canListen(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer()
    server.once('error', () => resolve(false))
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)))
  })
}
