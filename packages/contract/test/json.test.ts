import { describe, expect, it } from 'vitest'
import { formatJson, isRawNumber, parseJson } from '../src/wire/json.ts'

describe('JSON that keeps large integers', () => {
  it.each([
    '{"id":9007199254740993}',
    '{"id":-12345678901234567890123}',
    '[1,2.5,"12345678901234567890",null,true]',
    '{"a":{"b":[9007199254740991,9007199254740992]}}',
    '0',
  ])('%s comes back as it was', (text) => {
    expect(formatJson(parseJson(text))).toBe(text)
  })

  it('leaves numbers that a double holds as numbers', () => {
    expect(parseJson('[9007199254740991,0.1234567890123456789,1e21]')).toEqual([
      9007199254740991, 0.12345678901234568, 1e21,
    ])
    expect(isRawNumber(parseJson('9007199254740993'))).toBe(true)
    expect(isRawNumber({ rawJSON: '1' })).toBe(false)
  })

  it('refuses what is not JSON', () => {
    expect(() => parseJson('{"a":12345678901234567890')).toThrow(SyntaxError)
    expect(() => parseJson('{a:1}')).toThrow(SyntaxError)
  })
})
