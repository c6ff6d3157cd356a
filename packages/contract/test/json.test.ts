import {
  array,
  assert,
  bigInt,
  constantFrom,
  letrec,
  oneof,
  property,
  string,
  tuple,
} from 'fast-check'
import { describe, expect, it } from 'vitest'
import { caught } from '../../../test/support/thrown-error.ts'
import '../../../test/support/property-limits.ts'
import { formatJson, isRawNumber, parseJson } from '../src/wire/json.ts'

/** Stands around the integers of a generated document that a double cannot hold; no generated text has it. */
const fence = '§'
const fenced = /§([^§]+)§/g

/** The slow way to the same: such an integer is a text of its own, until the whole is text again. */
function readAndWritten(document: string): string {
  const texts = JSON.parse(document.replace(fenced, '"integer: $1 :integer"')) as unknown
  return JSON.stringify(texts).replace(/"integer: (-?\d+) :integer"/g, '$1')
}

const escaped = (letter: string) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`

describe('JSON that keeps large integers', () => {
  it.each([
    '{"id":9007199254740993}',
    '{"id":-12345678901234567890123}',
    '[1,2.5,"12345678901234567890",null,true]',
    '{"a":{"b":[9007199254740991,9007199254740992]}}',
    '0',
  ])('%s round-trips', (text) => {
    expect(formatJson(parseJson(text))).toBe(text)
  })

  it('keeps numbers that fit a double as numbers', () => {
    expect(parseJson('[9007199254740991,0.1234567890123456789,1e21]')).toEqual([
      9007199254740991, 0.12345678901234568, 1e21,
    ])
    expect(isRawNumber(parseJson('9007199254740993'))).toBe(true)
    expect(isRawNumber({ rawJSON: '1' })).toBe(false)
  })

  it('rejects invalid JSON', () => {
    expect(() => parseJson('{"a":12345678901234567890')).toThrow(SyntaxError)
    expect(() => parseJson('{a:1}')).toThrow(SyntaxError)
  })

  it('property: reads like JSON.parse and keeps every integer', () => {
    const long = oneof(
      constantFrom(
        '9007199254740993',
        '-12345678901234567890',
        '9007199254740992',
        '1'.repeat(400),
      ),
      bigInt({ min: 2n ** 53n }).map(String),
    ).map((digits) => fence + digits + fence)
    const short = constantFrom(
      '1e400',
      '-0',
      '1.5e-3',
      '0.10',
      '1234567890.12345678901',
      '9007199254740991',
      '12345678901234567890E+2',
    )
    const number = oneof(long, short)
    // Texts that look like numbers and like what stands in for them while the document is read, in any spelling.
    const text = oneof(
      constantFrom('#0:0', '#0', '#1:', '\\', '"', '1234567890123456', ': 12345678901234567890'),
      string(),
    ).chain((value) =>
      constantFrom(JSON.stringify(value), `"${value.replace(/[^]/g, escaped)}"`, '"\\u00230:0"'),
    )
    // V8 takes an escaped name for a sibling of as many letters when that is how its source text begins: `"a\\u0022"`
    // after a name of an a and a backslash. A name without a backslash is never the beginning of an escape.
    const field = text.map(
      (name) => `"a${name.slice(1).replaceAll('\\\\', '').replaceAll('\\u005c', '')}`,
    )
    const { document } = letrec<{ document: string }>((tie) => ({
      document: oneof(
        { maxDepth: 4 },
        oneof(number, text, constantFrom('true', 'null', '[]', ' { } ')),
        array(tie('document'), { maxLength: 6 }).map((items) => `[${items.join(' ,')}]`),
        array(tuple(field, tie('document')), { maxLength: 6 }).map(
          (fields) => `{${fields.map(([name, value]) => `${name}:${value}`).join(',')}}`,
        ),
      ),
    }))
    assert(
      property(document, (text) => {
        const json = text.replaceAll(fence, '')
        expect(formatJson(parseJson(json))).toBe(readAndWritten(text))
      }),
      { numRuns: 500 },
    )
  })

  it('rejects more large integers than plausible', () => {
    const integers = (count: number) => `[${Array(count).fill('1234567890123456789').join()}]`
    expect(formatJson(parseJson(integers(50_000)))).toBe(integers(50_000))
    expect(caught(() => parseJson(integers(50_001))).code).toBe('too_large')
  })

  it.each([
    ['a text like what stands in for an integer', (size: number) => `"${'#'.repeat(size)}"`],
    [
      'such texts',
      (size: number) => Array.from({ length: size / 8 }, (_, index) => `"#${index}:"`).join(),
    ],
    ['one of digits', (size: number) => `"#${'0'.repeat(size)}"`],
    ['escaped quotes', (size: number) => `"${'\\"'.repeat(size / 2)}"`],
    ['backslashes', (size: number) => `"${'\\\\'.repeat(size / 2)}"`],
    ['an integer of many digits', (size: number) => '7'.repeat(size)],
    [
      'integers',
      (size: number) =>
        Array(size / 32)
          .fill('-1234567890123456789')
          .join(),
    ],
  ])(
    'parses in linear time: %s',
    (_name, of) => {
      const text = `[1234567890123456789,${of(1_000_000)}]`
      const value = parseJson(text)
      expect(formatJson(value)).toBe(text)
    },
    5_000,
  )

  it.each([
    '{12345678901234567890:1}',
    '{"a":1,12345678901234567890 :2}',
    '{12345678901234567890}',
    '[012345678901234567890]',
    '[-012345678901234567890]',
    '[--12345678901234567890]',
    '[12345678901234567890-]',
    '[12345678901234567890 1]',
    '["a" 12345678901234567890]',
    '["a"12345678901234567890]',
    '[12345678901234567890"a"]',
    '12345678901234567890 :',
    '["a\\" ,12345678901234567890]',
    '[+12345678901234567890]',
    '["\n",12345678901234567890]',
  ])('%s is rejected like by JSON.parse', (text) => {
    expect(() => JSON.parse(text)).toThrow(SyntaxError)
    expect(() => parseJson(text)).toThrow(SyntaxError)
  })

  it('property: accepts exactly what JSON.parse accepts', () => {
    const tokens = [
      '12345678901234567890 -1234567890123456789 "a" "#0:0" " \\ null 0 1 - . e { } [ ] : ,'.split(
        ' ',
      ),
      [' ', '\n'],
    ].flat()
    const token = constantFrom(...tokens)
    const isJson = (read: (text: string) => unknown, text: string) => {
      try {
        read(text)
        return true
      } catch (error) {
        expect(error).toBeInstanceOf(SyntaxError)
        return false
      }
    }
    assert(
      property(array(token, { maxLength: 9 }), (chosen) => {
        const text = chosen.join('')
        expect(isJson(parseJson, text)).toBe(isJson(JSON.parse, text))
      }),
      { numRuns: 20_000 },
    )
  })

  it('keeps an integer in the member __proto__', () => {
    const text = '{"__proto__":9007199254740993,"a":1}'
    expect(formatJson(parseJson(text))).toBe(text)
  })
})
