import { Type as TypeBox } from 'typebox'
import { Compile as CompileTypeBox } from 'typebox/compile'
import { Compile } from 'typebox/schema'
import { describe, expect, test } from 'vitest'
import { Type } from '../src/core/type.ts'

/** Schemas made of every builder, by one set of builders or the other. */
function samples(T: typeof Type) {
  const described = { description: 'x' }
  return {
    String: T.String({ minLength: 1, ...described }),
    Number: T.Number({ minimum: 0 }),
    Integer: T.Integer(),
    Boolean: T.Boolean(described),
    Null: T.Null(),
    Unknown: T.Unknown(),
    Never: T.Never(),
    'Literal text': T.Literal('a'),
    'Literal number': T.Literal(1),
    'Literal boolean': T.Literal(true),
    Enum: T.Enum(['a', 'b'], described),
    Array: T.Array(T.String(), { minItems: 1 }),
    Union: T.Union([T.String(), T.Null()], described),
    Intersect: T.Intersect([T.Object({ a: T.String() }), T.Record(T.String(), T.Unknown())]),
    Unsafe: T.Unsafe<number>({ type: 'integer', enum: [1] }),
    'Optional alone': T.Optional(T.String()),
    'Object empty': T.Object({}),
    Object: T.Object(
      {
        needed: T.String(),
        mayBeAbsent: T.Optional(T.Union([T.Integer(), T.Null()])),
        inner: T.Optional(T.Object({ also: T.Literal('x') }, { additionalProperties: false })),
      },
      described,
    ),
    'Object of options only': T.Object({ a: T.Optional(T.String()) }),
    Record: T.Record(T.String(), T.Number(), described),
  }
}

const ours = samples(Type)
const theirs = samples(TypeBox)
const names = Object.keys(ours) as (keyof typeof ours)[]

describe('what our builders make is what TypeBox makes', () => {
  test.each(names)('%s', (name) => {
    expect(JSON.parse(JSON.stringify(ours[name]))).toEqual(JSON.parse(JSON.stringify(theirs[name])))
  })
})

describe('it checks the same', () => {
  // biome-ignore format: a table
  const values: readonly unknown[] = [
    '', 'a', 'b', 0, 1, -1, 1.5, true, false, null, [], ['a'], {}, { a: 'x' }, { a: 1 },
    { needed: 'x' }, { needed: 'x', mayBeAbsent: null }, { needed: 'x', inner: { also: 'y' } },
  ]
  test.each(names)('%s', (name) => {
    const our = Compile(ours[name])
    const their = CompileTypeBox(theirs[name])
    expect(values.map((value) => our.Check(value))).toEqual(
      values.map((value) => their.Check(value)),
    )
  })
})

test('being optional is not part of the schema, and the optional schema is a copy', () => {
  const plain = Type.String()
  const marked = Type.Optional(plain)
  expect(Object.keys(marked)).toEqual(['type'])
  expect(Type.Object({ plain, marked })).toMatchObject({ required: ['plain'] })
})
