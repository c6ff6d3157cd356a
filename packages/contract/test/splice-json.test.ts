import { expect, test } from 'vitest'
import { changeWithin, removeFields, spliceFields, spliceItems } from '../src/wire/splice-json.ts'

const fields = (text: string, given: Readonly<Record<string, unknown>>) =>
  Buffer.from(spliceFields(Buffer.from(text), given)).toString()
const items = (text: string) =>
  Buffer.from(spliceItems(Buffer.from(text), 'list', { model: 'm' })).toString()

test.each([
  ['{"model":"a"}', '{"model":"m"}'],
  [' {"x":1E2 ,\n"model" : "a\\"}" }\n', ' {"x":1E2 ,\n"model" : "m" }\n'],
  ['{"deep":{"model":"a"},"model":1}', '{"deep":{"model":"a"},"model":"m"}'],
  [
    '{"model":"a","x":[{"model":"b"}],"model":{"a":[1]}}',
    '{"model":"m","x":[{"model":"b"}],"model":"m"}',
  ],
  ['{"\\u006dodel":"a"}', '{"\\u006dodel":"m"}'],
  ['{}', '{"model":"m"}'],
  ['{ "ü" : "🗼" }', '{"model":"m", "ü" : "🗼" }'],
])('replaces a field of %s', (text, expected) => {
  expect(fields(text, { model: 'm' })).toBe(expected)
})

test('replaces several fields at once', () => {
  expect(fields('{"b":1, "a":2, "c":3}', { a: [1], b: null, d: 4 })).toBe(
    '{"d":4,"b":null, "a":[1], "c":3}',
  )
})

test.each([
  ['{"list":[]}', '{"list":[]}'],
  [
    '{"list":[ {"model":"a","x":1.0} ,\n{"x" : "]"} ]}',
    '{"list":[ {"model":"m","x":1.0} ,\n{"model":"m","x" : "]"} ]}',
  ],
  ['{"list":[1,null,"{",{"model":2}],"y":2}', '{"list":[1,null,"{",{"model":"m"}],"y":2}'],
  ['{"list":{"model":"a"}}', '{"list":{"model":"a"}}'],
  ['{"x":[{"model":"a"}]}', '{"x":[{"model":"a"}]}'],
])('replaces a field in the items of %s', (text, expected) => {
  expect(items(text)).toBe(expected)
})

test.each([
  ['{"a":1}', '{}'],
  ['{}', '{}'],
  [' { "a" : [1,"}"] , "x" : 1.0 }', '{"x" : 1.0}'],
  ['{"x":{"a":1},"a":2,"b":3}', '{"x":{"a":1}}'],
  ['{"a":1,"x":2,"\\u0061":3,"b":4,"y":1e400}', '{"x":2,"y":1e400}'],
])('removes two fields from %s', (text, expected) => {
  expect(Buffer.from(removeFields(Buffer.from(text), ['a', 'b'])).toString()).toBe(expected)
})

test.each([
  ['{"in":{"a":1,"b":2.0},"a":3}', '{"in":{"a":9,"b":2.0},"a":3}'],
  [' {"x":"{" , "in" : {"b":[]} }', ' {"x":"{" , "in" : {"a":9,"b":[]} }'],
  ['{"in":{"a":1},"in":{"a":2}}', '{"in":{"a":9},"in":{"a":9}}'],
  ['{"in":null}', '{"in":null}'],
  ['{"x":{"in":{"a":1}}}', '{"x":{"in":{"a":1}}}'],
])('replaces a field in a nested object of %s', (text, expected) => {
  const changed = changeWithin(Buffer.from(text), 'in', (object) => spliceFields(object, { a: 9 }))
  expect(Buffer.from(changed).toString()).toBe(expected)
})
