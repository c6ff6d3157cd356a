import { describe, expect, it } from 'vitest'
import { carry, restore } from '../src/carried-reasoning.ts'

describe('reasoning carried through a foreign wire', () => {
  it('comes back as it went in, unicode and large integers included', () => {
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

  it('does not take a provider’s own signature for ours', () => {
    expect(restore('EqQBCkYICRgCKkA')).toBeUndefined()
    expect(restore('sluice.not json')).toBeUndefined()
    expect(restore('')).toBeUndefined()
  })
})
