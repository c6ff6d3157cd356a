import { type ChildProcess, spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { ensureBundle } from '../../build/checkout.cjs'

// Before the first process starts, so that none of them has to build and report it. If several test files get here at the same
// time, one of them builds and the others wait for it.
if (!ensureBundle()) throw new Error('There is no bundle to test')

export const main = fileURLToPath(new URL('../../bin/sluice.cjs', import.meta.url))

export interface Finished {
  readonly exitCode: number | null
  readonly stdout: string
  readonly stderr: string
}

/** Runs the command line in a separate process, in `folder` and with only `variables` in its environment. */
export function startSluice(
  args: readonly string[],
  options: { readonly folder: string; readonly variables?: Readonly<Record<string, string>> },
): {
  readonly child: ChildProcess
  readonly output: () => string
  readonly finished: Promise<Finished>
} {
  const child = spawn(process.execPath, [main, ...args], {
    cwd: options.folder,
    env: { PATH: process.env['PATH'] ?? '', ...options.variables },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let stdout = ''
  let stderr = ''
  child.stdout.on('data', (piece: Buffer) => {
    stdout += piece.toString()
  })
  child.stderr.on('data', (piece: Buffer) => {
    stderr += piece.toString()
  })
  const finished = new Promise<Finished>((resolve, reject) => {
    child.on('error', reject)
    child.on('close', (exitCode) => resolve({ exitCode, stdout, stderr }))
  })
  return { child, output: () => stdout, finished }
}

export function runSluice(
  args: readonly string[],
  options: { readonly folder: string; readonly variables?: Readonly<Record<string, string>> },
): Promise<Finished> {
  return startSluice(args, options).finished
}
