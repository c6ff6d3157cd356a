import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, test, vi } from 'vitest'
import { codeFile, formatCode, programs } from '../../../build/wasm.ts'
import { formatJson, isRawNumber, parseJson } from '../src/wire/json.ts'
import { type CutTexts, outlineJson } from '../src/wire/json-outline.ts'
import '../../../test/support/property-limits.ts'

const runs = { numRuns: 1_500 }
const cutFrom = 256

/** What the outline of a parsed document is. */
function cut(value: unknown, level: number, name?: string): unknown {
  if (typeof value === 'string') {
    const isFree = (name === 'content' || name === 'text') && level >= 3
    return isFree && escapedBytes(value) >= cutFrom && !value.startsWith('data:') ? '...' : value
  }
  if (Array.isArray(value)) return value.map((item) => cut(item, level + 1))
  if (typeof value !== 'object' || value === null || isRawNumber(value)) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, field]) => [key, cut(field, level + 1, key)]),
  )
}

/** What was left out to make one of the other. */
function sumOfCut(value: unknown, outline: unknown): CutTexts {
  const sum = { count: 0, characters: 0, furtherBytes: 0 }
  const add = (from: unknown, to: unknown): void => {
    if (typeof from === 'string' && from !== to) {
      sum.count += 1
      sum.characters += from.length
      sum.furtherBytes += Buffer.byteLength(from) - from.length
    }
    if (typeof from !== 'object' || from === null || isRawNumber(from)) return
    for (const [name, field] of Object.entries(from)) add(field, Reflect.get(to as object, name))
  }
  add(value, outline)
  return sum
}

const escapedBytes = (text: string) => Buffer.byteLength(JSON.stringify(text)) - '""'.length

const words = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.constantFrom(
    '"model":"m"',
    '\\',
    '"',
    '\n',
    'ß',
    '日本',
    '🗼',
    '\u0007',
    '...',
    '{"content":"',
    'data:',
  ),
)
const text = fc
  .tuple(fc.array(words, { minLength: 1, maxLength: 6 }), fc.integer({ min: 0, max: 120 }))
  // A lone half of a pair takes as many bytes as U+FFFD, which stands for it in UTF-8.
  .map(([parts, times]) => parts.join('').repeat(times).toWellFormed())
const part = fc.record({ type: fc.constant('text'), text })
const other = fc.record({
  content: fc.jsonValue(),
  context: text,
  'a"content': text,
  n: fc.double(),
})
const message = fc.record({
  role: fc.constantFrom('user', 'assistant'),
  content: fc.oneof(text, fc.array(fc.oneof(part, other), { maxLength: 4 })),
})
const document = fc
  .tuple(
    fc.record({ content: text, messages: fc.array(message, { maxLength: 8 }), x: fc.jsonValue() }),
    fc.constantFrom(undefined, 1, '\t'),
  )
  // A last message that is long in any case, as nothing is cut out of documents that hold little to cut.
  .map(([body, indent]) => {
    const last = { role: 'user', content: 'long '.repeat(1_500) }
    return JSON.stringify({ ...body, messages: [...body.messages, last] }, undefined, indent)
  })

