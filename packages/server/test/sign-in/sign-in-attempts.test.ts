import { expect, test } from 'vitest'
import { MemorySignInAttempts } from '../../src/sign-in/sign-in-attempts.ts'

const minute = 60_000

/** How often an address may try at this time, at most 100 times. */
function triesLeft(attempts: MemorySignInAttempts, address: string, now: number): number {
  for (let count = 0; count < 100; count += 1)
    try {
      attempts.count(address, now)
    } catch (error) {
      expect(error).toMatchObject({ code: 'rate_limited' })
      return count
    }
  return 100
}

test('an address tries 20 times a minute, and as often in the next ones', () => {
  const attempts = new MemorySignInAttempts()
  for (const begun of [0, minute, 2 * minute, 9 * minute]) {
    expect(triesLeft(attempts, 'a', begun)).toBe(20)
    expect(triesLeft(attempts, 'a', begun + minute - 1)).toBe(0)
  }
})

test('who goes on trying while shut out waits no longer for it', () => {
  const attempts = new MemorySignInAttempts()
  for (let now = 0; now < minute; now += 1_000) triesLeft(attempts, 'a', now)
  expect(() => attempts.count('a', minute - 1)).toThrow(
    expect.objectContaining({ details: expect.objectContaining({ retryAfterMs: 1 }) }),
  )
  expect(triesLeft(attempts, 'a', minute)).toBe(20)
})

test('addresses whose names contain each other are counted apart', () => {
  const attempts = new MemorySignInAttempts()
  expect(triesLeft(attempts, '10.0.0.1', 0)).toBe(20)
  for (const other of ['10.0.0.10', '10.0.0', '']) expect(triesLeft(attempts, other, 0)).toBe(20)
})

test('a success counts a tenth, and never less than nothing', () => {
  const attempts = new MemorySignInAttempts()
  attempts.succeeded('a')
  for (let count = 0; count < 5; count += 1) attempts.succeeded('a')
  expect(triesLeft(attempts, 'a', 0)).toBe(20)
  const office = new MemorySignInAttempts()
  for (let count = 0; count < 10; count += 1) {
    office.count('b', 0)
    office.succeeded('b')
  }
  expect(triesLeft(office, 'b', 0)).toBe(19)
})
