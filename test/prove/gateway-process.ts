import { type ChildProcess, spawn } from 'node:child_process'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'

/** A gateway in a process of its own, of the bundle, once it listens. */
export async function startGateway(
  env: NodeJS.ProcessEnv,
): Promise<{ readonly child: ChildProcess; readonly url: string }> {
  const main = join(import.meta.dirname, '../../bin/sluice.cjs')
  const child = spawn(process.execPath, [main, 'serve'], {
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let output = ''
  child.stdout.on('data', (piece: Buffer) => (output += piece.toString()))
  while (child.exitCode === null) {
    const [, url] = /listens on (http:[^\s"]+)/.exec(output) ?? []
    if (url !== undefined) return { child, url }
    await pause(20)
  }
  throw new Error(`The gateway did not start: ${output}`)
}
