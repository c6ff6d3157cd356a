import { type FSWatcher, readFileSync, statSync, watch } from 'node:fs'
import { basename, dirname } from 'node:path'

export interface WatchOptions {
  /** The text that is in effect; undefined if the file was absent when the settings were read. */
  readonly applied: string | undefined
  /**
   * Called with the file's text after a change, one call at a time. `isSettled` states that the file has not changed for
   * `settleMs`. To wait for that, `apply` returns `unsettled` and is called again. Errors it throws go to `failed`.
   */
  readonly apply: (text: string, isSettled: boolean) => Promise<Applied> | Applied
  /** Called when a change was not applied; called once with AbsentSettings while there is nothing to apply. */
  readonly failed: (error: unknown) => void
  /** How long the file must be unchanged, because editors write in several steps. Default 100 ms. */
  readonly quietMs?: number
  /** How long the file must be unchanged to be settled, because network copies arrive in pieces. Default 2,000 ms. */
  readonly settleMs?: number
  /** How often the file is read anyway, for file systems without notifications. Default 2,000 ms. */
  readonly pollMs?: number
}

type Applied = void | 'unsettled'

/** The file is missing or empty: a mistake, or a replacement in progress. */
export class AbsentSettings extends Error {
  override readonly name = 'AbsentSettings'
}

/**
 * Watches the settings file until disposed. The file may be absent, appear, vanish, or be replaced by renaming another one
 * onto it, as editors and Kubernetes ConfigMaps do. Therefore the folder is watched, not the file.
 */
export function watchConfig(file: string, options: WatchOptions): Disposable {
  const settings = new WatchedFile(file, options)
  const watcher = watchFolder(file, () => settings.lookSoon())
  // It may have changed since it was read.
  settings.poll()
  const poll = setInterval(() => settings.poll(), options.pollMs ?? 2_000).unref()
  return {
    [Symbol.dispose]() {
      watcher?.close()
      clearInterval(poll)
      settings[Symbol.dispose]()
    },
  }
}

interface Seen {
  readonly text: string
  /** Size and modification time. */
  readonly stamp: string
}

class WatchedFile implements Disposable {
  readonly #file: string
  readonly #options: Required<Omit<WatchOptions, 'applied' | 'pollMs'>>
  /** The text that was last applied or refused. */
  #applied: string | undefined
  /** The change that waits until it is settled. */
  #unsettled: Seen | undefined
  #isAbsenceReported = false
  #isRunning = false
  #isDisposed = false
  #quiet: NodeJS.Timeout | undefined
  #settle: NodeJS.Timeout | undefined

  constructor(file: string, options: WatchOptions) {
    this.#file = file
    this.#options = { quietMs: 100, settleMs: 2_000, ...options }
    this.#applied = options.applied
  }

  lookSoon(): void {
    clearTimeout(this.#quiet)
    this.#quiet = setTimeout(() => void this.#look(), this.#options.quietMs).unref()
  }

  poll(): void {
    const now = readSeen(this.#file)
    const isKnown = now
      ? now.text === this.#applied || this.#isWaitedFor(now)
      : this.#isAbsenceReported
    if (!isKnown) this.lookSoon()
  }

  async #look(): Promise<void> {
    if (this.#isRunning || this.#isDisposed) return
    const now = readSeen(this.#file)
    if (!now || isBlank(now.text)) return this.#keep(now)
    this.#isAbsenceReported = false
    if (now.text === this.#applied) return this.#stopWaiting()
    if (!this.#isWaitedFor(now)) await this.#apply(now, false)
  }

  async #apply(now: Seen, isSettled: boolean): Promise<void> {
    this.#isRunning = true
    this.#stopWaiting()
    try {
      if ((await this.#options.apply(now.text, isSettled)) === 'unsettled') this.#waitFor(now)
      else this.#applied = now.text
    } catch (error) {
      this.#applied = now.text
      this.#options.failed(error)
    } finally {
      this.#isRunning = false
    }
    // The file may have changed again meanwhile; otherwise this ends here.
    await this.#look()
  }

  /** Keeps the current settings while the file is empty. */
  #keep(now: Seen | undefined): void {
    this.#stopWaiting()
    if (this.#applied === undefined || isBlank(this.#applied)) {
      this.#applied = now?.text
      return
    }
    if (this.#isAbsenceReported) return
    this.#isAbsenceReported = true
    this.#options.failed(new AbsentSettings(now ? 'the file is empty' : 'there is no such file'))
  }

  #waitFor(now: Seen): void {
    this.#unsettled = now
    this.#settle = setTimeout(() => void this.#takeSettled(now), this.#options.settleMs).unref()
  }

  async #takeSettled(waited: Seen): Promise<void> {
    const now = readSeen(this.#file)
    this.#stopWaiting()
    await (now && isSame(now, waited) && !this.#isRunning ? this.#apply(now, true) : this.#look())
  }

  #isWaitedFor(now: Seen): boolean {
    return this.#unsettled !== undefined && isSame(now, this.#unsettled)
  }

  #stopWaiting(): void {
    clearTimeout(this.#settle)
    this.#unsettled = undefined
  }

  [Symbol.dispose](): void {
    this.#isDisposed = true
    clearTimeout(this.#quiet)
    this.#stopWaiting()
  }
}

function isSame(left: Seen, right: Seen): boolean {
  return left.text === right.text && left.stamp === right.stamp
}

/** Only whitespace, comments and document markers. */
function isBlank(text: string): boolean {
  const lines = text.replace(/^\ufeff/, '').split('\n')
  return lines.every((line) => /^(?:---|\.\.\.)?\s*(?:#.*)?$/.test(line))
}

function watchFolder(file: string, changed: () => void): FSWatcher | undefined {
  try {
    const watcher = watch(dirname(file), { persistent: false }, (_event, name) => {
      if (name === null || name === basename(file)) changed()
    })
    // Polling finds what the watcher misses.
    watcher.on('error', () => watcher.close())
    return watcher
  } catch {
    return undefined
  }
}

function readSeen(file: string): Seen | undefined {
  try {
    const { size, mtimeMs } = statSync(file)
    return { text: readFileSync(file, 'utf8'), stamp: `${size} ${mtimeMs}` }
  } catch {
    return undefined
  }
}
