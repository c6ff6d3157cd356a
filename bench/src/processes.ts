import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, openSync } from 'node:fs'
import { type AddressInfo, connect, createServer } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'

/** Which core runs what. Both undefined where processes cannot be pinned. */
export interface Cores {
  readonly gateway: number | undefined
  /** The stub and the load client. */
  readonly load: number | undefined
  /** All that may be used, that of the load last. */
  readonly all: readonly number[]
}

/** Two cores of those this process may use, and itself moved to the second. */
export function takeCores(): Cores {
  const shown = spawnSync('taskset', ['-cp', String(process.pid)], { encoding: 'utf8' })
  const [gateway, load, ...others] = coresIn(shown.stdout ?? '')
  if (gateway === undefined || load === undefined)
    return { gateway: undefined, load: undefined, all: [] }
  pin(process.pid, load)
  return { gateway, load, all: [gateway, ...others, load] }
}

/** The cores in what `taskset -cp` prints, such as `pid 7's current affinity list: 0,2-3`. */
export function coresIn(text: string): readonly number[] {
  const list = text.slice(text.lastIndexOf(':') + 1).trim()
  if (!/^\d/.test(list)) return []
  return list.split(',').flatMap((part) => {
    const [from = 0, to = from] = part.split('-').map(Number)
    return Array.from({ length: to - from + 1 }, (_, index) => from + index)
  })
}

export interface Start {
  readonly command: readonly [string, ...string[]]
  readonly core: number | undefined
  /** Added to a nearly empty environment, so that keys and proxies of the user's shell change nothing. */
  readonly environment?: Readonly<Record<string, string>>
  readonly folder?: string
  /** Standard output and error go there, as with a deployment. Default: standard output is a pipe. */
  readonly outputFile?: string
}

export interface Running extends AsyncDisposable {
  readonly pid: number
  readonly child: ChildProcess
}

/** Starts a process on its core. Disposing stops it. */
export function start({ command, core, environment, folder, outputFile }: Start): Running {
  const [program, ...args] = core === undefined ? command : ['taskset', '-c', `${core}`, ...command]
  const output = outputFile === undefined ? undefined : openSync(outputFile, 'a')
  const child = spawn(program ?? '', args, {
    cwd: folder,
    env: { PATH: process.env['PATH'], HOME: process.env['HOME'], ...environment },
    stdio: ['ignore', output ?? 'pipe', output ?? 'inherit'],
  })
  if (output !== undefined) closeSync(output)
  // taskset replaces itself by the command, so this is the process that is measured.
  if (child.pid === undefined) throw new Error(`${command[0]} cannot be started`)
  return {
    pid: child.pid,
    child,
    async [Symbol.asyncDispose]() {
      if (child.exitCode !== null || child.signalCode !== null) return
      const exited = once(child, 'exit')
      child.kill('SIGTERM')
      const killer = setTimeout(() => child.kill('SIGKILL'), stopMs)
      await exited
      clearTimeout(killer)
    },
  }
}

const stopMs = 15_000

/** Moves a running process with all its threads to a core. */
export function pin(pid: number, core: number): void {
  spawnSync('taskset', ['-acp', String(core), String(pid)])
}

/** A port that was free a moment ago. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}

const readyMsMax = 60_000

/** Waits until something accepts connections on the port. Throws when the process ends before. */
export async function untilListening(port: number, { child }: Running): Promise<void> {
  const endsAt = performance.now() + readyMsMax
  while (!(await accepts(port))) {
    if (child.exitCode !== null) throw new Error(`It ended with code ${child.exitCode}`)
    if (performance.now() > endsAt) throw new Error(`It does not listen on port ${port}`)
    await pause(2)
  }
}

function accepts(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host: '127.0.0.1', port })
    socket.on('connect', () => {
      socket.destroy()
      resolve(true)
    })
    socket.on('error', () => resolve(false))
  })
}
