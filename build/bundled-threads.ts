import { hash } from 'node:crypto'
import { existsSync, mkdirSync, renameSync, writeFileSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { rolldown } from 'rolldown'

/** `new URL('./file-entry.ts', import.meta.url)`: how our sources name the code of a thread. */
const entries = /new URL\(\s*'(\.\/[\w-]+-entry\.ts)',\s*import\.meta\.url,?\s*\)/g

const folder = join(import.meta.dirname, '../node_modules/.cache/threads')

/**
 * A plugin for tests that lets threads run the code of their entry as one module. From the sources, each thread would load a
 * hundred modules, which takes a second of processor time, and a test starts several of them.
 */
export function bundledThreads() {
  const files = new Map<string, Promise<string>>()
  const fileOf = (entry: string): Promise<string> => {
    const known = files.get(entry) ?? bundled(entry)
    files.set(entry, known)
    return known
  }
  return {
    name: 'bundled-threads',
    enforce: 'pre' as const,
    async transform(code: string, id: string): Promise<string | undefined> {
      const found = [...code.matchAll(entries)]
      if (found.length === 0 || id.includes('node_modules')) return undefined
      let changed = code
      for (const [whole, entry = ''] of found) {
        const file = await fileOf(resolve(dirname(id), entry))
        changed = changed.replace(whole, () => `new URL('${pathToFileURL(file).href}')`)
      }
      return changed
    },
  }
}

/** Named by its content, because other processes may use what they made of older sources. */
async function bundled(entry: string): Promise<string> {
  await using build = await rolldown({ input: entry, platform: 'node' })
  const { output } = await build.generate({ codeSplitting: false })
  const [{ code }] = output
  const file = join(folder, `${basename(entry, '.ts')}-${hash('sha256', code).slice(0, 16)}.mjs`)
  if (existsSync(file)) return file
  mkdirSync(folder, { recursive: true })
  const draft = `${file}.${process.pid}`
  writeFileSync(draft, code)
  renameSync(draft, file)
  return file
}
