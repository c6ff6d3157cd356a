import { parseJson } from '@sluice/contract'
import { expect, test } from 'vitest'
import { formatLargeJson, isLargeJson } from '../src/turns/format-large.ts'

const long = 'ä\n"\\ 😀'.repeat(60_000)
const values: Readonly<Record<string, unknown>> = {
  'a long text': long,
  'long texts in lists and fields': {
    a: [{ text: long }, long, null],
    [long.slice(0, 9)]: { b: long },
  },
  'long lists of numbers': {
    data: [[Array.from({ length: 90_000 }, (_, index) => Math.sin(index))]],
  },
  'many values': Array.from({ length: 9_000 }, (_, index) => ({
    index,
    list: [index, [], {}],
    none: undefined,
  })),
  'what JSON leaves out': {
    a: undefined,
    b: () => 0,
    c: [undefined, () => 0],
    d: {},
    e: [],
    text: long,
  },
  'nothing but what is left out': { list: [long], empty: { a: undefined } },
  'integers beyond 2^53': { id: parseJson('[123456789012345678901234567890]'), text: long },
  'a value that is short': { a: 1 },
}

test.each(Object.entries(values))('writes %s like JSON.stringify', async (_name, value) => {
  expect((await formatLargeJson(value)).toString()).toBe(JSON.stringify(value))
})

test('writes text that is split within a character', async () => {
  const text = `x${'😀'.repeat(400_000)}`
  expect(JSON.parse((await formatLargeJson({ text })).toString())).toEqual({ text })
})

test('counts as large from about a megabyte or tens of thousands of values', () => {
  expect(isLargeJson({ text: 'a'.repeat(1_000_000) })).toBe(false)
  expect(isLargeJson({ text: 'a'.repeat(1_100_000) })).toBe(true)
  expect(isLargeJson([Array.from({ length: 60_000 }, () => 0)])).toBe(false)
  expect(isLargeJson([Array.from({ length: 70_000 }, () => 0)])).toBe(true)
})
