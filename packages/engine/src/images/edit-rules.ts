import type { Sharp } from 'sharp'
import { colorPattern, formatHex, parseColor, type Rgb, readableOn } from './colors.ts'
import { placedTextSvg, sceneSvg, svgOf } from './draw-scene.ts'
import { parseScene } from './parse-scene.ts'
import { drawSvg, layOver, type Picture, pictureOf, pipelineOf, type Size } from './picture.ts'
import { quotePlaceholder } from './quotes.ts'

export type EditKind =
  | 'grayscale'
  | 'invert'
  | 'blur'
  | 'brightness'
  | 'rotate'
  | 'flip'
  | 'crop'
  | 'resize'
  | 'border'
  | 'caption'
  | 'draw'
  | 'combine'

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
  /** Undefined if the clause means something else. */
  readonly make: (found: Found, quote: string) => Edit['apply'] | undefined
}

/** Words that change nothing. They are removed before a clause is compared with the rules, which must match all of the rest. */
const fillers =
  /\b(?:an?|the|this|that|these|it|its|is|be|to|of|by|in|into|at|on|with|and|also|please|kindly|can|could|would|you|i|we|like|want|make|made|set|apply|give|do|just|convert|image|picture|photo|version|effect|filter|look|degrees?)\b|°/g

/** The step that a clause asks for; undefined if it is none, or says more than one. */
export function findEdit(clause: string, quoteIn: (text: string) => string): Edit | undefined {
  const bare = clause.replace(fillers, ' ').replaceAll(/\s+/g, ' ').trim()
  for (const { kind, pattern, make } of rules) {
    const [whole, ...found] = pattern.exec(bare) ?? []
    if (whole === undefined) continue
    const apply = make(
      found.map((group) => group ?? ''),
      quoteIn(whole),
    )
    if (apply !== undefined) return { kind, apply }
  }
  return undefined
}

/** Whether a clause says nothing. */
export function isEmpty(clause: string): boolean {
  return clause.replace(fillers, ' ').trim() === ''
}

type Change = (pipeline: Sharp, picture: Picture, found: Found) => Sharp

/** A step that sharp does. */
function step(kind: EditKind, source: string, change: Change): EditRule {
  return {
    kind,
    pattern: new RegExp(`^(?:${source})$`),
    make: (found) => (picture) => pictureOf(change(pipelineOf(picture), picture, found)),
  }
}

const percent = String.raw`(?: (\d{1,3}) ?%)?`

/** The strength from a percentage; 0.5 if there is none. */
function amountOf([said]: Found): number {
  return said === '' || said === undefined ? 0.5 : Math.min(1, Number(said) / 100)
}

/** ITU-R BT.709. */
const gray: [number, number, number] = [0.2126, 0.7152, 0.0722]

/** Multiplies the colours and adds to them; alpha is unchanged. The fraction is cut off, so 0.5 is added to round. */
function linear(pipeline: Sharp, factor: number, plus = 0): Sharp {
  const rounded = plus + 0.5
  return pipeline.linear([factor, factor, factor, 1], [rounded, rounded, rounded, 0])
}

const transparent = { r: 0, g: 0, b: 0, alpha: 0 }
const turning = '( (?:left|right|(?:counter|anti)-? ?clockwise|clockwise))?'

function turned(pipeline: Sharp, degrees: number, direction = ''): Sharp {
  const sign = /left|counter|anti/.test(direction) ? -1 : 1
  // Rotating by other angles than right ones leaves transparent corners.
  return pipeline.rotate((degrees * sign) % 360, { background: transparent })
}

/** The largest part in the middle that fits into an image. */
function cropped(pipeline: Sharp, picture: Picture, wanted: Size): Sharp {
  const width = Math.min(picture.width, Math.max(1, Math.round(wanted.width)))
  const height = Math.min(picture.height, Math.max(1, Math.round(wanted.height)))
  const left = Math.floor((picture.width - width) / 2)
  const top = Math.floor((picture.height - height) / 2)
  return pipeline.extract({ left, top, width, height })
}

function croppedTo(pipeline: Sharp, picture: Picture, ratio: number): Sharp {
  const { width, height } = picture
  return cropped(pipeline, picture, { width: height * ratio, height: width / ratio })
}

const sideMax = 2048

function resized(pipeline: Sharp, width: number, height: number): Sharp {
  const side = (wanted: number): number => Math.min(sideMax, Math.max(1, Math.round(wanted)))
  return pipeline.resize({ width: side(width), height: side(height), fit: 'fill' })
}

/** A border enlarges the image. */
function bordered(pipeline: Sharp, { width, height }: Picture, [pixels, named = '']: Found): Sharp {
  const shorter = Math.min(width, height)
  const wanted = pixels === '' ? Math.round(shorter / 20) : Number(pixels)
  const side = Math.min(Math.max(1, wanted), Math.ceil(shorter / 2), 1000)
  const background = formatHex(parseColor(named) ?? [0, 0, 0])
  return pipeline.extend({ top: side, bottom: side, left: side, right: side, background })
}

