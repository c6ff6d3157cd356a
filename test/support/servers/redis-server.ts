import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { connect, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'

/**
 * A separate Redis on a free port that writes every change to its log file before it responds. `appendfsync everysec` would not: it
 * postpones writing while a sync is in progress, so that the last changes are lost when it is killed.
 */
export interface RedisServer extends AsyncDisposable {
  readonly url: string
  /** Ends it with SIGKILL. */
  kill(): Promise<void>
  /** Removes all data while it runs. */
  empty(): Promise<void>
  /** Starts it again, with the data in its log file, or empty. */
  start(options?: { readonly empty?: boolean }): Promise<void>
}

/** Why tests that need Redis are skipped if neither a running nor an installed Redis is found. */
export const noRedis =
  'no Redis answers at 127.0.0.1:6379 and none is installed (apt-get install redis-server)'

const usualPort = 6379
const startMs = 60_000
/** A busy machine is slow to respond. */
const answerMs = 5_000

/** The URL of this machine's Redis, or of one started from the installed program; undefined if there is neither. */
export async function openTestRedis(): Promise<
  (Pick<RedisServer, 'url'> & AsyncDisposable) | undefined
> {
  if (await answers(usualPort))
    return { url: `redis://127.0.0.1:${usualPort}`, async [Symbol.asyncDispose]() {} }
  return openRedisServer()
}

/** Undefined if Redis is not installed. */
export async function openRedisServer(): Promise<RedisServer | undefined> {
  const program = installed()
  if (program === undefined) return undefined
  const folder = mkdtempSync(join(tmpdir(), 'sluice-redis-'))
  const port = await freePort()
  const settings = ['--save', '', '--appendonly', 'yes', '--appendfsync', 'always']
  let child: ChildProcess | undefined
  const kill = async (): Promise<void> => {
    if (!child || child.exitCode !== null || child.signalCode !== null) return
    const ended = once(child, 'exit')
    child.kill('SIGKILL')
    await ended
  }
  const start: RedisServer['start'] = async ({ empty = false } = {}) => {
    if (empty) rmSync(join(folder, 'appendonlydir'), { recursive: true, force: true })
    const place = ['--port', String(port), '--bind', '127.0.0.1', '--dir', folder]
    child = spawn(program, [...place, ...settings], { stdio: 'ignore', cwd: folder })
    const giveUpAt = performance.now() + startMs
    while (!(await answers(port))) {
      if (performance.now() > giveUpAt)
        throw new Error('The Redis that was started does not answer')
      await pause(10)
    }
  }
  await start()
  return {
    url: `redis://127.0.0.1:${port}`,
    kill,
    start,
    empty: async () => {
      if ((await said(port, 'FLUSHALL')) !== '+OK\r\n') throw new Error('Redis was not emptied')
    },
    async [Symbol.asyncDispose]() {
      await kill()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

export function isRedisInstalled(): boolean {
  return installed() !== undefined
}

function installed(): string | undefined {
  for (const program of ['redis-server', 'valkey-server'])
    try {
      execFileSync(program, ['--version'], { stdio: 'ignore' })
      return program
    } catch {
      // Try the next one.
    }
  return undefined
}

/** A port outside the range used for outgoing connections: it must still be free when the server is started again. */
async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(20_000, 32_000)
    const server = createServer().listen(port, '127.0.0.1')
    const isFree = await once(server, 'listening').then(
      () => true,
      () => false,
    )
    await new Promise((resolve) => server.close(resolve))
    if (isFree) return port
  }
}

/** Whether a Redis that has loaded its data responds at this port. */
async function answers(port: number): Promise<boolean> {
  const reply = await said(port, 'PING').catch(() => '')
  return reply.startsWith('+PONG')
}

/** The beginning of the reply to an inline command. */
async function said(port: number, command: string): Promise<string> {
  const socket = connect(port, '127.0.0.1')
  try {
    await once(socket, 'connect')
    socket.setTimeout(answerMs, () => socket.destroy(new Error('no answer')))
    socket.write(`${command}\r\n`)
    const [reply] = (await once(socket, 'data')) as [Buffer]
    return reply.toString('latin1')
  } finally {
    socket.destroy()
  }
}
