import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createJsonArraySplitter } from '../src/wire/json-array.ts'
import { JsonSurvey } from '../src/wire/json-survey.ts'
import { spliceFields, spliceInPlace, spliceItems } from '../src/wire/splice-json.ts'
import { createEventSplitter, type EventBlock, type EventSplitter } from '../src/wire/sse.ts'
import '../../../test/support/property-limits.ts'

const runs = { numRuns: 2_000 }

/** Adversarial JSON text: any white space, escaped key names, duplicate keys, fields of the same name further in. */
const space = fc
  .array(fc.constantFrom(' ', '\n', '\r', '\t'), { maxLength: 2 })
  .map((all) => all.join(''))
// Not of one letter: Node 24's own JSON.parse takes an escaped one, such as "\\u005f", for a backslash at times.
const names = fc.constantFrom(
  'model',
  'stream',
  'mode',
  'models',
  '',
  'a"b',
  '\\\\',
  'üü',
  '🗼',
  '__proto__',
  'a\u0000',
)

const stringText = (value: fc.Arbitrary<string>) =>
  fc.tuple(value, fc.infiniteStream(fc.boolean())).map(([text, escapes]) => {
    const inner = [
      ...JSON.stringify(text)
        .slice(1, -1)
        .matchAll(/\\u.{4}|\\.|[^\\]/gsu),
    ]
      .map(([piece]) => {
        const isEscaped = escapes.next().value === true && !piece.startsWith('\\')
        if (!isEscaped) return piece
        return piece.replace(
          /./gs,
          (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
        )
      })
      .join('')
    return `"${inner}"`
  })

const scalar = fc.oneof(
  fc.constantFrom('null', 'true', 'false', '0', '-1.5e+10', '12345678901234567890', '1E2'),
  stringText(
    fc.oneof(fc.string({ unit: 'binary' }), fc.constantFrom('{', '}', '],', '"model":1', '\\')),
  ),
)

const { object } = fc.letrec<{ value: string; object: string; array: string }>((tie) => ({
  value: fc.oneof({ maxDepth: 4, depthSize: 'small' }, scalar, tie('array'), tie('object')),
  array: fc
    .array(
      fc.tuple(space, tie('value'), space).map((parts) => parts.join('')),
      { maxLength: 4 },
    )
    .map((items) => `[${items.join(',')}]`),
  object: fc
    .tuple(
      fc.array(
        fc
          .tuple(space, stringText(names), space, space, tie('value'), space)
          .map(([before, name, a, b, value, after]) => `${before}${name}${a}:${b}${value}${after}`),
        { maxLength: 6 },
      ),
      space,
    )
    .map(([fields, inner]) => `{${fields.length === 0 ? inner : fields.join(',')}}`),
}))

const body = fc.tuple(space, object, space).map((parts) => parts.join(''))

describe('property: fields spliced into JSON', () => {
  test('equal setting them on the parsed object', () => {
    fc.assert(
      fc.property(body, fc.string(), fc.boolean(), (text, model, both) => {
        const fields = both ? { model, stream: { a: [1] } } : { model }
        const spliced = Buffer.from(spliceFields(Buffer.from(text), fields)).toString('utf8')
        const wanted = { ...(JSON.parse(text) as object), ...fields }
        expect(JSON.stringify(sorted(JSON.parse(spliced)))).toBe(
          JSON.stringify(sorted(JSON.parse(JSON.stringify(wanted)))),
        )
      }),
      runs,
    )
  })

  test('leave every other byte unchanged', () => {
    fc.assert(
      fc.property(body, (text) => {
        const bytes = Buffer.from(text)
        const once = spliceFields(bytes, { model: 'm' })
        expect(Buffer.from(spliceFields(once, { model: 'm' }))).toEqual(Buffer.from(once))
        expect(Buffer.from(spliceFields(bytes, {}))).toEqual(bytes)
      }),
      runs,
    )
  })

  test('in place equal those spliced', () => {
    let inPlace = 0
    const json = fc.jsonValue().map((value) => JSON.stringify(value))
    const plain = fc
      .tuple(json, space, fc.string(), json)
      .map(
        ([before, gap, model, after]) =>
          `{"x":${before},"model"${gap}:${gap}${JSON.stringify(model)},"z":${after}}`,
      )
    fc.assert(
      fc.property(fc.oneof(body, plain), fc.string(), (text, model) => {
        const bytes = Buffer.from(text)
        const wanted = Buffer.from(spliceFields(bytes, { model }))
        const fields = JSON.parse(text) as Record<string, unknown>
        // Here a text of a few bytes is a long one.
        const survey = new JsonSurvey(bytes, 3)
        while (!survey.isDone) survey.advance(1024)
        const spliced = spliceInPlace(bytes, { model }, { fields, longTexts: survey.longTexts })
        if (spliced) inPlace += 1
        expect((spliced?.bytes ?? bytes).toString()).toBe(spliced ? wanted.toString() : text)
        if (!spliced) return
        // What is known of the document holds for what became of it.
        const again = new JsonSurvey(spliced.bytes, 3)
        while (!again.isDone) again.advance(1024)
        const name = { start: spliced.bytes.indexOf(JSON.stringify(model)), end: 0 }
        const others = again.longTexts.filter(({ start }) => start !== name.start + 1)
        const known = spliced.longTexts.filter(({ start }) => start !== name.start + 1)
        expect(known).toEqual(others.map(({ start, end }) => ({ start, end })))
      }),
      runs,
    )
    expect(inPlace).toBeGreaterThan(runs.numRuns / 20)
  })

  test('in items apply to each item', () => {
    fc.assert(
      fc.property(fc.array(fc.oneof(object, scalar), { maxLength: 4 }), space, (list, gap) => {
        const text = `{"list":[${list.join(`${gap},`)}${gap}]}`
        const spliced = Buffer.from(spliceItems(Buffer.from(text), 'list', { model: 'm' }))
        const wanted = list.map((item) => {
          const value: unknown = JSON.parse(item)
          return item.startsWith('{') ? { ...(value as object), model: 'm' } : value
        })
        const { list: got } = JSON.parse(spliced.toString('utf8')) as { readonly list: unknown }
        expect(JSON.stringify(sorted(got))).toBe(
          JSON.stringify(sorted(JSON.parse(JSON.stringify(wanted)))),
        )
      }),
      runs,
    )
  })
})

/** Key order says nothing: a field that was not there is put first. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted)
  if (typeof value !== 'object' || value === null) return value
  return Object.entries(value)
    .toSorted(([left], [right]) => (left < right ? -1 : 1))
    .map(([name, item]) => [name, sorted(item)])
}

/** The events of a whole text, read slowly and by the letter (WHATWG HTML, 9.2.6). */
function slowEvents(text: string): readonly { event: string; data: string }[] {
  const found: { event: string; data: string }[] = []
  let event = ''
  let data: string[] = []
  const lines = text
    .replace(/^\uFEFF/, '')
    .replaceAll('\r\n', '\n')
    .replaceAll('\r', '\n')
    .split('\n')
  // The last event may come without its blank line, which the standard would throw away and upstreams send.
  for (const line of [...lines, '']) {
    if (line === '') {
      if (data.length > 0) found.push({ event, data: data.join('\n') })
      event = ''
      data = []
      continue
    }
    const [, name, value = ''] = /^([^:]*)(?:: ?(.*))?$/su.exec(line) ?? []
    if (name === 'data') data.push(value)
    if (name === 'event') event = value
  }
  return found
}

const streamText = fc
  .array(
    fc.oneof(
      {
        weight: 3,
        arbitrary: fc.constantFrom('\n', '\r', '\r\n', '\n\n', '\r\r', '\r\n\r\n', '\n\r'),
      },
      fc.constantFrom('data: {"a":1}', 'data:x', 'data', 'data: ', 'event: e', 'id: 7', 'retry: 5'),
      fc.constantFrom(
        ': keep-alive',
        ':',
        'data: ü🗼',
        'data:  two spaces',
        'event:',
        'data: a: b',
        'unknown: x',
      ),
      fc.string({ maxLength: 5 }).map((text) => `data: ${text.replace(/[\r\n]/g, '')}`),
    ),
    { maxLength: 24 },
  )
  .chain((parts) => fc.constantFrom('', '\uFEFF').map((mark) => mark + parts.join('')))

function read(
  splitter: EventSplitter,
  bytes: Uint8Array,
  cuts: readonly number[],
): readonly EventBlock[] {
  const blocks: EventBlock[] = []
  let at = 0
  for (const size of cuts) {
    if (at >= bytes.length) break
    blocks.push(...splitter.push(bytes.subarray(at, at + size)))
    at += size
  }
  if (at < bytes.length) blocks.push(...splitter.push(bytes.subarray(at)))
  return [...blocks, ...splitter.end()]
}

const cuts = fc.array(fc.integer({ min: 1, max: 9 }), { maxLength: 200 })

describe('property: an event stream split anywhere', () => {
  test('has the events of a simple reader', () => {
    fc.assert(
      fc.property(streamText, cuts, (text, sizes) => {
        const blocks = read(createEventSplitter(), Buffer.from(text), sizes)
        const events = blocks
          .filter(
            ({ kind, raw }) =>
              kind === 'event' ||
              (kind === 'unreadable' && slowEvents(Buffer.from(raw).toString()).length > 0),
          )
          .map(({ event, data }) => ({ event, data }))
        expect(events).toEqual(slowEvents(text))
      }),
      runs,
    )
  })

  test.each([
    ['at its beginning', '\uFEFFdata: a\n\ndata: b\n\n', ['event a', 'event b']],
    ['twice at its beginning', '\uFEFF\uFEFFdata: a\n\n', ['unreadable \uFEFFdata: a\n\n']],
    [
      'before a later event',
      'data: a\n\n\uFEFFdata: b\n\ndata: ü\n\n',
      ['event a', 'unreadable \uFEFFdata: b\n\n', 'event ü'],
    ],
    ['before a later line', 'data: a\n\uFEFFdata: b\n\n', ['unreadable a']],
    ['within its data', 'data: \uFEFFa\n\n', ['event \uFEFFa']],
  ])('handles a byte order mark %s', (_place, text, expected) => {
    const bytes = Buffer.from(text)
    for (const size of [1, 2, 3, 5, bytes.length]) {
      const sizes = Array<number>(bytes.length).fill(size)
      const blocks = read(createEventSplitter(), bytes, sizes)
      expect(blocks.map(({ kind, data }) => `${kind} ${data}`)).toEqual(expected)
    }
  })

  test('keeps all of its bytes', () => {
    fc.assert(
      fc.property(streamText, cuts, (text, sizes) => {
        const blocks = read(createEventSplitter(), Buffer.from(text), sizes)
        const all = Buffer.concat(blocks.map(({ raw }) => raw)).toString('utf8')
        expect(all === text || all === `${text}\n\n`).toBe(true)
      }),
      runs,
    )
  })

  test('never throws for random bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), cuts, (bytes, sizes) => {
        const blocks = read(createEventSplitter(), bytes, sizes)
        const size = blocks.reduce((sum, { raw }) => sum + raw.length, 0)
        expect(size - bytes.length).toBeOneOf([0, 2])
      }),
      runs,
    )
  })
})

describe('property: a JSON array split anywhere', () => {
  const element = fc.oneof(object, fc.constantFrom('1', 'null', '"a,]"', '[1,[2]]', '"\\""'))

  test('has its elements and all of its bytes', () => {
    fc.assert(
      fc.property(fc.array(element, { maxLength: 5 }), space, cuts, (elements, gap, sizes) => {
        const text = `${gap}[${gap}${elements.join(`${gap},${gap}`)}${gap}]${gap}`
        const blocks = read(createJsonArraySplitter(), Buffer.from(text), sizes)
        expect(blocks.map(({ kind }) => kind)).not.toContain('unreadable')
        const found = blocks.filter(({ kind }) => kind === 'event').map(({ data }) => data.trim())
        expect(found).toEqual(elements)
        expect(Buffer.concat(blocks.map(({ raw }) => raw)).toString('utf8')).toBe(text)
      }),
      runs,
    )
  })
})
