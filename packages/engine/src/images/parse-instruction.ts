import type { Sharp } from 'sharp'
import { headsIn } from '../word-lists.ts'
import { type Picture, pictureOf, pipelineOf, type Size, transparent } from './picture.ts'
import { takeQuotes, withQuotes } from './quotes.ts'

/** A step, and the words that asked for it. */
interface EditStep {
  readonly edit: Edit
  readonly words: string
}

interface ParsedInstruction {
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
  const steps = new Map<string, EditStep>()
  const leftover: string[] = []
  for (const clause of text.replaceAll(/ ?& ?|-and-/g, ' and ').split(clauseBreaks)) {
    const asked = clause.trim()
    const bare = asked.replace(fillers, ' ').replaceAll(/\s+/g, ' ').trim()
    if (bare === '') continue
    if (/\b(?:do not|don't|dont|don’t|no|never|avoid)\b/.test(asked)) continue
    const words = withQuotes(asked, quotes)
    const edit = findEdit(bare)
    if (edit === undefined) leftover.push(words)
    else if (steps.size < stepsMax) steps.set(asked, { edit, words })
  }
  return { steps: [...steps.values()], leftover }
}

/** Words of a negative prompt that name a kind of step. */
const kindWords = headsIn('edits')

/** The kinds of steps that a negative prompt excludes. */
export function parseNegative(negativePrompt: string): ReadonlySet<string> {
  const words =
    negativePrompt
      .slice(0, charactersMax)
      .toLowerCase()
      .match(/[a-z]+/g) ?? []
  return new Set(words.flatMap((word) => kindWords.get(word) ?? []))
}

export type EditKind = 'grayscale' | 'invert' | 'blur' | 'rotate' | 'flip' | 'crop' | 'resize'

/** One step of an edit. */
export interface Edit {
  readonly kind: EditKind
  readonly apply: (picture: Picture) => Promise<Picture>
}

/** What a rule found: the groups of its pattern. A group that did not take part is empty. */
type Found = readonly string[]

interface EditRule {
  readonly kind: EditKind
  readonly pattern: RegExp
  readonly change: (pipeline: Sharp, picture: Picture, found: Found) => Sharp
}

/**
 * Words that change nothing: several images are side by side in any case. They are removed before a clause is compared with the
 * rules, which must match all of the rest.
 */
const fillers =
  /\b(?:side[ -]by[ -]side|put|place|join|combine|two|both|them|an?|the|this|that|these|it|its|is|be|to|of|by|in|into|at|on|with|and|also|please|kindly|can|could|would|you|i|we|like|want|make|made|set|apply|give|do|just|convert|images?|pictures?|photos?|version|effect|filter|look|degrees?)\b|°/g

/** The step that a clause without its fillers asks for; undefined if it is none, or says more than one. */
function findEdit(bare: string): Edit | undefined {
  for (const { kind, pattern, change } of rules) {
    const [whole, ...groups] = pattern.exec(bare) ?? []
    if (whole === undefined) continue
    const found = groups.map((group) => group ?? '')
    return { kind, apply: (picture) => pictureOf(change(pipelineOf(picture), picture, found)) }
  }
  return undefined
}

/** ITU-R BT.709. */
const gray: [number, number, number] = [0.2126, 0.7152, 0.0722]

/** The largest part in the middle that fits into an image. */
function cropped(pipeline: Sharp, picture: Picture, wanted: Size): Sharp {
  const width = Math.min(picture.width, Math.max(1, wanted.width))
  const height = Math.min(picture.height, Math.max(1, wanted.height))
  const left = Math.floor((picture.width - width) / 2)
  const top = Math.floor((picture.height - height) / 2)
  return pipeline.extract({ left, top, width, height })
}

const sideMax = 2048

function resized(pipeline: Sharp, width: number, height: number): Sharp {
  const side = (wanted: number): number => Math.min(sideMax, Math.max(1, Math.round(wanted)))
  return pipeline.resize({ width: side(width), height: side(height), fit: 'fill' })
}

/** At most one of them matches a clause. */
const rules: readonly EditRule[] = [
  {
    kind: 'grayscale',
    pattern:
      /^(?:gr[ae]y ?-?scale|gr[ae]y|black white|b w|monochrome|(?:remove|without) (?:all )?colou?rs?)$/,
    change: (pipeline) => pipeline.recomb([gray, gray, gray]),
  },
  {
    kind: 'invert',
    pattern: /^(?:invert(?:ed)?(?: all)?(?: colou?rs?)?|negative)$/,
    change: (pipeline) => pipeline.negate({ alpha: false }),
  },
  {
    kind: 'blur',
    pattern: /^blur(?:red|ry)?$/,
    // A hundredth of the shorter side and a little more, so that it looks alike at any size.
    change: (pipeline, { width, height }) =>
      pipeline.blur(Math.min(100, 0.9 + Math.min(width, height) / 100)),
  },
  {
    kind: 'rotate',
    pattern:
      /^(?:rotate|turn(?= ))(?: (-?\d{1,3}(?:\.\d+)?))?( (?:left|right|(?:counter|anti)-? ?clockwise|clockwise))?$/,
    change: (pipeline, _, [degrees, direction = '']) => {
      const sign = /left|counter|anti/.test(direction) ? -1 : 1
      const angle = degrees === '' ? 90 : Number(degrees)
      // Rotating by other angles than right ones leaves transparent corners.
      return pipeline.rotate((angle * sign) % 360, { background: transparent })
    },
  },
  {
    kind: 'rotate',
    pattern: /^(?:turn |rotate )?upside[ -]down$/,
    change: (pipeline) => pipeline.rotate(180),
  },
  {
    kind: 'flip',
    pattern: /^(?:flip|mirror)(?: (vertical|horizontal)(?:ly)?)?$/,
    change: (pipeline, _, [axis]) => (axis === 'vertical' ? pipeline.flip() : pipeline.flop()),
  },
  {
    kind: 'crop',
    pattern: /^crop square$/,
    change: (pipeline, picture) => {
      const side = Math.min(picture.width, picture.height)
      return cropped(pipeline, picture, { width: side, height: side })
    },
  },
  {
    kind: 'crop',
    pattern: /^crop (\d{1,5}) ?[x×*] ?(\d{1,5})(?: ?px| pixels)?$/,
    change: (pipeline, picture, [width, height]) =>
      cropped(pipeline, picture, { width: Number(width), height: Number(height) }),
  },
  {
    kind: 'resize',
    pattern: /^(?:resize|scale) (\d{1,5}) ?[x×*] ?(\d{1,5})(?: ?px| pixels)?$/,
    change: (pipeline, _, [width, height]) => resized(pipeline, Number(width), Number(height)),
  },
  {
    kind: 'resize',
    pattern: /^(?:resize|scale|shrink|enlarge) (\d{1,3}) ?%$/,
    change: (pipeline, { width, height }, [percent]) => {
      const factor = Math.min(Number(percent) / 100, sideMax / Math.max(width, height))
      return resized(pipeline, width * factor, height * factor)
    },
  },
]
