import fc from 'fast-check'
import { expect, it } from 'vitest'
import { StreamedArguments } from '../../src/openai/upstream/no-arguments.ts'
import '../../../../test/support/property-limits.ts'

const argumentsOfOne = fc.oneof(
  fc.constantFrom('', 'null', ' null ', '\n'),
  fc.json({ maxDepth: 1 }).map((value) => JSON.stringify({ value })),
)

/** A text in pieces, some of them empty. */
const inPieces = fc
  .tuple(argumentsOfOne, fc.array(fc.nat(40), { maxLength: 5 }))
  .map(([text, cuts]) => {
    const places = [0, ...cuts.map((cut) => Math.min(cut, text.length)), text.length]
    const sorted = places.toSorted((a, b) => a - b)
    return { text, pieces: sorted.slice(1).map((end, index) => text.slice(sorted[index], end)) }
  })

it('property: calls in parts keep their arguments or get an empty object', () => {
  fc.assert(
    fc.property(
      fc.array(inPieces, { minLength: 1, maxLength: 4 }),
      fc.boolean(),
      (calls, isTogether) => {
        const repairing = new StreamedArguments()
        const told = calls.map(() => '')
        const tell = (choice: Readonly<Record<string, unknown>>): void => {
          const { delta } = repairing.mend(choice) as {
            delta: { tool_calls?: { index: number; function: { arguments: string } }[] }
          }
          for (const { index, function: called } of delta.tool_calls ?? [])
            told[index] += called.arguments
        }
        const pieces = calls.flatMap((call, index) =>
          call.pieces.map((text) => ({ index, function: { arguments: text } })),
        )
        if (isTogether)
          tell({ index: 0, delta: { tool_calls: pieces }, finish_reason: 'tool_calls' })
        else {
          for (const piece of pieces)
            tell({ index: 0, delta: { tool_calls: [piece] }, finish_reason: null })
          tell({ index: 0, delta: {}, finish_reason: 'tool_calls' })
        }
        expect(told).toEqual(
          calls.map(({ text }) => (['', 'null'].includes(text.trim()) ? '{}' : text)),
        )
      },
    ),
    { numRuns: 500 },
  )
})
