import { describe, expect, test } from 'vitest'
import { createHealth, type Health } from '../src/route/health.ts'

const breaker = { failures: 3, windowMs: 1_000, cooldownMs: 500 }

/** One thing that happens to the target `t`; a number lets so many milliseconds pass. */
type Step = number | Event | `${Event} of ${string}`
type Event = 'starts' | 'fails' | 'answers' | 'succeeds' | 'released'

function after(steps: readonly Step[], options = breaker): { health: Health; open: boolean } {
  let now = 1_000_000
  const health = createHealth(() => now)
  const happens: Readonly<Record<Event, (caller: string) => void>> = {
    starts: (caller) => health.starts('t', caller),
    fails: (caller) => health.failed('t', caller, options),
    answers: (caller) => health.answered('t', caller, 10),
    succeeds(caller) {
      health.answered('t', caller, 10)
      health.completed('t')
    },
    released: (caller) => health.released('t', caller),
  }
  for (const step of steps) {
    if (typeof step === 'number') now += step
    else {
      const [event, caller = 'a'] = step.split(' of ')
      happens[event as Event](caller)
    }
  }
  return { health, open: !health.available('t', 'a') }
}

const opened: readonly Step[] = ['fails', 'fails', 'fails']

describe('a breaker with 3 failures in 1,000 ms, open for 500 ms', () => {
  test.each<[string, readonly Step[], boolean]>([
    ['a target without calls', [], false],
    ['one failure less than the limit', ['fails', 'fails'], false],
    ['as many failures as the limit', opened, true],
    ['more failures than the limit', [...opened, 'fails'], true],
    ['failures just inside the window', ['fails', 999, 'fails', 'fails'], true],
    ['failures just outside the window', ['fails', 1_000, 'fails', 'fails'], false],
    ['failures that are never within one window', ['fails', 600, 'fails', 600, 'fails'], false],
    ['expired failures stay expired', ['fails', 'fails', 2_000, 'fails', 'fails'], false],
    ['a success between failures', ['fails', 'fails', 'succeeds', 'fails', 'fails'], false],
    ['all failures after a success', ['fails', 'succeeds', ...opened], true],
    ['neutral outcomes do not count', ['released', 'released', 'fails'], false],
    ['neutral outcomes do not reset failures', ['fails', 'fails', 'released', 'fails'], true],
    ['starting a call is no failure', ['starts', 'starts', 'starts', 'starts'], false],
    ['just before the end of the cooldown', [...opened, 499], true],
    ['after the cooldown', [...opened, 500], false],
    ['while a probe is running', [...opened, 500, 'starts'], true],
    ['however long a probe runs', [...opened, 500, 'starts', 60_000], true],
    ['after a probe that succeeded', [...opened, 500, 'starts', 'succeeds'], false],
    ['after an inconclusive probe', [...opened, 500, 'starts', 'released'], false],
    [
      'a second probe after an inconclusive one',
      [...opened, 500, 'starts', 'released', 'starts'],
      true,
    ],
    ['after a probe that failed', [...opened, 500, 'starts', 'fails'], true],
    ['just before the end of the second cooldown', [...opened, 500, 'starts', 'fails', 499], true],
    ['after the second cooldown', [...opened, 500, 'starts', 'fails', 500], false],
    ['one failed probe reopens, whenever', [...opened, 90_000, 'starts', 'fails'], true],
    [
      'a success closes it, and the full limit applies again',
      [...opened, 500, 'starts', 'succeeds', 'fails', 'fails'],
      false,
    ],
    ['and it opens at the limit again', [...opened, 500, 'starts', 'succeeds', ...opened], true],
    ['a closed breaker limits no concurrent calls', ['starts', 'fails', 'starts', 'starts'], false],
    ['a started answer resets nothing', ['fails', 'fails', 'answers', 'fails'], true],
    ['a started answer closes it', [...opened, 500, 'starts', 'answers'], false],
    [
      'and it reopens if the answer breaks off',
      [...opened, 500, 'starts', 'answers', 'fails'],
      true,
    ],
  ])('%s', (_name, steps, open) => {
    expect(after(steps).open).toBe(open)
  })

  test('takes the probe when it starts, not when it is checked', () => {
    const { health } = after([...opened, 500])
    expect([health.available('t', 'a'), health.available('t', 'a')]).toEqual([true, true])
    health.starts('t', 'a')
    expect([health.available('t', 'a'), health.available('t', 'a')]).toEqual([false, false])
  })

  test('is separate per target', () => {
    const { health } = after(opened)
    expect(health.available('t', 'a')).toBe(false)
    expect(health.available('u', 'a')).toBe(true)
  })

  test.each([1, 2, 5])('opens after %i failures', (failures) => {
    const options = { ...breaker, failures }
    const fewer = Array<Step>(failures - 1).fill('fails')
    expect(after(fewer, options).open).toBe(false)
    expect(after([...fewer, 'fails'], options).open).toBe(true)
  })
})

