import type { EditKind, EditOperation, EditStep } from './edit-operations.ts'
import { openClause } from './instruction-clause.ts'
import { instructionRules } from './instruction-rules.ts'
import { takeQuotes, withQuotes } from './quotes.ts'

export interface ParsedInstruction {
  readonly steps: readonly EditStep[]
  /** Clauses that were not understood as a whole, so that nothing of them is done. */
  readonly leftover: readonly string[]
}

/** Longer instructions are cut here; no real edit needs more words. */
const charactersMax = 8000
const stepsMax = 24

// "Black and white" is one thing, and a dot between digits belongs to a number.
const clauseBreaks = /[,;!?\n]|\.(?!\d)|\b(?:then|but|after that|(?<!\bblack |\bb )and)\b/

/** Reads what an instruction asks for, in order. Never throws; what is not understood is returned as leftover. */
export function parseInstruction(instruction: string): ParsedInstruction {
  const { text, quotes } = takeQuotes(instruction.slice(0, charactersMax))
  const steps: EditStep[] = []
  const leftover: string[] = []
  for (const clause of text.replaceAll(/ ?& ?|-and-/g, ' and ').split(clauseBreaks)) {
    const asked = clause.trim()
    if (openClause(asked, quotes).unread().length === 0) continue
    if (/\b(?:do not|don't|dont|don’t|without|no|never|avoid)\b/.test(asked)) continue
    const last = steps.at(-1)
    const words = withQuotes(asked, quotes)
    // "Add a circle and two stars": the second clause continues the drawing.
    const more = last?.operation.kind === 'draw' ? readClause(`add ${asked}`, quotes) : undefined
    const operation = readClause(asked, quotes) ?? more
    if (operation === undefined) leftover.push(words)
    else if (last?.operation.kind === 'draw' && operation.kind === 'draw')
      steps.splice(-1, 1, {
        operation: { kind: 'draw', things: [...last.operation.things, ...operation.things] },
        words: `${last.words} and ${words}`,
      })
    else steps.push({ operation, words })
  }
  return { steps: withoutRepeats(steps).slice(0, stepsMax), leftover }
}

/** A repeated instruction is emphasis and not a second step. */
function withoutRepeats(steps: readonly EditStep[]): readonly EditStep[] {
  return [...new Map(steps.map((step) => [JSON.stringify(step.operation), step])).values()]
}

function readClause(text: string, quotes: readonly string[]): EditOperation | undefined {
  for (const { pattern, make } of instructionRules) {
    const clause = openClause(text, quotes)
    const match = clause.take(pattern)
    if (match === undefined) continue
    const operation = make(match, clause)
    if (operation !== undefined && clause.unread().length === 0) return operation
  }
  return undefined
}

/** Words of a negative prompt that name a kind of operation. */
const kindWords: Readonly<Record<string, EditKind>> = {
  text: 'caption',
  words: 'caption',
  caption: 'caption',
  frame: 'border',
  border: 'border',
  dark: 'brightness',
  rotation: 'rotate',
  cropped: 'crop',
  mirrored: 'flip',
  blurry: 'blur',
  monochrome: 'grayscale',
}

/** The kinds of operations that a negative prompt excludes. */
export function parseNegative(negativePrompt: string): ReadonlySet<EditKind> {
  const { steps } = parseInstruction(negativePrompt)
  const words =
    negativePrompt
      .slice(0, charactersMax)
      .toLowerCase()
      .match(/[a-z]+/g) ?? []
  const named = words.flatMap((word) =>
    Object.hasOwn(kindWords, word) ? (kindWords[word] ?? []) : [],
  )
  return new Set([...steps.map(({ operation }) => operation.kind), ...named])
}
