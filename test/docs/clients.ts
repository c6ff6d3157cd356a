import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { installedFolder, installNpm, installOnce } from '../support/installed.ts'
import { runProgram } from '../support/npm.ts'
import versions from './client-versions.json' with { type: 'json' }

/** What the pages use and this project does not. */
export const clients = installedFolder('docs-clients')

/** Installs the packages of npm. Rejects where they cannot be had. */
export function installJavaScript(): Promise<void> {
  return installNpm(clients, versions.npm)
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
  await installOnce(join(clients, `${name}-complete`), wanted, async () => {
    rmSync(folder, { recursive: true, force: true })
    const options = ['--quiet', '--no-input', '--retries=0', '--only-binary=:all:']
    const args = ['-m', 'pip', 'install', ...options, '--target', folder, wanted]
    const env = { ...process.env } as Readonly<Record<string, string>>
    await runProgram('python3', args, { folder: clients, env })
  })
  return { PYTHONPATH: folder }
}
