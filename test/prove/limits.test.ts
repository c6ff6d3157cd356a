import { expect, test } from 'vitest'
import { leaveOut } from '../support/leave-out.ts'
import { isRedisInstalled, noRedis } from '../support/servers/redis-server.ts'
import { breaches, proveLimits } from './limits.ts'

test('shared limits are never exceeded, also when Redis is killed', async (context) => {
  if (!isRedisInstalled()) leaveOut(context, noRedis)
  const proofs = await proveLimits(6)
  expect(proofs.filter(({ admitted, allowed }) => admitted > allowed)).toEqual([])
  expect(proofs.map(({ unit }) => unit)).toContain('millionths of $')
  // How well places are used, and money that calls take turns at, depends on how busy this machine is. So does the share of the
  // tokens that open calls have reserved beyond what they use.
  const of = (kind: string) => proofs.filter(({ unit }) => unit === kind)
  expect(breaches(of('requests'))).toEqual([])
  expect(breaches(of('tokens'), 0.75)).toEqual([])
  for (const { asked, allowed, limit } of proofs) expect(asked, limit).toBeGreaterThan(4 * allowed)
}, 180_000)
