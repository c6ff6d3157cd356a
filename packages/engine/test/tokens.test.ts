import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { countTokens, decodeTokenId, decodeTokenIds, encode } from '../src/tokens.ts'
import '../../../test/support/property-limits.ts'

describe('tokens', () => {
  it.each([
    ['hello world', ['hello', ' world']],
    ['strawberry', ['strawb', 'erry']],
    ['12345', ['123', '45']],
    ['你好', ['你', '好']],
    ["don't stop...", ['don', "'", 't', ' stop', '...']],
    ['a\n\n  b', ['a', '\n\n', ' ', ' b']],
    ['', []],
  ])('cuts %j', (text, tokens) => {
    expect(encode(text)).toEqual(tokens)
  })

  it('joins to the text again and counts what it cuts, whatever the characters', () => {
    const anyText = fc.string({
      unit: fc.oneof(
        fc.constantFrom('a', ' ', '\n', '1', '.', '中', '😀', '\ud800', 'é', '\t'),
        fc.string({ unit: 'binary', maxLength: 1 }),
      ),
      maxLength: 200,
    })
    fc.assert(
      fc.property(anyText, (text) => {
        const tokens = encode(text)
        expect(tokens.join('')).toBe(text)
        expect(countTokens(text)).toBe(tokens.length)
        expect(tokens.every((token) => token.length > 0)).toBe(true)
      }),
    )
  })

  it.each(['a', ' ', '\n', '.', '1', '中', '\ud800'])(
    'reads a million times %j in well under a second',
    (character) => {
      const began = performance.now()
      expect(countTokens(character.repeat(1_000_000))).toBeGreaterThan(1000)
      expect(performance.now() - began).toBeLessThan(2000)
    },
  )

  it('reads prompts that came as cl100k token ids', async () => {
    expect(await decodeTokenIds([9906, 1917])).toBe('Hello world')
    expect(await decodeTokenIds([])).toBe('')
    expect(await decodeTokenId(1917)).toBe(' world')
    expect(await decodeTokenId(9_999_999)).toBeUndefined()
  })

  it('names the id that stands for nothing', async () => {
    await expect(decodeTokenIds([9906, 9_999_999], 'prompt[1]')).rejects.toMatchObject({
      code: 'invalid_request',
      details: { param: 'prompt[1][1]' },
    })
  })
})
