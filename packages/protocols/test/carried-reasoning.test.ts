import { describe, expect, it } from 'vitest'
import { carry, restore } from '../src/carried-reasoning.ts'

describe('reasoning carried through another format', () => {
  it('round-trips with Unicode and large integers', () => {
    const block = {
      type: 'reasoning',
      id: 'rs_1',
      summary: ['größer 🎉'],
      encrypted_content: 'a+/=',
    }
    const text = carry(block)
    expect(text).toMatch(/^sluice\.[A-Za-z0-9_-]+$/)
    expect(restore(text)).toEqual(block)
  })

  it.each([
    [1, true],
    [256, true],
    [257, false],
    [5_000, false],
  ])('nested %i levels deep is restored: %s', (levels, comes) => {
    for (const [open, close] of [
      ['[', ']'],
      ['{"a":', '}'],
    ] as const) {
      // As a caller could write it, who need not have it from us.
      const core = open === '[' ? '' : '1'
      const json = open.repeat(levels) + core + close.repeat(levels)
      const text = `sluice.${Buffer.from(json).toString('base64url')}`
      expect(restore(text) !== undefined).toBe(comes)
    }
  })

  it('is not confused with a provider’s own signature', () => {
    expect(restore('EqQBCkYICRgCKkA')).toBeUndefined()
    expect(restore('sluice.not json')).toBeUndefined()
    expect(restore('')).toBeUndefined()
  })
})
