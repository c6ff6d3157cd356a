import { chmodSync, readdirSync, statSync } from 'node:fs'

/** What this program makes in its data folder. */
const ownNames = /^(?:sluice\.db(?:-wal|-shm)?|videos|initial-keys\.json(?:\.\d+)?)$/

/**
 * Takes an existing data folder away from everybody but its owner. A folder that holds other things too may have to be
 * read by others; then, or where it may not be changed, `warn` is told instead.
 */
export function tightenFolder(folder: string, warn: (message: string) => void): void {
  // Windows has other rights than these.
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