async function captioned(picture: Picture, text: string, [where, named = '']: Found) {
  const color: Rgb = parseColor(named) ?? [255, 255, 255]
  const y = where === 'top' || where === 'center' ? where : 'bottom'
  const style = { place: { x: 'center', y }, color, halo: readableOn(color), part: 0.085 } as const
  return layOver(picture, await drawSvg(svgOf(picture, placedTextSvg(text, style, picture))))
}

/** In the order in which they are tried on a clause. */
const rules: readonly EditRule[] = [
  step(
    'grayscale',
    'gr[ae]y ?-?scale|gr[ae]y|black white|b w|monochrome|(?:remove|without) (?:all )?colou?rs?',
    (pipeline) => pipeline.recomb([gray, gray, gray]),
  ),
  step('invert', 'invert(?:ed)?(?: all)?(?: colou?rs?)?|negative', (pipeline) =>
    pipeline.negate({ alpha: false }),
  ),
  step('blur', `blur(?:red|ry)?${percent}`, (pipeline, { width, height }, found) =>
    // Slightly more than a hundredth of the shorter side at 0.5, so that it looks alike at any size.
    pipeline.blur(Math.min(100, 0.6 + amountOf(found) * (0.6 + Math.min(width, height) / 50))),
  ),
  step(
    'brightness',
    `(?:darken(?:ed)?|darker|(?:decrease|reduce|lower|less) brightness)${percent}`,
    (pipeline, _, found) => linear(pipeline, 1 - amountOf(found)),
  ),
  step(
    'brightness',
    `(?:bright(?:en(?:ed)?|er)|light(?:en(?:ed)?|er)|(?:increase|raise|boost|more|higher) brightness)${percent}`,
    (pipeline, _, found) => linear(pipeline, 1 + amountOf(found) * 0.6, amountOf(found) * 16),
  ),
  step(
    'rotate',
    String.raw`(?:rotate|turn(?= ))(?: (-?\d{1,3}(?:\.\d+)?))?${turning}`,
    (pipeline, _, [degrees, direction]) =>
      turned(pipeline, degrees === '' ? 90 : Number(degrees), direction),
  ),
  step('rotate', '(?:turn |rotate )?upside[ -]down', (pipeline) => turned(pipeline, 180)),
  step('flip', '(?:flip|mirror)(?: (vertical|horizontal)(?:ly)?)?', (pipeline, _, [axis]) =>
    axis === 'vertical' ? pipeline.flip() : pipeline.flop(),
  ),
  step('crop', 'crop square', (pipeline, picture) => croppedTo(pipeline, picture, 1)),
  step('crop', String.raw`crop ([1-9]\d?) ?: ?([1-9]\d?)`, (pipeline, picture, [across, down]) =>
    croppedTo(pipeline, picture, Number(across) / Number(down)),
  ),
  step(
    'crop',
    String.raw`crop (\d{1,5}) ?[x×*] ?(\d{1,5})(?: ?px| pixels)?`,
    (pipeline, picture, [width, height]) =>
      cropped(pipeline, picture, { width: Number(width), height: Number(height) }),
  ),
  step(
    'resize',
    String.raw`(?:resize|scale) (\d{1,5}) ?[x×*] ?(\d{1,5})(?: ?px| pixels)?`,
    (pipeline, _, [width, height]) => resized(pipeline, Number(width), Number(height)),
  ),
  step(
    'resize',
    String.raw`(?:resize|scale|shrink|enlarge) (\d{1,3}) ?%`,
    (pipeline, { width, height }, [said]) => {
      const factor = Math.min(Number(said) / 100, sideMax / Math.max(width, height))
      return resized(pipeline, width * factor, height * factor)
    },
  ),
  step(
    'border',
    `(?:add )?(?:(\\d{1,4}) ?(?:px|pixels?) )?(${colorPattern} )?(?:border|frame)`,
    bordered,
  ),
  {
    kind: 'caption',
    pattern: new RegExp(
      `^(?:add|write|put|place|print)?(?: ?(?:caption|text|title|words?)(?: (?:saying|reading))?)? ?${quotePlaceholder}(?: (top|center|bottom))?(?: (${colorPattern}))?$`,
    ),
    make: (found, quote) => (picture) => captioned(picture, quote, found),
  },
  {
    kind: 'draw',
    pattern: /^(?:add|draw|put|paint) (.{3,200})$/,
    make: ([words = '']) => {
      const scene = parseScene(words)
      if (scene.things.length === 0 || scene.leftOut.length > 0) return undefined
      return async (picture) => layOver(picture, await drawSvg(sceneSvg(scene, picture)))
    },
  },
  {
    kind: 'combine',
    pattern:
      /^(?:put |place |join |combine )?(?:(?:two|both) )?(?:(?:images|pictures) )?(?:side side|side-side)$/,
    // The images were joined before.
    make: () => (picture) => Promise.resolve(picture),
  },
]
