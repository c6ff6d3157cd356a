import fc from 'fast-check'
import { countTokens as countO200k } from 'gpt-tokenizer/encoding/o200k_base'
import { describe, expect, it } from 'vitest'
import { countSent, countTokens, decodeTokenId, decodeTokenIds, encode } from '../src/tokens.ts'
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
  ])('splits %j', (text, tokens) => {
    expect(encode(text)).toEqual(tokens)
  })

  it('property: tokens join to the text, and their number is the count', () => {
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

  it.each([
    ['English', 'The committee will meet again on Thursday to discuss the budget for next year.'],
    ['Russian', 'Сегодня хорошая погода, и мы пойдём гулять в парк, а потом домой.'],
    ['Ukrainian', 'Всі люди народжуються вільними і рівними у своїй гідності та правах.'],
    ['Greek', 'Όλοι οι άνθρωποι γεννιούνται ελεύθεροι και ίσοι στην αξιοπρέπεια.'],
    ['Arabic', 'الطقس اليوم جميل وسنذهب إلى الحديقة ثم نعود إلى البيت.'],
    ['Hebrew', 'מזג האוויר היום יפה, ואנחנו הולכים לטייל בפארק.'],
    ['Hindi', 'आज मौसम बहुत अच्छा है और हम पार्क में घूमने जाएंगे।'],
    ['Bengali', 'আজ আবহাওয়া খুব ভালো এবং আমরা পার্কে বেড়াতে যাব।'],
    ['Tamil', 'இன்று வானிலை மிகவும் நன்றாக உள்ளது, நாங்கள் பூங்காவிற்கு செல்கிறோம்.'],
    ['Thai', 'วันนี้อากาศดีมาก เราจะไปเดินเล่นที่สวนสาธารณะ'],
    ['Chinese', '今天天气很好，我们打算去公园散步，然后一起吃晚饭。'],
    ['Japanese', '今日は天気がいいので、公園を散歩してから一緒に夕食を食べます。'],
    ['Korean', '오늘은 날씨가 좋아서 공원을 산책하고 같이 저녁을 먹을 거예요.'],
    ['emoji', '😀😂🎉🚀❤️👍🏽🔥🥳🤖🌍🍕✨🙏😢'],
  ])('estimates %s close to o200k_base', (_, text) => {
    const ratio = countSent(text) / countO200k(text)
    expect(ratio).toBeGreaterThan(0.9)
    expect(ratio).toBeLessThan(1.75)
  })

  it.each(['a', ' ', '\n', '.', '1', '中', '\ud800', 'ж', 'é', '😀', 'ก'])(
    'counts a million times %j quickly',
    (character) => {
      const began = performance.now()
      expect(countTokens(character.repeat(1_000_000))).toBeGreaterThan(1000)
      expect(performance.now() - began).toBeLessThan(2000)
    },
  )

  it('decodes cl100k token ids', async () => {
    expect(await decodeTokenIds([9906, 1917])).toBe('Hello world')
    expect(await decodeTokenIds([])).toBe('')
    expect(await decodeTokenId(1917)).toBe(' world')
    expect(await decodeTokenId(9_999_999)).toBeUndefined()
  })

  it('names an unknown token id', async () => {
    await expect(decodeTokenIds([9906, 9_999_999], 'prompt[1]')).rejects.toMatchObject({
      code: 'invalid_request',
      details: { param: 'prompt[1][1]' },
    })
  })
})
