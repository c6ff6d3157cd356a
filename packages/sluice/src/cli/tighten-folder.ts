import { chmodSync, readdirSync, statSync } from 'node:fs'

/** The files this program creates in its data folder. */
const ownNames = /^(?:sluice\.db(?:-wal|-shm)?|videos|initial-keys\.json(?:\.\d+)?)$/

/**
 * Restricts an existing data folder to its owner. A folder with other files may need to be readable by others; in that case,
 * or if the mode cannot be changed, `warn` is called instead.
 */
export function tightenFolder(folder: string, warn: (message: string) => void): void {
  // Windows has a different permission model.
  if (process.platform === 'win32') return
  const { mode } = statSync(folder)
  if ((mode & 0o077) === 0) return
  const open = `The data folder ${folder} may be read by others (mode ${(mode & 0o777).toString(8)})`
  const isOwn = readdirSync(folder).every((name) => ownNames.test(name))
  if (!isOwn || (mode & 0o1000) !== 0) {
    warn(`${open}, and is left so since it holds other files: chmod 700 it, or use another`)
    return
  }
  try {
    chmodSync(folder, 0o700)
  } catch (error) {
    warn(`${open}, and this cannot be changed: ${error instanceof Error ? error.message : ''}`)
  }
}
