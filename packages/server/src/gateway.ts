import type { SettingSections } from '@sluice/gateway/route/setting-sections.ts'
import type { Settings } from '@sluice/gateway/settings/settings.ts'
import type { OidcClient } from './sign-in/oidc-client.ts'
import type { Sessions } from './sign-in/sessions.ts'
import type { SignInAttempts } from './sign-in/sign-in-attempts.ts'
import type { ContentLog, Metrics } from '@sluice/gateway/observe/observers.ts'
import type { Routing } from '@sluice/gateway/route/routing.ts'
import type { Published } from '@sluice/gateway/stored/published.ts'
import type { StoredParts } from '@sluice/gateway/stored/stored-parts.ts'
import type { ApiKey, Caller } from '@sluice/gateway/ports/api-key.ts'
import type { SlotLimits, SlotQueue } from '@sluice/gateway/ports/slot-queue.ts'

/** A running gateway, as its endpoints see it. `cli/open-gateway.ts` assembles it. */
export interface Gateway extends StoredParts {
  readonly current: CurrentSettings
  /** The slots that all requests share. */
  readonly slots: SlotQueue
  /** The virtual keys, in memory. */
  readonly keys: CallerKeys
  /** Callers with a token of an OIDC issuer; a promise if the token's signature has not been verified yet. */
  readonly tokens: { find(token: string): Caller | undefined | Promise<Caller | undefined> }
  /** The console sessions. */
  readonly sessions: Sessions
  /** The OIDC client for console sign-in; used only if an issuer is configured. */
  readonly oidc: OidcClient
  /** Sign-in attempts by client address. */
  readonly signInAttempts: SignInAttempts
  /** The settings in use, and those that administrators read and change. */
  readonly settings: {
    readonly config: () => Settings
    readonly sections: SettingSections
  }
  /** Images that responses link to. */
  readonly published: Published
  /** Stored prompts and responses. */
  readonly contents: ContentLog
  /** Serves `GET /metrics`; absent if metrics are off or served on another address. */
  readonly metrics?: Metrics
}

/** What follows from the configuration as it is now. A change of it replaces all fields at once. */
export interface CurrentSettings {
  readonly routing: Routing
  readonly limits: Settings['limits']
  /** Limits on concurrent requests; undefined if unlimited. */
  readonly slotLimits: SlotLimits | undefined
}

export interface CallerKeys {
  find(secret: string): Caller | undefined
  /** Looks in the store for a secret that `find` does not know; undefined if it is not looked for. */
  lookUp(secret: string, address: string): Promise<Caller | undefined> | undefined
  /** The name of the hash by which a secret is known, which a session keeps. */
  hashNameOf(secret: string): string
  isValid(key: Caller): boolean
  /** Calls `changed` whenever the result of `isValid` may have changed. */
  watch(changed: () => void): Disposable
  /** Whether the configuration contains a key with the owner role. */
  hasFixedOwner(): boolean
  /** The keys from the configuration, which are not in the store. */
  fixed(): readonly ApiKey[]
  /** Loads a change from the store at once instead of within a second. */
  reload(): Promise<void>
}
