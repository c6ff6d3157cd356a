import { expect, test } from 'vitest'
import { recordingsFolder, testRecording } from '../../test/support/formats/recordings.ts'
import { heldToRecordings, recordedDocuments } from '../src/recordings.ts'
import { shapeOf } from '../src/streams/shape.ts'
import {
  documentsOf,
  eventsUsual,
  framedEvents,
  streamKind,
  streamKinds,
} from '../src/streams/streams.ts'

const tolerance = 0.1

for (const { kinds, recordings } of heldToRecordings)
  testRecording(`${kinds.join(' and ')}: shapes and sizes are those of recorded streams`, () => {
    const made = kinds.flatMap((name) =>
      [1, 2, 3].flatMap((seed) => documentsOf(streamKind(name), seed)),
    )
    const ours = sizesByShape(made)
    const real = sizesByShape(recordedDocuments(recordingsFolder ?? '', recordings))
    const missing = [...real.keys()].filter((shape) => !ours.has(shape))
    expect(missing.length / real.size, missing.join('\n')).toBeLessThanOrEqual(tolerance)
    expect(Math.abs(ours.size / real.size - 1)).toBeLessThanOrEqual(tolerance)
    for (const [shape, sizes] of real) {
      const ratio = mean(ours.get(shape) ?? sizes) / mean(sizes)
      expect(Math.abs(ratio - 1), `${ratio} times the size: ${shape}`).toBeLessThanOrEqual(
        tolerance,
      )
    }
  })

test.each(streamKinds)('$name is the same for the same seed only, and repeats no event', (kind) => {
  const documents = documentsOf(kind, 1)
  expect(documentsOf(kind, 1)).toEqual(documents)
  const others = new Set(documentsOf(kind, 2))
  const spoken = documents.filter((one) => one.length > 110)
  expect(spoken.filter((one) => others.has(one))).toEqual([])
  expect(new Set(spoken).size / spoken.length).toBeGreaterThan(0.4)
  expect(Math.abs(documents.length / eventsUsual - 1)).toBeLessThanOrEqual(tolerance)
})

test('events are framed as each API frames them', () => {
  expect(framedEvents('chat', ['{}'])).toEqual(['data: {}\n\n', 'data: [DONE]\n\n'])
  expect(framedEvents('gemini', ['{}'])).toEqual(['data: {}\r\n\r\n'])
  expect(framedEvents('messages', ['{"type":"ping"}'])).toEqual([
    'event: ping\ndata: {"type":"ping"}\n\n',
  ])
})

function sizesByShape(documents: readonly string[]): ReadonlyMap<string, readonly number[]> {
  const groups = Map.groupBy(documents, shapeOf)
  return new Map(
    [...groups].map(([shape, group]) => [
      shape,
      group.map((document) => document.length - repeatedLength(document)),
    ]),
  )
}

/** Characters of texts that events before have delivered already: as many as the answer is long. */
function repeatedLength(document: string): number {
  let length = 0
  if (!/^\{"type":"[\w.]+\.(?:done|completed)"/.test(document)) return 0
  JSON.parse(document, (name, value: unknown) => {
    if ((name === 'text' || name === 'arguments') && typeof value === 'string')
      length += JSON.stringify(value).length
    return value
  })
  return length
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length
}
