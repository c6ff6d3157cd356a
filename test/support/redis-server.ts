import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { connect, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'

/** A Redis of its own, on a free port, that writes down what it is told before it answers. */
export interface RedisServer extends AsyncDisposable {
  readonly url: string
  /** Ends it with SIGKILL. */
  kill(): Promise<void>
  /** Starts it again, with what it had written down, or empty. */
  start(options?: { readonly empty?: boolean }): Promise<void>
}

/** Why tests that need Redis are left out where neither of both is there. */
export const noRedis =
  'no Redis answers at 127.0.0.1:6379 and none is installed (apt-get install redis-server)'

const usualPort = 6379
const startMs = 60_000
/** A machine that runs much else besides is slow to answer. */
const answerMs = 5_000

/** The URL of this machine's Redis, or of one that is started from the installed program; undefined where there is none. */
export async function openTestRedis(): Promise<
  (Pick<RedisServer, 'url'> & AsyncDisposable) | undefined
> {
  if (await answers(usualPort))
    return { url: `redis://127.0.0.1:${usualPort}`, async [Symbol.asyncDispose]() {} }
  return openRedisServer()
}

/** Undefined where Redis is not installed. */
export async function openRedisServer(): Promise<RedisServer | undefined> {
  const program = installed()
  if (program === undefined) return undefined
  const folder = mkdtempSync(join(tmpdir(), 'sluice-redis-'))
  const port = await freePort()
  const settings = ['--save', '', '--appendonly', 'yes', '--appendfsync', 'everysec']
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
      // The next one.
    }
  return undefined
}

/** None of those that connections are made from: it must be free still when it is started again. */
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

/** Whether something there answers as Redis does, and has read what it had written down. */
async function answers(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1')
  try {
    await once(socket, 'connect')
    socket.setTimeout(answerMs, () => socket.destroy(new Error('no answer')))
    socket.write('PING\r\n')
    const [reply] = (await once(socket, 'data')) as [Buffer]
    return reply.toString('latin1').startsWith('+PONG')
  } catch {
    return false
  } finally {
    socket.destroy()
  }
}
