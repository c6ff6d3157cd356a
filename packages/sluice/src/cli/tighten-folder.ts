import { chmodSync, readdirSync, statSync } from 'node:fs'
import { reasonOf } from './command-error.ts'

interface Folder {
  /** In messages. */
  readonly what: string
  /** The names of what this program creates in it. */
  readonly own: RegExp
}

export const dataFolderNames: Folder = {
  what: 'data folder',
  own: /^(?:sluice\.db(?:-wal|-shm|\.before-\d+)?|videos|journal|warm-start|gateway\.lock|prices\.json|initial-keys\.json(?:\.\d+)?)$/,
}

export const journalNames: Folder = { what: 'journal', own: /\.journal(?:\.unreadable)?$/ }

/**
 * Restricts an existing folder to its owner. A folder with other files may need to be readable by others; in that case,
 * or if the mode cannot be changed, `warn` is called instead.
 */
export function tightenFolder(
  folder: string,
  { what, own }: Folder,
  warn: (message: string) => void,
): void {
  // Windows has a different permission model.
  if (process.platform === 'win32') return
  const found = statSync(folder, { throwIfNoEntry: false })
  if (!found || (found.mode & 0o077) === 0) return
  const { mode } = found
  const open = `The ${what} ${folder} may be read by others (mode ${(mode & 0o777).toString(8)})`
  const isOwn = readdirSync(folder).every((name) => own.test(name))
  if (!isOwn || (mode & 0o1000) !== 0) {
    warn(`${open}, and is left so since it holds other files: chmod 700 it, or use another`)
    return
  }
  try {
    chmodSync(folder, 0o700)
  } catch (error) {
    warn(`${open}, and this cannot be changed: ${reasonOf(error)}`)
  }
}
