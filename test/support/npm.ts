import { execFile } from 'node:child_process'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { expect, type TestContext } from 'vitest'

export const root = join(import.meta.dirname, '../..')

/** Runs a program to its end. Rejects with what it wrote when it fails. */
export async function runProgram(
  command: readonly [string, ...string[]],
  options: { readonly folder: string; readonly env: Readonly<Record<string, string>> },
): Promise<string> {
  const [program, ...args] = command
  const { stdout } = await promisify(execFile)(program, args, {
    cwd: options.folder,
    env: options.env,
    maxBuffer: 64 * 1024 * 1024,
  })
  return stdout
}

/** What npm needs to know, and nothing that an npm around this test has set for itself. */
export function npmEnvironment(further: Readonly<Record<string, string>> = {}) {
  const kept = Object.entries(process.env).flatMap(([name, value]) =>
    /^(?:PATH|HOME|https?_proxy|no_proxy|NODE_EXTRA_CA_CERTS)$/i.test(name) && value !== undefined
      ? [[name, value] as const]
      : [],
  )
  return { ...Object.fromEntries(kept), npm_config_update_notifier: 'false', ...further }
}

/**
 * The folder of a `node` of exactly this version, from the same packages that bring the gateway its own. It is kept in
 * node_modules/.cache for the next run. Rejects where npm cannot fetch it.
 */
export async function nodeFolder(version: string): Promise<string> {
  const name = `node-${process.platform}-${process.arch}`
  const folder = join(root, 'node_modules/.cache/test-nodes', version)
  const bin = join(folder, 'node_modules', name, 'bin')
  if (existsSync(join(folder, 'complete'))) return bin
  mkdirSync(folder, { recursive: true })
  await runProgram(
    ['npm', 'install', '--prefix', folder, ...quiet, '--no-save', `${name}@${version}`],
    { folder, env: npmEnvironment() },
  )
  writeFileSync(join(folder, 'complete'), '')
  return bin
}

export const quiet = ['--no-audit', '--no-fund', '--loglevel=error', '--fetch-retries=1'] as const

/** Whether packages can be had at all. */
export async function isRegistryReachable(): Promise<boolean> {
  try {
    await runProgram(['npm', 'view', 'sharp', 'version', '--fetch-retries=0'], {
      folder: root,
      env: npmEnvironment(),
    })
    return true
  } catch {
    return false
  }
}

/** Says that a test is left out and why. Where every check must have run (CI=true) that is a failure. */
export function leaveOutInstallation(context: TestContext): void {
  const reason = 'left out: the npm registry cannot be reached'
  if (process.env['CI']) expect.fail(reason)
  console.warn(`${context.task.name}: ${reason}`)
  context.skip(reason)
}

export const nodeOfThisTest = dirname(process.execPath)
