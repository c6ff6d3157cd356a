import { execFile } from 'node:child_process'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, type TestContext } from 'vitest'

export const root = join(import.meta.dirname, '../..')

export interface Surroundings {
  readonly folder: string
  readonly env: Readonly<Record<string, string>>
}

/** Runs a program to its end and returns its standard output. Rejects if it fails. */
export async function runProgram(
  program: string,
  args: readonly string[],
  { folder, env }: Surroundings,
): Promise<string> {
  const { stdout } = await promisify(execFile)(program, args, {
    cwd: folder,
    env,
    maxBuffer: 64 * 1024 * 1024,
  })
  return stdout
}

const needed =
  /^(?:PATH|HOME|https?_proxy|no_proxy|NODE_EXTRA_CA_CERTS|npm_config_(?:registry|cache|userconfig))$/i

/**
 * The environment that npm needs, without the variables set by an npm that runs this test. `first` is put at the start of the
 * PATH.
 */
export function npmEnvironment(first?: string): Readonly<Record<string, string>> {
  const kept: Record<string, string> = { npm_config_update_notifier: 'false' }
  for (const [name, value] of Object.entries(process.env))
    if (needed.test(name) && value !== undefined) kept[name] = value
  return first === undefined ? kept : { ...kept, PATH: `${first}:${kept['PATH']}` }
}

export const quiet = ['--no-audit', '--no-fund', '--loglevel=error', '--prefer-offline'] as const

/**
 * The folder of a `node` of exactly this version, from the packages with which the gateway brings its own Node. It stays in
 * node_modules/.cache for the next run. Rejects if npm cannot fetch it.
 */
export async function nodeFolder(version: string): Promise<string> {
  const name = `node-${process.platform}-${process.arch}`
  const folder = join(root, 'node_modules/.cache/test-nodes', version)
  const complete = join(folder, 'complete')
  if (!existsSync(complete)) {
    mkdirSync(folder, { recursive: true })
    const args = ['install', '--prefix', folder, '--no-save', ...quiet, `${name}@${version}`]
    await runProgram('npm', args, { folder, env: npmEnvironment() })
    writeFileSync(complete, '')
  }
  return join(folder, 'node_modules', name, 'bin')
}

export async function isRegistryReachable(): Promise<boolean> {
  const args = ['view', 'sharp', 'version', '--fetch-retries=0', '--prefer-online']
  return runProgram('npm', args, { folder: root, env: npmEnvironment() }).then(
    () => true,
    () => false,
  )
}

/** Reports that a test is skipped and why. If every check must run (CI=true), it fails instead. */
export function leaveOutInstallation(context: TestContext): void {
  const reason = 'left out: the npm registry cannot be reached'
  if (process.env['CI']) expect.fail(reason)
  console.warn(`${context.task.name}: ${reason}`)
  context.skip(reason)
}
