import { join } from 'node:path'
import type { Config } from '../config/config.ts'
import type { Store } from '../ports/store.ts'
import { builtinEngine, openImageLinks, openVideoJobs, type WorkerPool } from '@sluice/engine'
import type { Gateway, Log } from '../gateway/gateway.ts'

/** The built-in engine with what it keeps: pictures under addresses of their own, video jobs and their clips. */
export interface Builtin extends AsyncDisposable, Pick<Gateway, 'engine' | 'videos' | 'images'> {
  /** Keeps bytes for a while and returns their path on this server. */
  readonly publish: (bytes: Uint8Array, contentType: string) => string
}

export interface BuiltinInput {
  readonly config: Config
  readonly store: Store
  readonly workers: WorkerPool
  readonly now: () => number
  readonly newId: (prefix: string) => string
  readonly log: Log
}

const extensions: Readonly<Record<string, string>> = {
  'image/png': '.png',
  'image/jpeg': '.jpg',
  'image/webp': '.webp',
}

export async function openBuiltin(input: BuiltinInput): Promise<Builtin> {
  const { config, store, workers, now, newId, log } = input
  const images = openImageLinks({ now })
  const folder = join(config.dataFolder, 'videos')
  const videos = await openVideoJobs({ store, workers, folder, now, newId, log })
  return {
    engine: builtinEngine,
    videos,
    images,
    publish: (bytes, contentType) =>
      `/images/${images.put(bytes, contentType)}${extensions[contentType] ?? ''}`,
    [Symbol.asyncDispose]: () => videos[Symbol.asyncDispose](),
  }
}
