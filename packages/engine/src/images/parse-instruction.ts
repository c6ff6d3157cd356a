import { type Edit, type EditKind, findEdit, isEmpty } from './edit-rules.ts'
import { quoteOf, quotePlaceholder, takeQuotes, withQuotes } from './quotes.ts'

/** A step, and the words that asked for it. */
export interface EditStep {
  readonly edit: Edit
  readonly words: string
}

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

/**
 * Reads what an instruction asks for, in order. Never throws; what is not understood is returned as leftover. A repeated clause
 * is emphasis and not a second step.
 */
export function parseInstruction(instruction: string): ParsedInstruction {
  const { text, quotes } = takeQuotes(instruction.slice(0, charactersMax))
  const quoteIn = (part: string): string =>
    quoteOf(quotes, new RegExp(quotePlaceholder).exec(part)?.[0] ?? '') ?? ''
  const steps = new Map<string, EditStep>()
  const leftover: string[] = []
  for (const clause of text.replaceAll(/ ?& ?|-and-/g, ' and ').split(clauseBreaks)) {
    const asked = clause.trim()
    if (isEmpty(asked)) continue
    if (/\b(?:do not|don't|dont|don’t|no|never|avoid)\b/.test(asked)) continue
    const words = withQuotes(asked, quotes)
    const edit = findEdit(asked, quoteIn)
    if (edit === undefined) leftover.push(words)
    else if (steps.size < stepsMax) steps.set(asked, { edit, words })
  }
  return { steps: [...steps.values()], leftover }
}

/** Words of a negative prompt that name a kind of step. */
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

/** The kinds of steps that a negative prompt excludes. */
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
  return new Set([...steps.map(({ edit }) => edit.kind), ...named])
}
