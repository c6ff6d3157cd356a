import { existsSync, readFileSync, renameSync } from 'node:fs'
import { join } from 'node:path'
import { build } from 'rolldown'

const libraries = join(import.meta.dirname, '../node_modules')

/** The path of an installed library as one module, which loads faster than many. It is made once for each version. */
export async function bundledLibrary(name: string): Promise<string> {
  const manifest = readFileSync(join(libraries, name, 'package.json'), 'utf8')
  const { version }: { readonly version: string } = JSON.parse(manifest)
  const file = join(libraries, '.cache', name, `${version}.mjs`)
  if (existsSync(file)) return file
  const draft = `${file}.${process.pid}`
  await build({ input: name, cwd: libraries, platform: 'node', output: { file: draft } })
  // Another process may have made the same meanwhile.
  renameSync(draft, file)
  return file
}
