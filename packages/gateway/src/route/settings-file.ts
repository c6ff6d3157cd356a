import type { Caller } from '../ports/api-key.ts'
import type { Routing } from './routing.ts'

/** A section of the settings file that administrators can change at run time. */
export type Section = 'models' | 'providers'

/** A section as written in the file, by name. */
export type Written = Readonly<Record<string, unknown>>

/** A section of the settings file as it was read. */
export interface SectionFile {
  readonly text: string
  readonly written: Written
  /** Changes whenever the file is changed. */
  readonly etag: string
  readonly isWritable: boolean
}

export interface Change {
  readonly name: string
  readonly change: 'added' | 'changed' | 'removed'
  /** Null if absent before or after the change. */
  readonly before: unknown
  readonly after: unknown
}

/** The changes that a new version of a section would make; nothing is changed yet. */
export interface PlannedSection {
  readonly file: SectionFile
  readonly changes: readonly Change[]
  /** The routing that the changed file would result in. */
  routing(): Promise<Routing>
  /** Some entries of the section as YAML, for editing the file by hand. */
  yamlOf(entries: Written): string
  /**
   * Writes the changes and applies them at once. `known` is the etag that the caller has read; the audit log gets `logged`,
   * or else all changes. Returns the etag of the new text.
   *
   * @throws conflict if the file has changed since it was read, or cannot be written.
   */
  apply(by: Applying): Promise<string>
}

export interface Applying {
  readonly actor: Caller
  readonly known: string | undefined
  readonly logged?: readonly Change[]
}

/** A setting as administrators see it. */
export interface ShownSetting {
  /** Such as `providers.openai.headers["x-team"]`. */
  readonly path: string
  readonly value: unknown
  /** Whether the value is replaced by dots. Of a URL, only its user, password, query and fragment are. */
  readonly isHidden: boolean
}

/** The settings file, as administrators read and change it. */
export interface SettingsFile {
  /** The absolute path; the file need not exist. */
  readonly path: string
  /** @throws invalid_request if the file is invalid YAML. */
  read(section: Section): Promise<SectionFile>
  /** @throws invalid_request with the path of the invalid field. */
  plan(section: Section, wanted: (written: Written) => Written): Promise<PlannedSection>
  /** The effective settings without secrets, and the source of each. */
  shown(): Promise<readonly (ShownSetting & { readonly source: string })[]>
}
