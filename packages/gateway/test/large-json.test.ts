import { formatJson, parseJson } from '@sluice/contract'
import { array, assert, asyncProperty, constantFrom, integer, string, tuple } from 'fast-check'
import { describe, expect, test } from 'vitest'
import { parseLargeAnswer, parseLargeJson } from '../src/turns/large-json.ts'
import '../../../test/support/property-limits.ts'

const unitsMax = 500_000

/** Text as JSON writes it, in pieces that must not be cut: escapes, characters of every length. */
const pieces = constantFrom(
  'a',
  'é',
  '漢',
  '😀',
  '\\n',
  '\\"',
  '\\\\',
  '\\u00e9',
  '\\ud83d\\ude00',
  '\\ud83d',
)
const longText = tuple(
  array(pieces, { minLength: 1, maxLength: 9 }),
  integer({ min: 1, max: 700_000 }),
).map(
  ([repeated, size]) => `"${repeated.join('').repeat(Math.ceil(size / repeated.join('').length))}"`,
)

test('a large document parses like a small one, wherever it is split', () =>
  assert(
    asyncProperty(
      array(
        tuple(
          longText,
          string().map((text) => JSON.stringify(text)),
        ),
        { minLength: 1, maxLength: 3 },
      ),
      async (parts) => {
        const fields = parts.map(
          ([long, text], index) =>
            `"f${index}" : ${long} ,\n"#${index}:":[12345678901234567890,${text},"#0:0",{"a":${long}}],"":${index}`,
        )
        // One that is large whatever the others are, and one whose name is long.
        const large = `"large":"${'x\\n'.repeat(200_000)}","${'n'.repeat(20_000)}" :1`
        const json = `{${[...fields, large].join(',')}}`
        const parsed = await parseLargeJson(Buffer.from(json), unitsMax)
        expect(formatJson(parsed) === formatJson(parseJson(json))).toBe(true)
      },
    ),
    { numRuns: 8 },
  ))

describe('rejects invalid JSON in a large document:', () => {
  const long = 'a'.repeat(1_500_000)
  test.each([
    ['an unterminated string', `{"a":"${long}`],
    ['a line break in a string', `{"a":"${long}\n${long}"}`],
    ['an invalid escape', `{"a":"${long}\\x${long}"}`],
    ['a truncated escape', `{"a":"${long}\\u00"}`],
    ['two strings in a row', `{"a":"${long}""${long}"}`],
    ['a trailing string', `{"a":1,"${long}"}`],
    ['only the start of a string', `"${long}\\`],
  ])('%s', (_name, json) =>
    expect(parseLargeJson(Buffer.from(json), unitsMax)).rejects.toThrow(SyntaxError),
  )
})

test.each([
  ['numbers', '0', 1],
  ['empty lists', '[]', 5],
  ['strings', '""', 5],
  ['objects of one field', '{"a":0}', 9],
])('%s are counted against the limit of values', async (_name, value, units) => {
  const count = 20_000
  const json = Buffer.from(`[${Array(count).fill(value).join()}]`)
  // The commas stand for the values before them; the list itself counts too.
  const all = units * count - 1 + 4
  await expect(parseLargeJson(json, all)).resolves.toHaveLength(count)
  await expect(parseLargeJson(json, all - 1)).rejects.toMatchObject({ code: 'too_large' })
})

test('rejects more than 16 MiB of short texts', async () => {
  const json = JSON.stringify(Array(1_100).fill('a'.repeat(16_000)))
  await expect(parseLargeJson(Buffer.from(json), unitsMax)).rejects.toMatchObject({
    code: 'too_large',
  })
})

describe('a large answer', () => {
  const list = (count: number) =>
    `[ ${Array.from({ length: count }, (_, at) => `${at}.5e-3`).join(' , ')} ]`

  test('parses like a small one, with lists of numbers', async () => {
    const texts = JSON.stringify('x\n'.repeat(20_000))
    const rows = Array.from(
      { length: 40 },
      (_, at) => `{"a":${list(3_000)},"b":[${texts},[]],"c":${at}}`,
    )
    const json = `{"data":[${rows.join()}],"n":[[1,2],${list(2_000)},"[1,2]",{"d":${list(2_000)}}]}`
    expect(formatJson(await parseLargeAnswer(Buffer.from(json)))).toBe(formatJson(parseJson(json)))
  })

  test('with too many other values is garbled', async () => {
    const many = (value: string) => Buffer.from(`[${Array(1_200_000).fill(value).join()}]`)
    await expect(parseLargeAnswer(many('{}'))).rejects.toMatchObject({ code: 'upstream_garbled' })
    await expect(parseLargeAnswer(many('1'))).resolves.toHaveLength(1_200_000)
  })
})
