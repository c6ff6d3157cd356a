import { setImmediate } from 'node:timers/promises'
import type { Limiter } from '../../../gateway/src/ports/limiter.ts'
import {
  createMemoryLimiter,
  type MemoryLimiterOptions,
} from '../../../store/src/limits/memory-limiter.ts'

/** A limiter that answers later, as one that asks another process. */
export function createAcmeLimiter(
  clocks: Required<Pick<MemoryLimiterOptions, 'now' | 'date'>>,
): Limiter {
  const memory = createMemoryLimiter(clocks)
  return {
    async reserve(claims, leaseMs) {
      await setImmediate()
      return memory.reserve(claims, leaseMs)
    },
    async settle(reservation, actual) {
      await setImmediate()
      memory.settle(reservation, actual)
    },
    async renew(reservation, leaseMs) {
      await setImmediate()
      memory.renew(reservation, leaseMs)
    },
    async look(claims) {
      await setImmediate()
      return memory.look(claims)
    },
    async seed(claim, spent) {
      await setImmediate()
      memory.seed(claim, spent)
    },
    [Symbol.asyncDispose]: () => memory[Symbol.asyncDispose](),
  }
}
