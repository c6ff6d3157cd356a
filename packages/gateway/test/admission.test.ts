// A request that only reservations keep from being admitted, where another process may be about to settle them.
import { expect, test, vi } from 'vitest'
import { Admission, Leases } from '../src/admit/admission.ts'
import type { HolderClaim } from '../src/admit/claims.ts'
import type { Decision, Limiter } from '../src/ports/limiter.ts'

const holder = { kind: 'key', id: 'key_1', name: 'k', terms: {} } as const
const claim: HolderClaim = {
  kind: 'budget',
  bucket: 'key_1:b',
  window: 'month',
  limit: 100,
  amount: 60,
  holder,
}
const levels = [{ limit: 100, remaining: 40, resetMs: 1_000 }]
const refused = (mayReturn: boolean): Decision => ({
  granted: false,
  claims: [claim],
  levels,
  refused: 0,
  retryAfterMs: 1_000,
  mayReturn,
})
const granted: Decision = { granted: true, id: 'r', claims: [claim], levels }

function admissionOf(decisions: readonly Decision[]) {
  const left = [...decisions]
  const reserve = vi.fn<Limiter['reserve']>(async () => left.shift() ?? granted)
  const limiter = { reserve, settle: vi.fn<Limiter['settle']>() } as unknown as Limiter
  const budgetWatch = { touch: vi.fn<() => void>() }
  const admission = new Admission({ limiter, budgetWatch, now: Date.now }, new Leases())
  return { admission, reserve, ask: async () => admission.ask([claim], { isPriced: true }) }
}

test.each([
  ['granted at once', [granted], true, 1],
  ['refused for settled spending', [refused(false)], false, 1],
  ['granted at the second attempt', [refused(true), granted], true, 2],
  ['granted at the third attempt', [refused(true), refused(true), granted], true, 3],
  ['refused at the second attempt', [refused(true), refused(false)], false, 2],
  ['refused after the last attempt', [refused(true), refused(true), refused(true)], false, 3],
] as const)(
  'retries a reservation that others may make room for: %s',
  async (_name, decisions, isGranted, times) => {
    const { admission, reserve, ask } = admissionOf(decisions)
    expect(await ask()).toMatchObject({ granted: isGranted })
    expect(admission.isGranted).toBe(isGranted)
    expect(reserve).toHaveBeenCalledTimes(times)
  },
)

test('does not retry a reservation for a caller that disconnected', async () => {
  const { admission, reserve, ask } = admissionOf([refused(true)])
  const asked = ask()
  admission.end({ call: undefined, disconnected: true })
  expect(await asked).toMatchObject({ granted: false })
  expect(reserve).toHaveBeenCalledTimes(1)
})
