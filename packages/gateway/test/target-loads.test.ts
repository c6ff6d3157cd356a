import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type RunningLoad, TargetLoads } from '../src/route/target-loads.ts'
import '../../../test/support/property-limits.ts'

const minute = 60_000

/** What happens: time passes, a call begins, or one of those in progress leaves. */
const step = fc.oneof(
  fc.record({ kind: fc.constant('wait' as const), ms: fc.nat(minute) }),
  fc.record({ kind: fc.constant('begin' as const), estimate: fc.nat(1000) }),
  fc.record({
    kind: fc.constant('leave' as const),
    which: fc.nat(),
    tokens: fc.option(fc.nat(5000), { nil: undefined }),
  }),
)

test('counts calls until they leave, and the tokens of those that began in this minute', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
      let now = 0
      const loads = new TargetLoads(() => now)
      const running: { load: RunningLoad; entry: { at: number; tokens: number } }[] = []
      const begun: { at: number; tokens: number }[] = []
      for (const one of steps) {
        if (one.kind === 'wait') now += one.ms
        else if (one.kind === 'begin') {
          const entry = { at: now, tokens: one.estimate }
          begun.push(entry)
          running.push({ load: loads.begin('a/m', one.estimate), entry })
        } else if (running.length > 0) {
          const [{ load, entry }] = running.splice(one.which % running.length, 1) as [
            (typeof running)[number],
          ]
          load.leave({ tokens: one.tokens })
          entry.tokens = one.tokens ?? entry.tokens
        }
        const current = Math.floor(now / minute)
        const expected = begun
          .filter(({ at }) => Math.floor(at / minute) === current)
          .reduce((sum, { tokens }) => sum + tokens, 0)
        expect(loads.busy('a/m')).toBe(running.length)
        expect(loads.used('a/m')).toBe(expected)
        expect(loads.busy('b/m')).toBe(0)
      }
    }),
  )
})
