import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'

export interface GatewayProcess extends AsyncDisposable {
  readonly child: ChildProcess
  readonly url: string
  /** What it and its workers have written to stderr. */
  readonly complaints: () => string
}

/** A gateway in a process of its own, of the bundle, once it listens. Disposing kills it, if it has not ended before. */
export async function startGateway(env: NodeJS.ProcessEnv): Promise<GatewayProcess> {
  const main = join(import.meta.dirname, '../../bin/sluice.cjs')
  const child = spawn(process.execPath, [main, 'serve'], {
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const closed = once(child, 'close')
  const end = async () => {
    child.kill('SIGKILL')
    await closed
  }
  let output = ''
  let complaints = ''
  child.stderr.on('data', (piece: Buffer) => (complaints += piece.toString()))
  child.stdout.on('data', (piece: Buffer) => (output += piece.toString()))
  while (child.exitCode === null) {
    const [, url] = /listens on (http:[^\s"]+)/.exec(output) ?? []
    if (url !== undefined)
      return { child, url, complaints: () => complaints, [Symbol.asyncDispose]: end }
    await pause(20)
  }
  throw new Error(`The gateway did not start: ${output}${complaints}`)
}
