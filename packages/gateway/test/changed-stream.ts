// Streams of events with mistakes and with what they rarely have, and ways in which they are cut.
import fc from 'fast-check'

const values = [
  'null',
  '""',
  '"x"',
  '"\\u006eü😀\\""',
  '"error"',
  '"stop"',
  '0',
  '1',
  '-0.5e+3',
  '01',
  '12345678901234567890',
  'true',
  'False',
  '{}',
  '[]',
  '[{}]',
  '{"prompt_tokens":3,"promptTokenCount":3}',
  '{"usage":{"prompt_tokens":3,"output_tokens":4}}',
  '[{"text":"a"},{"text":""}]',
  '[{"index":0,"id":"call_1","function":{"name":"f","arguments":""}}]',
  '[{"index":0,"function":{"arguments":"{}"}}]',
] as const

/** The nth match, counted around. */
function replaceNth(text: string, pattern: RegExp, nth: number, by: (found: string) => string) {
  const found = [...text.matchAll(pattern)]
  const chosen = found[nth % Math.max(1, found.length)]
  if (chosen === undefined) return text
  return text.slice(0, chosen.index) + by(chosen[0]) + text.slice(chosen.index + chosen[0].length)
}

function reversed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reversed)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .map(([name, inner]) => [name, reversed(inner)] as const)
      .toReversed(),
  )
}

const hex = (text: string) => `\\u${text.charCodeAt(0).toString(16).padStart(4, '0')}`
const simple = /"(?:[^"\\]|\\.)*"|-?\d[\d.]*|null|true|false/g

interface Place {
  readonly place: number
  readonly name: string
  readonly value: string
}

const mutations: Readonly<Record<string, (event: string, change: Place) => string>> = {
  'is left out': () => '',
  'comes twice': (event) => event + event,
  'has another value': (event, { place, value }) =>
    replaceNth(
      event,
      /:(?:"(?:[^"\\]|\\.)*"|-?\d[\d.]*|null|true|false)/g,
      place,
      () => `:${value}`,
    ),
  'has a further member': (event, { place, name, value }) =>
    replaceNth(event, /\{/g, place, () => `{"${name}":${value},`),
  'has a further member behind': (event, { place, name, value }) =>
    replaceNth(event, /[^{]\}/g, place, (found) => `${found[0]},"${name}":${value}}`),
  'lacks a member': (event, { place }) =>
    replaceNth(
      event,
      /"[^"\\]+":(?:"(?:[^"\\]|\\.)*"|-?\d[\d.]*|null|true|false),/g,
      place,
      () => '',
    ),
  'has another name': (event, { place, name }) =>
    replaceNth(event, /"[^"\\]+":/g, place, () => `"${name}":`),
  'has its members in another order': (event) =>
    event.replace(/\{.*\}/, (json) => {
      try {
        return JSON.stringify(reversed(JSON.parse(json)))
      } catch {
        return json
      }
    }),
  'has an escape': (event, { place }) =>
    replaceNth(event, /"[a-z]/g, place, (found) => `"${hex(found[1] ?? '')}`),
  'has white space': (event, { place, value }) =>
    replaceNth(event, /[{}[\]:,]/g, place, (found) => (value < '1' ? ` ${found}` : `${found} `)),
  'has spaces everywhere': (event) =>
    event.replace(/\{.*\}/, (json) => json.replace(/([,:])(?=["\d[{])/g, '$1 ')),
  'has other line ends': (event, { place }) =>
    event.replaceAll('\n', place % 2 === 0 ? '\r\n' : '\r'),
  'has several line ends': (event, { place }) => {
    let at = 0
    return event.replaceAll('\n', () => ['\n', '\r\n', '\r'][(place >> at++) % 3] ?? '')
  },
  'has blank lines of another kind': (event, { place }) =>
    place % 2 === 0 ? `\r\n${event}` : `${event}\r\n`,
  'has a comment': (event, { value }) => `: ${value}\n${event}`,
  'has a name': (event, { name, place }) =>
    `event:${place % 2 === 0 ? ' ' : ''}${place % 3 === 0 ? 'error' : name}\n${event}`,
  'has an id': (event) => `id: 7\n${event}`,
  'has two lines': (event, { place }) => replaceNth(event, /,/g, place, () => ',\ndata: '),
  'has more blank lines': (event, { place }) => event + '\n'.repeat(1 + (place % 3)),
  'has none': (event) => event.trimEnd(),
  'has a byte order mark': (event) => `\uFEFF${event}`,
  'lacks a brace': (event) => event.replace(/\}\n\n$/, '\n\n'),
  'lacks a character': (event, { place }) => replaceNth(event, /[^]/g, place, () => ''),
  'has another character': (event, { place, value }) =>
    replaceNth(event, /[^]/g, place, () => value.at(-1) ?? ''),
  'has another control': (event, { place }) =>
    replaceNth(event, /[^]/g, place, () => String.fromCharCode(place % 32)),
  'is long': (event, { place, value }) =>
    replaceNth(
      event,
      simple,
      place,
      () => `"${value.replaceAll(/["\\]/g, '').repeat(place % 2000)}"`,
    ),
}

/** Changes of events that put members with these names into them. */
function changesWith(names: ReadonlySet<string>) {
  return fc.array(
    fc.record({
      event: fc.nat(),
      kind: fc.constantFrom(...Object.keys(mutations)),
      place: fc.nat(5_000),
      name: fc.constantFrom(...names),
      value: fc.constantFrom(...values),
    }),
    { maxLength: 3 },
  )
}

/** A byte that no longer is what it was, in one of a thousand places of the stream. */
const flip = fc.option(fc.record({ place: fc.nat(999), by: fc.integer({ min: 1, max: 255 }) }), {
  freq: 3,
  nil: undefined,
})
const cuts = fc.oneof(
  fc.constant([]),
  fc.constantFrom([7], [300], [1_400]),
  fc.array(fc.integer({ min: 1, max: 600 }), { minLength: 1, maxLength: 20 }),
)

/** How a stream of events differs from what was sent, and how it arrives. */
export function changedWith(names: ReadonlySet<string>) {
  return fc.record({ changes: changesWith(names), flip, cuts, hidesUsage: fc.boolean() })
}

type Changed = ReturnType<typeof changedWith> extends fc.Arbitrary<infer T> ? T : never

/** The pieces in which such a stream arrives. */
export function changedPieces(
  events: readonly string[],
  { changes, flip: flipped, cuts: sizes }: Changed,
): readonly Uint8Array[] {
  const mutated = [...events]
  for (const one of changes) {
    const index = one.event % mutated.length
    mutated[index] = mutations[one.kind]?.(mutated[index] ?? '', one) ?? ''
  }
  const bytes = Buffer.from(mutated.join(''))
  const place = Math.floor(((flipped?.place ?? 0) / 1_000) * bytes.length)
  if (flipped) bytes[place] = (bytes[place] ?? 0) ^ flipped.by
  return piecesOf(bytes, sizes)
}

/** Cuts bytes into pieces of these sizes, which are repeated, but not into too many. */
export function piecesOf(
  bytes: Uint8Array,
  sizes: readonly number[],
  piecesMax = 300,
): readonly Uint8Array[] {
  const pieces: Uint8Array[] = []
  for (let at = 0, index = 0; at < bytes.length; index += 1) {
    const size = Math.max(
      sizes[index % sizes.length] ?? bytes.length,
      Math.ceil(bytes.length / piecesMax),
    )
    pieces.push(bytes.subarray(at, at + size))
    at += size
  }
  return pieces
}