describe('a breaker with several callers', () => {
  const ofB: readonly Step[] = ['fails of b', 'fails of b', 'fails of b']
  const ofAll: readonly Step[] = ['fails', 'fails of b', 'fails of b']
  test.each<[string, readonly Step[], boolean]>([
    ['failures of one caller do not affect others', ofB, false],
    ['however many they are', [...ofB, ...ofB, ...ofB], false],
    ['one caller counts for at most half of the limit', [...ofB, 'fails of c'], true],
    ['failures of several callers affect all', ['fails of b', 'fails of c', 'fails of d'], true],
    ['expired failures of others do not count', ['fails of c', 1_000, ...ofB], false],
    ['a success of any caller resets all failures', ['fails of c', 'succeeds of a', ...ofB], false],
    ['one success closes it for all', [...ofAll, 500, 'starts of c', 'answers of c'], false],
    ['others wait for the probe of one caller', [...ofAll, 500, 'starts of c'], true],
    ['a failed probe reopens it for all', [...ofAll, 500, 'starts of c', 'fails of c'], true],
    ['for one cooldown', [...ofAll, 500, 'starts of c', 'fails of c', 500], false],
    ['and for two for the caller of the probe', [...ofAll, 500, 'starts', 'fails', 999], true],
    ['but not longer', [...ofAll, 500, 'starts', 'fails', 1_000], false],
  ])('%s', (_name, steps, open) => {
    expect(after(steps).open).toBe(open)
  })

  test.each<[number, readonly Step[], boolean]>([
    [1, ['fails of b'], false],
    [1, ['fails of b', 'fails of b'], false],
    [1, ['fails of b', 'fails of c'], true],
    [1, ['fails of b', 999, 'fails of c'], true],
    [1, ['fails of b', 1_000, 'fails of c'], false],
    [2, ['fails of b', 'fails of b'], false],
    [2, ['fails of b', 'fails of c'], true],
    [5, ['fails of b', 'fails of b', 'fails of b', 'fails of b', 'fails of c'], false],
    [5, [...ofB, 'fails of c', 'fails of c'], true],
  ])('with the threshold %i, for others: %j', (failures, steps, open) => {
    expect(after(steps, { ...breaker, failures }).open).toBe(open)
  })

  test('stays open for a caller whose own calls failed', () => {
    const { health } = after([...ofB, 'answers of a'])
    expect(health.available('t', 'b')).toBe(false)
    expect(health.available('t', 'a')).toBe(true)
  })
})

describe('latency to the first content', () => {
  test('is unknown at first, then a moving average', () => {
    const health = createHealth(() => 0)
    expect(health.latencyMs('t')).toBeUndefined()
    health.answered('t', 'a', 100)
    expect(health.latencyMs('t')).toBe(100)
    health.answered('t', 'a', 200)
    expect(health.latencyMs('t')).toBeCloseTo(120)
    expect(health.latencyMs('u')).toBeUndefined()
  })

  test('has percentiles from eight observations on, over the last 128', () => {
    const health = createHealth(() => 0)
    for (let ms = 1; ms <= 7; ms += 1) health.answered('t', 'a', ms)
    expect(health.percentileMs('t', 50)).toBeUndefined()
    health.answered('t', 'a', 8)
    expect(health.percentileMs('t', 50)).toBe(5)
    expect(health.percentileMs('t', 99.9)).toBe(8)
    for (let index = 0; index < 128; index += 1) health.answered('t', 'a', 1_000)
    expect(health.percentileMs('t', 1)).toBe(1_000)
  })
})
