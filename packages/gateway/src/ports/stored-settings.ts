/** A section of the settings that administrators can change while the gateway runs. */
export type Section = 'models' | 'providers'

/** A route or a provider that is kept in the database, beside those that sluice.yaml declares. */
export interface StoredSetting {
  readonly section: Section
  readonly name: string
  /** JSON. That of a provider is encrypted; see `Sealing`. */
  readonly document: string
  /** 1 when it was added, and one more with each change. */
  readonly version: number
  /** Milliseconds since the epoch. */
  readonly changedAt: number
}

/** A setting to write, or the name of one to remove. */
export type SettingWrite =
  | { readonly setting: StoredSetting }
  | { readonly removedSetting: Pick<StoredSetting, 'section' | 'name'> }

/** The part of the store for settings. They are written by `Store.administer`. */
export interface SettingStore {
  /** All stored settings, by section and name. */
  listSettings(): Promise<readonly StoredSetting[]>
  /** A text that changes whenever any process changes a setting. Cheap, because it is read every second. */
  settingsVersion(): Promise<string>
}
