import type { Caller } from '../ports/api-key.ts'
import type { Section } from '../ports/stored-settings.ts'
import type { Routing } from './routing.ts'

export type { Section } from '../ports/stored-settings.ts'

/** Settings of a section, by name. */
export type Written = Readonly<Record<string, unknown>>

/** A section as it is now. */
export interface SectionRead {
  /** What is kept in the database and can be changed, without secrets; null where it cannot be decrypted. */
  readonly stored: Written
  /** What sluice.yaml has, as it is written there, which cannot be changed here. */
  readonly declared: Written
  /** Names that the environment declares. */
  readonly fromEnvironment: readonly string[]
  /** Changes with each change of the section. */
  readonly etag: string
}

/** Without secrets: a hidden value that changes is marked as new. */
export interface Change {
  readonly name: string
  readonly change: 'added' | 'changed' | 'removed'
  /** Null if absent before or after the change. */
  readonly before: unknown
  readonly after: unknown
}

/** The changes that a new version of a section would make; nothing is changed yet. */
export interface PlannedSection {
  readonly etag: string
  readonly changes: readonly Change[]
  /** The routing that the changed section would result in. */
  routing(): Promise<Routing>
  /** Some entries of the section as YAML, for those who would rather declare them. */
  yamlOf(entries: Written): Promise<string>
  /**
   * Stores the changes with an entry of the audit log and applies them at once; other replicas do within a second. `known` is the
   * etag that the caller has read. Returns the new etag.
   *
   * @throws conflict if the section has changed since it was read, or cannot be encrypted.
   */
  apply(by: { readonly actor: Caller; readonly known: string | undefined }): Promise<string>
}

/** A setting as administrators see it. */
export interface ShownSetting {
  /** Such as `providers.openai.headers["x-team"]`. */
  readonly path: string
  readonly value: unknown
  /** Whether the value is replaced by dots. Of a URL, only its user, password, query and fragment are. */
  readonly isHidden: boolean
}

/** The settings, as administrators read and change them. */
export interface SettingSections {
  /** The absolute path of sluice.yaml, which need not exist. */
  readonly file: string
  /** Whether providers can be stored: there is an encryption key. */
  readonly isSealing: boolean
  /** @throws invalid_request if the file is invalid YAML. */
  read(section: Section): Promise<SectionRead>
  /**
   * `wanted` gets what is stored, with its secrets, and returns what should be.
   *
   * @throws invalid_request with the path of the invalid field.
   */
  plan(section: Section, wanted: (stored: Written) => Written): Promise<PlannedSection>
  /** Encrypts all stored providers with the newest key. Returns how many were encrypted with another one. */
  reseal(actor: Caller): Promise<number>
  /** The effective settings without secrets, and the source of each. */
  shown(): Promise<readonly (ShownSetting & { readonly source: string })[]>
}
