import { vi } from 'vitest'

/**
 * A date that does not advance until it is set, for gateways that are started while it is in effect; timers run normally. Must
 * be disposed last.
 */
export function fakeDate(at: number): { set(at: number): void } & Disposable {
  vi.useFakeTimers({ toFake: ['Date'], now: at })
  return {
    set: (next) => void vi.setSystemTime(next),
    [Symbol.dispose]: () => void vi.useRealTimers(),
  }
}
