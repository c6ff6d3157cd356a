import type { BuiltinEngine } from '@sluice/engine'
import type { Store } from '../ports/store.ts'
import type { AdmitParts } from '../admit/admit-parts.ts'
import type { CallParts } from '../attempt/call-parts.ts'
import type { VideoWorker } from './built-in-jobs.ts'
import type { StorageLimits, StorageQuota } from './storage-quota.ts'

/** What operations on stored responses and videos need of the gateway. */
export interface StoredParts extends CallParts, AdmitParts {
  readonly store: Store
  readonly engine: BuiltinEngine
  readonly videos: VideoWorker
  readonly current: AdmitParts['current'] & { readonly limits: StorageLimits }
  readonly storageQuota: StorageQuota
}
