import type { Log } from '@sluice/gateway/call/log.ts'
import type { SettingStore, StoredSetting } from '@sluice/gateway/ports/stored-settings.ts'
import type { Config } from '../config/config.ts'
import { Sealing } from '../config/sealing.ts'
import { type OpenedSettings, openedSettings, withStored } from '../config/stored.ts'

/** Every replica has a change of another one within a second. */
const pollMs = 500

export interface LayeredOptions {
  readonly store: SettingStore
  readonly log: Pick<Log, 'warn' | 'info' | 'error'>
  /** Applies a configuration. */
  readonly apply: (config: Config) => Promise<void>
}

/** The configuration as sluice.yaml and the environment declare it, with the settings in the database added. */
export class LayeredSettings implements AsyncDisposable {
  readonly sealing: Sealing
  readonly #options: LayeredOptions
  #base: Config
  #rows: readonly StoredSetting[] = []
  #version = ''
  #isReadable = true
  #timer: NodeJS.Timeout | undefined
  #last: Promise<unknown> = Promise.resolve()
  /** What was left out and logged. */
  readonly #reported = new Set<string>()

  constructor(base: Config, options: LayeredOptions) {
    this.#base = base
    this.#options = options
    this.sealing = new Sealing(base.encryptionKeys)
  }

  /** The configuration without stored settings. */
  get base(): Config {
    return this.#base
  }

  get rows(): readonly StoredSetting[] {
    return this.#rows
  }

  /** What is stored, decrypted. */
  opened(rows = this.#rows): OpenedSettings {
    return openedSettings(rows, this.sealing)
  }

  /** Reads what is stored, and returns the configuration to begin with. */
  async read(): Promise<Config> {
    const found = await this.#changes()
    this.#rows = found?.rows ?? []
    this.#version = found?.version ?? ''
    return this.#layered()
  }

  /** Follows changes of the database until disposed. */
  follow(): void {
    this.#timer = setInterval(() => void this.#poll(), pollMs).unref()
  }

  /** Applies what sluice.yaml declares now. */
  declare(base: Config): Promise<void> {
    return this.#inTurn(async () => {
      const before = this.#base
      this.#base = base
      try {
        await this.#options.apply(await this.#layered())
      } catch (thrown) {
        this.#base = before
        throw thrown
      }
    })
  }

  /** Applies what is stored now, instead of within a second. */
  reload(): Promise<void> {
    return this.#inTurn(async () => {
      const found = await this.#changes()
      if (!found) return
      const before = this.#rows
      this.#rows = found.rows
      try {
        await this.#options.apply(await this.#layered())
      } catch (thrown) {
        // They are tried again.
        this.#rows = before
        throw thrown
      }
      this.#version = found.version
      this.#options.log.info({}, 'the stored settings have changed')
    })
  }

  async [Symbol.asyncDispose](): Promise<void> {
    clearInterval(this.#timer)
    await this.#last.catch(() => {})
  }

  /** What is stored if it differs from what is applied. */
  async #changes(): Promise<
    { readonly version: string; readonly rows: readonly StoredSetting[] } | undefined
  > {
    const { store } = this.#options
    // Read before the settings: a change in between is then seen again, never missed.
    const version = await store.settingsVersion()
    return version === this.#version ? undefined : { version, rows: await store.listSettings() }
  }

  async #layered(): Promise<Config> {
    if (this.#rows.length === 0) return this.#base
    const opened = this.opened()
    for (const name of opened.locked)
      this.#report(
        `providers.${name}`,
        'it is encrypted with another key than those in SLUICE_ENCRYPTION_KEY',
      )
    return withStored(this.#base, opened, (section, name, reason) =>
      this.#report(`${section}.${name}`, reason),
    )
  }

  #report(setting: string, reason: string): void {
    const line = `${setting} ${reason}`
    if (this.#reported.has(line)) return
    this.#reported.add(line)
    this.#options.log.warn({ setting, reason }, 'a stored setting is not used')
  }

  async #poll(): Promise<void> {
    try {
      await this.reload()
      this.#isReadable = true
    } catch (error) {
      if (this.#isReadable)
        this.#options.log.error(
          { error: String(error) },
          'the stored settings could not be applied',
        )
      this.#isReadable = false
    }
  }

  /** One at a time, so that an earlier state never replaces a later one. */
  #inTurn(work: () => Promise<void>): Promise<void> {
    const done = this.#last.catch(() => {}).then(work)
    this.#last = done
    return done
  }
}
