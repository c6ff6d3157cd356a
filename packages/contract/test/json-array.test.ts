import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createJsonArraySplitter, createJsonArrayWriter } from '../src/wire/json-array.ts'
import type { EventBlock } from '../src/wire/sse.ts'
import '../../../test/support/property-limits.ts'

function split(text: string, size: number): readonly EventBlock[] {
  const bytes = Buffer.from(text)
  const splitter = createJsonArraySplitter()
  const blocks: EventBlock[] = []
  for (let at = 0; at < bytes.length; at += size)
    blocks.push(...splitter.push(bytes.subarray(at, at + size)))
  return [...blocks, ...splitter.end()]
}

const joined = (blocks: readonly EventBlock[]): string =>
  Buffer.concat(blocks.map(({ raw }) => raw)).toString()

function elements(text: string, size: number): readonly string[] {
  return split(text, size)
    .filter(({ kind }) => kind === 'event')
    .map(({ data }) => data)
}

describe.each([1, 7, 4096])('a JSON array in chunks of %i bytes', (size) => {
  test.each([
    ['objects', '[{"a":1}\r\n,\r\n{"b":[2,{"c":3}]}]\n', ['{"a":1}', '{"b":[2,{"c":3}]}']],
    [
      'brackets and quotes in strings',
      '[{"a":"]}\\"[{,"},{"b":"\\\\"}]',
      ['{"a":"]}\\"[{,"}', '{"b":"\\\\"}'],
    ],
    ['text of several bytes', '[{"a":"é世😀"}]', ['{"a":"é世😀"}']],
    ['nothing', '[]', []],
    ['a lone object', '{"error":{"code":503}}', ['{"error":{"code":503}}']],
    ['scalars', '[1,"two",null]', ['1', '"two"', 'null']],
  ])('%s', (_name, text, expected) => {
    expect(elements(text, size)).toEqual(expected)
  })

  test('keeps all bytes in its blocks', () => {
    const text = ' [ {"a":"]"} ,\n{"b":[1,2]} ] \n'
    expect(joined(split(text, size))).toBe(text)
  })

  test('reports a truncated element as unreadable', () => {
    const blocks = split('[{"a":1},{"b":"cut', size)
    expect(blocks.map(({ kind }) => kind)).toEqual(['event', 'unreadable', 'comment'])
  })

  test('adds a missing closing bracket', () => {
    expect(joined(split('[{"a":1}\r\n', size))).toBe('[{"a":1}\r\n]')
    expect(joined(split('{"a":1}', size))).toBe('{"a":1}')
  })
})

test.each([['}'], [']'], [','], ['[}'], ['[1]]'], ['[{}},{}]']])(
  'reports an end without an element as unreadable: %s',
  (text) => {
    const blocks = split(text, 1)
    expect(blocks.map(({ kind }) => kind)).toContain('unreadable')
    expect(joined(blocks).replace(/\]$/, '')).toBe(text.replace(/\]$/, ''))
  },
)

test('property: any text is split into non-empty blocks', () => {
  const text = fc.string({ unit: fc.constantFrom(...'[]{},"\\ 1') })
  fc.assert(
    fc.property(text, fc.integer({ min: 1, max: 9 }), (garbage, size) => {
      const blocks = split(garbage, size)
      expect(blocks.every(({ raw }) => raw.length > 0)).toBe(true)
      expect([garbage, `${garbage}]`]).toContain(joined(blocks))
    }),
  )
})

test('property: a written array is read back', () => {
  fc.assert(
    fc.property(fc.array(fc.jsonValue()), fc.integer({ min: 1, max: 9 }), (values, size) => {
      const writer = createJsonArrayWriter()
      const text =
        values.map((value) => writer.element(JSON.stringify(value))).join('') + writer.end()
      expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(values)))
      expect(elements(text, size).map((json) => JSON.parse(json))).toEqual(
        JSON.parse(JSON.stringify(values)),
      )
    }),
  )
})
