import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { npmEnvironment, quiet, root, runProgram } from './npm.ts'

/** A folder for packages that only tests need and that are in no package.json; installed packages are kept for the next run. */
export function installedFolder(name: string): string {
  const folder = join(root, 'node_modules/.cache', name)
  mkdirSync(folder, { recursive: true })
  return folder
}

/** Installs exactly these npm packages into the folder, without running their scripts. Rejects if they are not available. */
export async function installNpm(
  folder: string,
  dependencies: Readonly<Record<string, string>>,
): Promise<void> {
  const wanted = JSON.stringify({ private: true, type: 'module', dependencies })
  await installOnce(join(folder, 'npm-complete'), wanted, async () => {
    writeFileSync(join(folder, 'package.json'), wanted)
    const args = ['install', '--no-package-lock', '--ignore-scripts', ...quiet]
    await runProgram('npm', args, { folder, env: npmEnvironment() })
  })
}

/** Runs the installation unless the marker file says that the same was installed before. */
export async function installOnce(
  mark: string,
  wanted: string,
  install: () => Promise<void>,
): Promise<void> {
  if (existsSync(mark) && readFileSync(mark, 'utf8') === wanted) return
  await install()
  writeFileSync(mark, wanted)
}
