import { describe, expect, test } from 'vitest'
import { KeyTurns } from '../src/route/key-turns.ts'
import type { KeyUse } from '../src/route/key-use.ts'

describe('rejected provider keys', () => {
  const use: KeyUse = { provider: 'p', model: 'm', caller: 'c' }
  const resting = () => {
    const clock = { now: 1_000_000 }
    return { clock, turns: new KeyTurns(() => clock.now) }
  }

  test('are probed one every 15 seconds when all are resting', () => {
    const { clock, turns } = resting()
    const keys = ['a', 'b']
    const refuse = () => {
      for (const key of keys) turns.keyRefused(use, key, 'key')
    }
    for (let time = 0; time < 3; time += 1) {
      refuse()
      clock.now += 20_000
    }
    refuse()
    const begun = clock.now
    expect(turns.nextKey(use, keys)).toBeUndefined()
    clock.now = begun + 15_000
    const tried = [turns.nextKey(use, keys), turns.nextKey(use, keys), turns.nextKey(use, keys)]
    expect(new Set(tried)).toEqual(new Set(['a', 'b', undefined]))
    clock.now = begun + 300_000
    expect(turns.nextKey(use, keys)).toBeDefined()
    expect(turns.nextKey({ ...use, provider: 'q' }, ['c'])).toBe('c')
  })

  test('rest for seconds, doubling to five minutes, and are reset after a calm period', () => {
    const { clock, turns } = resting()
    const restMs = () => {
      turns.keyRefused(use, 'a', 'key')
      // Another that was under way at the same time.
      turns.keyRefused(use, 'a', 'key')
      const ms = turns.keyRestsMs(use, ['a'])
      clock.now += ms
      return ms
    }
    const rests = Array.from({ length: 9 }, restMs)
    expect(rests.slice(0, 3)).toEqual([5_000, 10_000, 20_000])
    expect(rests.slice(-2)).toEqual([300_000, 300_000])
    clock.now += 300_000
    expect(restMs()).toBe(5_000)
  })

  test('are usable at once after a success', () => {
    const { turns } = resting()
    turns.keyRefused(use, 'a', 'key')
    turns.keyRefused(use, 'a', 'model')
    expect(turns.nextKey(use, ['a'])).toBeUndefined()
    turns.keyWorked(use, 'a')
    expect(turns.nextKey(use, ['a'])).toBe('a')
  })

  test.each([
    ['key', { caller: 'd' }, false],
    ['key', { model: 'n' }, false],
    ['model', { caller: 'd' }, false],
    ['model', { model: 'n' }, true],
    ['unknown', { caller: 'd' }, true],
    ['unknown', { model: 'n' }, true],
    ['unknown', {}, false],
  ] as const)('after a rejection of kind %s, for %j', (refusal, further, isFree) => {
    const { turns } = resting()
    turns.keyRefused(use, 'a', refusal)
    expect(turns.nextKey({ ...use, ...further }, ['a']) === 'a').toBe(isFree)
    expect(turns.otherKey({ ...use, ...further }, ['a', 'z'], ['z']) === 'a').toBe(isFree)
  })

  test.each([
    ['one caller once', ['c'], true],
    ['the same caller twice', ['c', 'c'], true],
    ['the same caller again and again', ['c', 'c', 'c', 'c'], true],
    ['two callers', ['c', 'd'], false],
    ['two callers, and the first of them again', ['c', 'd', 'c'], false],
  ])('after rejections for %s', (_who, callers, isFreeForOthers) => {
    const { clock, turns } = resting()
    for (const caller of callers) {
      turns.keyRefused({ ...use, caller }, 'a', 'unknown')
      clock.now += turns.keyRestsMs({ ...use, caller }, ['a']) - 1
    }
    expect(turns.nextKey({ ...use, caller: callers.at(-1) ?? '' }, ['a'])).toBeUndefined()
    expect(turns.nextKey({ ...use, caller: 'e' }, ['a']) === 'a').toBe(isFreeForOthers)
  })

  test('are remembered for ten thousand models', () => {
    const { turns } = resting()
    for (let index = 0; index <= 10_000; index += 1)
      turns.keyRefused({ ...use, model: `m${index}` }, 'a', 'model')
    expect(turns.nextKey({ ...use, model: 'm0' }, ['a'])).toBe('a')
    expect(turns.nextKey({ ...use, model: 'm10000' }, ['a'])).toBeUndefined()
  })
})
