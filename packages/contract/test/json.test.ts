import { constantFrom, array, assert, oneof, property, string } from 'fast-check'
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

  it('keeps every integer and every text, whatever stands around them', () => {
    const texts = constantFrom(
      '"',
      '\\',
      '\\"',
      '#0',
      '##1',
      '1234567890123456',
      ': 12345678901234567890',
    )
    const part = oneof(
      constantFrom('9007199254740993', '-12345678901234567890', '1e400', '1.5', '0', 'true', '[]'),
      oneof(texts, string()).map((text) => JSON.stringify(text + text)),
    )
    const named = array(part, { maxLength: 8 }).map(
      (parts) => `{${parts.map((value, index) => `"f${index}":${value}`).join(',')}}`,
    )
    const document = array(oneof(part, named), { maxLength: 8 }).map(
      (parts) => `[${parts.join(',')}]`,
    )
    assert(
      property(document, (text) => {
        // What JSON.parse itself makes of a text decides, but for the digits of integers.
        const exact = text.replaceAll('1e400', 'null')
        expect(formatJson(parseJson(text))).toBe(exact)
      }),
    )
  })

  it('keeps an integer under a name that every object has', () => {
    const text = '{"__proto__":9007199254740993,"a":1}'
    expect(formatJson(parseJson(text))).toBe(text)
  })
})
