import { join } from 'node:path'
import type { Config } from '../config/config.ts'
import { GatewayError } from '../core/errors.ts'
import type { Store } from '../core/ports.ts'
import { builtinEngine } from '../engine/index.ts'
import type { WorkerPool } from '../engine/workers/pool.ts'
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
  readonly newId: (prefix: string) => string
  readonly log: Log
}

export async function openBuiltin(input: BuiltinInput): Promise<Builtin> {
  void input
  void join
  const gone = () => {
    throw new GatewayError('not_implemented', 'being built')
  }
  return {
    engine: builtinEngine,
    publish: gone,
    images: { find: gone },
    videos: { create: gone, cancel: gone, file: gone, thumbnail: gone },
    async [Symbol.asyncDispose]() {},
  }
}
