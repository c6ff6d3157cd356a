import { setImmediate } from 'node:timers/promises'
import type { Limiter } from '../../src/ports/limiter.ts'
import { createMemoryLimiter, type MemoryLimiterOptions } from '../../src/storage/limiter-memory.ts'

/** A limiter that answers later, as one that asks another process. */
export function createAcmeLimiter({ now }: Required<Pick<MemoryLimiterOptions, 'now'>>): Limiter {
  const memory = createMemoryLimiter({ now })
  return {
    async take(bucket, perMinute) {
      await setImmediate()
      return memory.take(bucket, perMinute)
    },
    [Symbol.asyncDispose]: () => memory[Symbol.asyncDispose](),
  }
}
