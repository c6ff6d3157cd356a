import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { npmEnvironment, quiet, root, runProgram } from '../support/npm.ts'
import versions from './client-versions.json' with { type: 'json' }

/** What the pages use and this project does not: installed here, and kept for the next run. */
export const clients = join(root, 'node_modules/.cache/docs-clients')

/** Installs the packages of npm. Rejects where they cannot be had. */
export async function installJavaScript(): Promise<void> {
  const wanted = JSON.stringify({ private: true, type: 'module', dependencies: versions.npm })
  await once('npm', wanted, async () => {
    writeFileSync(join(clients, 'package.json'), wanted)
    const args = ['install', '--no-package-lock', '--ignore-scripts', ...quiet]
    await runProgram('npm', args, { folder: clients, env: npmEnvironment() })
  })
}

/** The package of PyPI that a module is in. */
const packages: Readonly<Record<string, keyof typeof versions.pypi>> = {
  anthropic: 'anthropic',
  google: 'google-genai',
  langchain_openai: 'langchain-openai',
  openai: 'openai',
}

/**
 * Installs the package of PyPI that `module` is in, for `python3`, with what it needs and nothing else. Returns the variables
 * under which it is found. Rejects where it cannot be had.
 */
export async function installPython(module: string): Promise<Readonly<Record<string, string>>> {
  const name = packages[module]
  if (name === undefined) throw new Error(`No package is named for the module ${module}`)
  const folder = join(clients, 'python', name)
  const wanted = `${name}==${versions.pypi[name]}`
  await once(name, wanted, async () => {
    rmSync(folder, { recursive: true, force: true })
    const options = ['--quiet', '--no-input', '--retries=0', '--only-binary=:all:']
    const args = ['-m', 'pip', 'install', ...options, '--target', folder, wanted]
    const env = { ...process.env } as Readonly<Record<string, string>>
    await runProgram('python3', args, { folder: clients, env })
  })
  return { PYTHONPATH: folder }
}

/** Does it unless it was done with the same wishes before. */
async function once(name: string, wanted: string, install: () => Promise<void>): Promise<void> {
  mkdirSync(clients, { recursive: true })
  const mark = join(clients, `${name}-complete`)
  if (existsSync(mark) && readFileSync(mark, 'utf8') === wanted) return
  await install()
  writeFileSync(mark, wanted)
}
