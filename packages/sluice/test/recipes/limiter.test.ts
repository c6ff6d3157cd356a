import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { blocksOf } from '../../../../test/support/contributing.ts'
import '../../../../test/support/property-limits.ts'
import { describeLimiter } from '../../../store/test/contract/limiter.ts'
import { startDate } from '../../../store/test/contract/limiter-claims.ts'
import { createAcmeLimiter } from './acme-limiter.ts'

test('the limiter test in CONTRIBUTING.md is in this file', () => {
  const shown = blocksOf('Add a limiter')
  expect(shown).toHaveLength(1)
  expect(readFileSync(import.meta.filename, 'utf8')).toContain(shown[0])
})

describeLimiter('acme', async () => {
  let time = 0
  const limiter = createAcmeLimiter({ now: () => time, date: () => startDate + time })
  return {
    limiter,
    advance(ms) {
      time += ms
    },
    async remove() {
      await limiter[Symbol.asyncDispose]()
    },
  }
})