describe('the outline of a document', () => {
  test('property: equals the document without its long texts', () => {
    let outlined = 0
    fc.assert(
      fc.property(document, (json) => {
        const outline = outlineJson(Buffer.from(json))
        if (outline === undefined) return
        outlined += 1
        const parsed = parseJson(json)
        const expected = cut(parsed, 0)
        expect(formatJson(outline.value)).toBe(formatJson(expected))
        expect(outline.cut).toEqual(sumOfCut(parsed, expected))
      }),
      runs,
    )
    expect(outlined).toBeGreaterThan(runs.numRuns / 4)
  })

  test('property: exists only for valid JSON', () => {
    let outlined = 0
    const change = fc.record({
      place: fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
      removed: fc.integer({ min: 0, max: 2 }),
      put: fc.constantFrom('', '"', '\\', '\\u12', '\\x', '\n', '\u0000', ',', '}', '{', ']', '0'),
    })
    fc.assert(
      fc.property(document, change, (json, { place, removed, put }) => {
        const at = Math.floor(place * json.length)
        const changed = json.slice(0, at) + put + json.slice(at + removed)
        const bytes = Buffer.from(changed.toWellFormed())
        const outline = outlineJson(bytes)
        if (outline === undefined) return
        outlined += 1
        expect(formatJson(outline.value)).toBe(formatJson(cut(parseJson(bytes.toString()), 0)))
      }),
      runs,
    )
    expect(outlined).toBeGreaterThan(runs.numRuns / 20)
  })

  const of = (content: string) => Buffer.from(`{"messages":[{"content":"${content}"}]}`)
  const long = 'word '.repeat(1_000)

  test.each([
    ['an escape that JSON lacks', `${long}\\x`],
    ['half an escape', `${long}\\u12`],
    ['half an escape at its end', `${long}\\`],
    ['a line feed', `${long}\n`],
    ['a null', `${long}\0`],
    ['a character below space', `${long}\u001f${long}`],
  ])('does not exist with %s in a long text', (_name, content) => {
    expect(outlineJson(of(content))).toBeUndefined()
    expect(outlineJson(of(content.slice(0, long.length)))?.value).toEqual({
      messages: [{ content: '...' }],
    })
  })

  test.each([
    ['every escape', `\\" \\\\ \\/ \\b \\f \\n \\r \\t \\u00e4\\uDbFf${long}`],
    ['letters of several bytes', `ß日🗼\u007f${long}`],
    ['quotes at its ends', `\\"${long}\\"`],
  ])('exists with %s in a long text', (_name, content) => {
    const { length } = JSON.parse(`"${content}"`) as string
    const furtherBytes = content.includes('ß') ? 1 + 2 + 2 : content.includes('u00e4') ? 1 + 1 : 0
    expect(outlineJson(of(content))).toEqual({
      value: { messages: [{ content: '...' }] },
      cut: { count: 1, characters: length, furtherBytes },
    })
  })

  test('counts escaped characters like unescaped ones', () => {
    const escaped = '\\u0061\\u00e9\\u65E5\\ud83d\\uDDFC\\n\\"\\/'
    const letters = JSON.parse(`"${escaped}"`) as string
    const plain = outlineJson(of(JSON.stringify(letters + long).slice(1, -1)))
    expect(outlineJson(of(escaped + long))?.cut).toEqual(plain?.cut)
    expect(plain?.cut.characters).toBe(letters.length + long.length)
  })

  test('works for successive documents of any length', () => {
    for (const times of [200, 100_000, 1, 300, 2_000])
      expect(outlineJson(of(long.repeat(Math.min(times, 200))))?.value).toEqual({
        messages: [{ content: '...' }],
      })
    // Its end is not that of the longer one before it.
    expect(outlineJson(of(long).subarray(0, -4))).toBeUndefined()
  })

  test.each([17, 16, 15, 8, 1, 0])(
    'works for documents that end %i bytes before a memory page',
    async (lacking) => {
      // The program's memory grows with its documents, and never shrinks.
      vi.resetModules()
      const { outlineJson: first } = await import('../src/wire/json-outline.ts')
      for (let pages = 1; pages <= 5; pages += 1) {
        const content = 'a'.repeat(pages * 64 * 1024 - lacking - of('').length)
        expect(first(of(content))?.cut.characters).toBe(content.length)
      }
    },
  )

  test('keeps short texts, texts at the top level and texts of other names', () => {
    const some = long.slice(0, 600)
    const cut = { content: '...', texts: some, input: { text: '...' }, 'a"text': some }
    const whole = { content: some, texts: some, input: { text: some }, 'a"text': some }
    const last = { text: long.repeat(9) }
    const body = { x: [last], content: some, parts: [{ content: 'Hi' }, whole] }
    const outline = { x: [{ text: '...' }], content: some, parts: [{ content: 'Hi' }, cut] }
    expect(outlineJson(Buffer.from(JSON.stringify(body)))?.value).toEqual(outline)
  })

  test.each([
    ['is short', of('word')],
    ['has more than a megabyte', of('a'.repeat(1024 * 1024))],
    ['holds little that is cut', Buffer.from(JSON.stringify({ input: long.repeat(5) }))],
  ])('does not exist for a document that %s', (_name, bytes) => {
    expect(outlineJson(bytes)).toBeUndefined()
  })
})

test.each(programs)('the WebAssembly of %s matches its source', async (name) => {
  expect(readFileSync(codeFile(name), 'utf8')).toBe(await formatCode(name))
})
