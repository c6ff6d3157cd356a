import { type BuiltinEngine, createEngine, type EngineOptions } from '@sluice/engine'
import type { Config } from '../config/config.ts'
import type { Log } from '@sluice/gateway/call/log.ts'
import type { Gateway } from '@sluice/server/gateway.ts'
import {
  jobFilesIn,
  saveJobChange,
  openBuiltInJobs,
  type VideoWorker,
} from '@sluice/gateway/stored/built-in-jobs.ts'
import { createPublished, type Published } from '@sluice/gateway/stored/published.ts'
import type { Network } from '@sluice/gateway/dial/network.ts'
import { createMediaFetcher } from '@sluice/gateway/media/fetch-media.ts'
import type { Store } from '@sluice/gateway/ports/store.ts'
import { hasEnded, newInstanceName } from '@sluice/store/ledger/journal-owner.ts'

/** The built-in engine and its stored data. Disposing lets another process continue its video jobs. */
export interface OpenEngine extends AsyncDisposable {
  readonly engine: BuiltinEngine
  readonly videos: VideoWorker
  readonly published: Published
}

export interface OpenEngineInput extends Pick<EngineOptions, 'now' | 'newId' | 'processes'> {
  readonly store: Store
  readonly log: Log
}

export async function openEngine({ store, ...options }: OpenEngineInput): Promise<OpenEngine> {
  const { now, log } = options
  const owner = newInstanceName()
  const engine = createEngine({
    ...options,
    jobFiles: jobFilesIn(store, now),
    onJobChange: (id, change) => saveJobChange(store, owner, { id, change }),
  })
  const videos = await openBuiltInJobs({ engine, store, owner, isGone: hasEnded, now, log })
  return {
    engine,
    videos,
    published: createPublished(store, now),
    async [Symbol.asyncDispose]() {
      videos[Symbol.dispose]()
      await engine[Symbol.asyncDispose]()
      // If this fails, the leases expire.
      await store.releaseVideoJobs(owner).catch(() => {})
    },
  }
}

const fetchMediaMs = 30_000

export function engineContextOf(
  published: Published,
  network: Network,
  config: () => Config,
): Gateway['engineContext'] {
  return {
    publish: async (bytes, contentType) => `/images/${await published.publish(bytes, contentType)}`,
    fetchMedia: async (url, options) => {
      const { server, media } = config()
      const fetchMedia = createMediaFetcher({
        network,
        allowPrivateAddresses: server.allowPrivateMedia,
        proxyResolves: media.proxyResolves === true,
      })
      return fetchMedia(url, { ...options, timeoutMs: fetchMediaMs })
    },
    namedFileLimits: () => config().limits.namedFiles,
  }
}
