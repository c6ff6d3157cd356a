import { type FSWatcher, readFileSync, watch } from 'node:fs'
import { basename, dirname } from 'node:path'

export interface WatchOptions {
  /** Called after the file's text changed, one call at a time. What it throws goes to `failed`. */
  readonly apply: () => Promise<void> | void
  /** Told why a change was not applied. */
  readonly failed: (error: unknown) => void
  /** How long the file must be quiet: editors write in several steps. Default 100 ms. */
  readonly quietMs?: number
  /** How often the file is read anyway, for file systems that tell nothing. Default 2,000 ms. */
  readonly pollMs?: number
}

/**
 * Watches the settings file until disposed. The file may be absent, appear, vanish, or be replaced by renaming another
 * one onto it, as editors and configuration maps do; therefore the folder is watched, not the file.
 */
export function watchConfig(file: string, options: WatchOptions): Disposable {
  const { apply, failed, quietMs = 100, pollMs = 2_000 } = options
  let seen = textOf(file)
  let running = false
  let quiet: NodeJS.Timeout | undefined

  async function look(): Promise<void> {
    const text = textOf(file)
    if (running || text === seen) return
    running = true
    seen = text
    try {
      await apply()
    } catch (error) {
      failed(error)
    } finally {
      running = false
    }
    // The file may have changed again meanwhile; without a change this ends here.
    await look()
  }

  function lookSoon(): void {
    clearTimeout(quiet)
    quiet = setTimeout(() => void look(), quietMs).unref()
  }

  const watcher = watchFolder(file, lookSoon)
  const poll = setInterval(() => {
    if (textOf(file) !== seen) lookSoon()
  }, pollMs).unref()

  return {
    [Symbol.dispose]() {
      watcher?.close()
      clearInterval(poll)
      clearTimeout(quiet)
    },
  }
}

function watchFolder(file: string, changed: () => void): FSWatcher | undefined {
  try {
    const watcher = watch(dirname(file), { persistent: false }, (_event, name) => {
      if (name === null || name === basename(file)) changed()
    })
    // What watching misses, reading now and then finds.
    watcher.on('error', () => watcher.close())
    return watcher
  } catch {
    return undefined
  }
}

function textOf(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return undefined
  }
}
