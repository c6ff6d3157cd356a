import { type EditKind, type EditOperation, describeOperation } from './edit-operations.ts'
import {
  clauseAt,
  clauseBreaks,
  type InstructionRule,
  isNegated,
  type Quoted,
  takeQuotes,
} from './instruction-clause.ts'
import { colorRules } from './rules-color.ts'
import { drawingRules } from './rules-drawing.ts'
import { geometryRules } from './rules-geometry.ts'

export interface ParsedInstruction {
  readonly operations: readonly EditOperation[]
  /** Words that no rule took, clause by clause. */
  readonly leftover: readonly string[]
}

/** Longer instructions are read to here; no honest edit needs more words. */
const charactersMax = 8000
const operationsMax = 24

/** More special rules come first: what one takes, the next does not see. */
const rules: readonly InstructionRule[] = [...drawingRules, ...geometryRules, ...colorRules]

interface Found {
  readonly at: number
  readonly operations: readonly EditOperation[]
}

/** Reads what an instruction asks for, in its order. Never throws; what is not understood is left over. */
export function parseInstruction(instruction: string): ParsedInstruction {
  const quoted = takeQuotes(instruction.slice(0, charactersMax))
  const found: Found[] = []
  let open = quoted.text
  for (const rule of rules) open = applyRule(rule, { ...quoted, open }, found)
  const operations = found.toSorted((a, b) => a.at - b.at).flatMap(({ operations }) => operations)
  return {
    operations: withoutRepeats(operations).slice(0, operationsMax),
    leftover: leftoverOf(open),
  }
}

const taken = '\uf8fe'

function applyRule(
  { pattern, make }: InstructionRule,
  quoted: Quoted & { readonly open: string },
  found: Found[],
): string {
  const everywhere = new RegExp(pattern.source, 'giu')
  let { open } = quoted
  for (const match of quoted.open.matchAll(everywhere)) {
    const end = match.index + match[0].length
    const clause = clauseAt(quoted, { start: match.index, end })
    const made = make(match, clause)
    if (made === undefined || match[0] === '') continue
    open = open.slice(0, match.index) + taken.repeat(match[0].length) + open.slice(end)
    if (isNegated(clause)) continue
    found.push({ at: match.index, operations: [made].flat() })
  }
  return open
}

/** Saying the same thing twice in one sentence is emphasis, not a second pass. */
function withoutRepeats(operations: readonly EditOperation[]): readonly EditOperation[] {
  const seen = new Set<string>()
  return operations.filter((operation) => {
    const key = describeOperation(operation)
    return seen.size !== seen.add(key).size
  })
}

const emptyWords = new Set(
  `a an the this that these those it its is are be to of in on at by with for from as into and or but then also
  please can could would you i we want like make made making turn change set add apply give get put use using do
  have image images picture pictures photo photos photograph pic im img so very more less much bit little slightly
  effect filter style look looks looking version all whole entire every just only my me here there some any which
  will should need let us kindly edit editing modify degrees degree percent px pixels around up down no not don't
  without never avoid amount level strongly heavily gently softly color colour colors colours strong light heavy`.split(
    /\s+/,
  ),
)

/** Clauses in which no rule found anything. */
function leftoverOf(open: string): readonly string[] {
  return open
    .split(clauseBreaks)
    .filter((clause) => !clause.includes(taken))
    .map((clause) => clause.replaceAll(/[\ue000-\uf8ff]/g, '').trim())
    .filter((clause) => (clause.match(/[\p{L}\p{N}'%]+/gu) ?? []).some(isMeaningful))
}

function isMeaningful(word: string): boolean {
  return !emptyWords.has(word) && !/^[\d%]+$/.test(word) && !/^[把将的成为使让图片变]+$/.test(word)
}

/** Plain words of a negative prompt that name a kind of operation. */
const kindWords: Readonly<Record<string, readonly EditKind[]>> = {
  text: ['caption'],
  words: ['caption'],
  letters: ['caption'],
  captions: ['caption'],
  caption: ['caption'],
  frame: ['border'],
  dark: ['brightness'],
  darkness: ['brightness'],
  rotation: ['rotate'],
  cropping: ['crop'],
  cropped: ['crop'],
  mirrored: ['flip'],
  resizing: ['resize'],
  blurry: ['blur'],
  soft: ['blur'],
  noise: ['grain'],
  grainy: ['grain'],
  oversaturated: ['saturation'],
  desaturated: ['saturation', 'grayscale'],
  monochrome: ['grayscale'],
  pixelated: ['pixelate'],
  overexposed: ['brightness'],
  tinted: ['tint'],
  background: ['background'],
}

/** The kinds of operations a negative prompt rules out. */
export function parseNegative(negativePrompt: string): ReadonlySet<EditKind> {
  const { operations } = parseInstruction(negativePrompt)
  const words =
    negativePrompt
      .slice(0, charactersMax)
      .toLowerCase()
      .match(/[a-z]+/g) ?? []
  const named = words.flatMap(
    (word) => (Object.hasOwn(kindWords, word) ? kindWords[word] : []) ?? [],
  )
  return new Set([...operations.map(({ kind }) => kind), ...named])
}
