import { expect } from 'vitest'
import type {
  BudgetClaim,
  BudgetWindow,
  Claim,
  ConcurrencyClaim,
  Limiter,
  RateClaim,
  Refusal,
  Reservation,
} from '../../../gateway/src/ports/limiter.ts'

/** 12:00 UTC on Wednesday, 18 November 2026: where the clocks of limiters under test begin. */
export const startDate = Date.UTC(2026, 10, 18, 12)
export const leaseMs = 30_000

export const requests = (bucket: string, limit: number): RateClaim => ({
  kind: 'rate',
  bucket,
  unit: 'requests',
  limit,
  amount: 1,
})

export const tokens = (bucket: string, limit: number, amount: number): RateClaim => ({
  kind: 'rate',
  bucket,
  unit: 'tokens',
  limit,
  amount,
})

export const place = (bucket: string, limit: number): ConcurrencyClaim => ({
  kind: 'concurrency',
  bucket,
  limit,
})

export const money = (
  bucket: string,
  window: BudgetWindow,
  { limit, amount }: { readonly limit: number; readonly amount: number },
): BudgetClaim => ({ kind: 'budget', bucket, window, limit, amount })

export interface LimiterAnswer {
  readonly allowed: boolean
  readonly limit: number
  readonly remaining: number
  readonly resetMs: number
  readonly retryAfterMs: number
}

/** Takes one request. */
export async function take(
  limiter: Limiter,
  bucket: string,
  perMinute: number,
): Promise<LimiterAnswer> {
  const decision = await limiter.reserve([requests(bucket, perMinute)], leaseMs)
  const [level] = decision.levels
  if (!level) throw new Error('A decision without the level of its claim')
  const retryAfterMs = decision.granted ? 0 : decision.retryAfterMs
  return { allowed: decision.granted, ...level, retryAfterMs }
}

export async function granted(limiter: Limiter, ...claims: Claim[]): Promise<Reservation> {
  const decision = await limiter.reserve(claims, leaseMs)
  expect(decision.granted).toBe(true)
  return decision as Reservation
}

export async function refused(limiter: Limiter, ...claims: Claim[]): Promise<Refusal> {
  const decision = await limiter.reserve(claims, leaseMs)
  expect(decision.granted).toBe(false)
  return decision as Refusal
}
