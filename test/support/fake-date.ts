import { vi } from 'vitest'

/**
 * A date that stands still until it is set, for gateways that are started while it holds; timers go on as ever. Disposed of last.
 */
export function fakeDate(at: number): { set(at: number): void } & Disposable {
  vi.useFakeTimers({ toFake: ['Date'], now: at })
  return {
    set: (next) => void vi.setSystemTime(next),
    [Symbol.dispose]: () => void vi.useRealTimers(),
  }
}
