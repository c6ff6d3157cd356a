import { mkdirSync, statSync } from 'node:fs'
import { dirname } from 'node:path'

/**
 * Creates a folder and its missing parents, all with the mode; does nothing if it exists. Default mode: 0o777 less the process's
 * umask. Node's own `recursive` option hangs below /proc, where nothing can be created.
 *
 * @throws Error if it cannot be created, or is a file.
 */
export function makeFolder(folder: string, mode?: number): void {
  const missing: string[] = []
  for (let path = folder; !exists(path); path = dirname(path)) missing.unshift(path)
  for (const path of missing) makeOne(path, mode)
  if (!statSync(folder).isDirectory()) throw new Error('it is not a directory')
}

function makeOne(path: string, mode: number | undefined): void {
  try {
    mkdirSync(path, { ...(mode !== undefined && { mode }) })
  } catch (thrown) {
    // Another process may have created it first.
    if (!exists(path)) throw thrown
  }
}

function exists(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false }) !== undefined
}
