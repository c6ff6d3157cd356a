import type { Rgb } from './colors.ts'
import type { CropArea, EditOperation, EffectKind } from './edit-operations.ts'
import type { Clause } from './instruction-clause.ts'
import { parseThings } from './parse-scene.ts'

/**
 * One way to phrase an instruction. `make` runs after `pattern` was removed from the clause and takes what else belongs to it.
 * If a meaningful word of the clause is left over, the clause was not understood, and nothing is done.
 */
export interface InstructionRule {
  readonly pattern: RegExp
  readonly make: (match: RegExpExecArray, clause: Clause) => EditOperation | undefined
}

const center = { x: 'center', y: 'center' } as const
const corner = { x: 'right', y: 'bottom' } as const
const bottom = { x: 'center', y: 'bottom' } as const
const more = String.raw`(?:increase|raise|boost|enhance|improve|more|higher|adjust)`
const less = String.raw`(?:decrease|reduce|lower|less|drop|tone down|turn down)`

function effect(kind: EffectKind, words: string, usual = 0.5): InstructionRule {
  return {
    pattern: new RegExp(String.raw`\b(?:${words})\b`),
    make: (_match, clause) => ({ kind, amount: clause.amount(usual) }),
  }
}

const textNoun = String.raw`(?:captions?|texts?|titles?|words?|labels?|headings?|headlines?)`

/** Rules for what is put on the image or behind it. */
const layers: readonly InstructionRule[] = [
  {
    pattern: /\bwater-?marks?\b/,
    make: (_match, clause) => caption(clause, true),
  },
  {
    pattern: new RegExp(
      String.raw`\b(?:write|caption|label|title)\b|\b(?:add|put|place|insert|overlay|print|with)\b.*\b${textNoun}\b(?: (?:saying|reading|that (?:says|reads)))?|^(?:the |a )?${textNoun}\b`,
    ),
    make: (_match, clause) => caption(clause, false),
  },
  {
    pattern: /\b(?:add|put|place|print) (?=[\ue000-\ue03f])/,
    make: (_match, clause) => caption(clause, false),
  },
  {
    pattern: /\b(?:add|draw|put|place|insert|paint) (?=\S)(.{3,200})$/,
    make: ([, words = '']) => {
      const { things, leftOut } = parseThings(words)
      return things.length === 0 || leftOut.length > 0 ? undefined : { kind: 'draw', things }
    },
  },
]

function caption(clause: Clause, faint: boolean): EditOperation | undefined {
  const text = clause.quote()
  if (text === undefined) return undefined
  const place = clause.place() ?? (faint ? corner : bottom)
  const color = clause.color()
  clause.take(new RegExp(String.raw`\b(?:${textNoun}|saying|reading|letters|overlay)\b`))
  return {
    kind: 'caption',
    text,
    place,
    ...(color === undefined ? {} : { color }),
    ...(faint ? { faint } : {}),
  }
}

/** Rules for operations that move pixels. */
const geometry: readonly InstructionRule[] = [
  {
    pattern:
      /\b(?:rotate|turn|tilt)\b(?: (?:it|the (?:image|picture|photo)))?(?: by)? (-?\d{1,3}(?:\.\d+)?) ?(?:°|deg(?:rees?)?\b)?/,
    make: ([, degrees = ''], clause) => ({
      kind: 'rotate',
      degrees: (Number(degrees) * direction(clause)) % 360,
    }),
  },
  { pattern: /\bupside[ -]down\b/, make: () => ({ kind: 'rotate', degrees: 180 }) },
  {
    pattern: /\b(?:rotate|quarter turn)\b|\bturn\b(?=.*\b(?:left|right|clockwise)\b)/,
    make: (_match, clause) => ({ kind: 'rotate', degrees: 90 * direction(clause) }),
  },
  {
    pattern: /\b(?:flip|mirror)(?:ped|ed)?\b/,
    make: (_match, clause) => {
      const vertical = clause.take(/\b(?:vertical(?:ly)?|top to bottom)\b/)
      clause.take(/\b(?:horizontal(?:ly)?|left to right)\b/)
      return { kind: 'flip', axis: vertical ? 'vertical' : 'horizontal' }
    },
  },
  {
    pattern: /\b(?:crop|trim)(?:ped)?\b|\bcut (?=.*\boff\b)|\bkeep only\b/,
    make: (_match, clause) => {
      const area = cropArea(clause)
      return area === undefined ? undefined : { kind: 'crop', area }
    },
  },
  {
    pattern:
      /\bside[ -]by[ -]side\b|\b(?:join|stitch|combine)\b(?: (?:them|the|two|both|images?|pictures?))*(?: horizontally)?/,
    make: (_match, clause) => {
      clause.take(/\b(?:place|them|two|both|together)\b/)
      clause.take(/\b(?:two|both)\b/)
      return { kind: 'combine' }
    },
  },
  {
    pattern:
      /\b(?:re-?size|re-?scale|scale|shrink|enlarge)(?: (?:up|down))?\b|\b(?:twice|half) as (?:big|large)\b|\b(?:double|half) the size\b|\b(?:smaller|bigger|larger)\b/,
    make: ([word], clause) => resizing(word, clause),
  },
  {
    pattern: /\b(?:borders?|frames?|padding|margins?)\b/,
    make: (_match, clause) => {
      const color: Rgb = clause.color() ?? [0, 0, 0]
      return { kind: 'border', width: clause.length(0.05), color }
    },
  },
]

/** 1 is clockwise. */
function direction(clause: Clause): 1 | -1 {
  const back = clause.take(/\b(?:counter-?\s?clockwise|anti-?\s?clockwise|(?:to the )?left)\b/)
  clause.take(/\b(?:clockwise|(?:to the )?right)\b/)
  return back === undefined ? 1 : -1
}

function cropArea(clause: Clause): CropArea | undefined {
  const said = clause.place()
  const place = said ?? center
  const [, width, height] = clause.take(/\b(\d{1,5}) ?[x×*] ?(\d{1,5})\b/) ?? []
  clause.take(/\b(?:px|pixels?)\b/)
  if (width !== undefined && height !== undefined)
    return {
      by: 'pixels',
      width: Math.max(1, Number(width)),
      height: Math.max(1, Number(height)),
      place,
    }
  const [, across, down] = clause.take(/\b(\d{1,2}) ?: ?(\d{1,2})\b/) ?? []
  if (Number(across) > 0 && Number(down) > 0)
    return { by: 'ratio', ratio: clamp(Number(across) / Number(down), 0.05, 20), place }
  if (clause.take(/\bsquare\b/)) return { by: 'ratio', ratio: 1, place }
  const percent = clause.take(/(\d{1,3}) ?%/)?.[1]
  if (percent === undefined && said === undefined) return undefined
  const part = percent === undefined ? 0.5 : clamp(Number(percent) / 100, 0.02, 1)
  const isWhole = place.x === 'center' && place.y === 'center'
  return {
    by: 'parts',
    width: place.x === 'center' && !isWhole ? 1 : part,
    height: place.y === 'center' && !isWhole ? 1 : part,
    place,
  }
}

const sideMax = 2048

function resizing(word: string, clause: Clause): EditOperation | undefined {
  if (/twice|double/.test(word)) return { kind: 'resize', factor: 2 }
  if (/half/.test(word)) return { kind: 'resize', factor: 0.5 }
  const side = (text: string): number => clamp(Number(text), 1, sideMax)
  const [, width, height] = clause.take(/\b(\d{1,5}) ?[x×*] ?(\d{1,5})\b(?: ?px| pixels)?/) ?? []
  if (width !== undefined && height !== undefined)
    return { kind: 'resize', width: side(width), height: side(height) }
  const [, by, percent] = clause.take(/\b(by )?(\d{1,3}) ?%/) ?? []
  if (percent !== undefined) {
    const part = Number(percent) / 100
    const isRelative = by !== undefined || /smaller|bigger|larger/.test(word)
    const change = /small|shrink|down/.test(word) ? -part : part
    return { kind: 'resize', factor: clamp(isRelative ? 1 + change : part, 0.01, 8) }
  }
  const pixels = clause.take(/\b(\d{1,4}) ?(?:px|pixels?)?(?: (wide|tall|high))?/)
  if (pixels === undefined) return undefined
  const isHeight = pixels[2] === 'tall' || pixels[2] === 'high'
  return { kind: 'resize', [isHeight ? 'height' : 'width']: side(pixels[1] ?? '') }
}

/** Rules for operations that change colours without moving pixels. */
const colorwork: readonly InstructionRule[] = [
  effect(
    'grayscale',
    'gr[ae]y[ -]?scale|black[ -](?:and|&)[ -]white|b (?:and |/ ?)w|b/w|monochrome|(?:remove|without)(?: all| the| its)* colou?rs?|gr[ae]y',
    1,
  ),
  effect('sepia', 'sepia(?: tone)?', 1),
  { pattern: /\b(?:invert(?:ed)?|negative)\b/, make: () => ({ kind: 'invert', amount: 1 }) },
  effect('blur', 'blur(?:red|ry)?|soften'),
  effect('sharpen', 'sharp(?:en(?:ed)?|er)?'),
  effect('contrast', `${less} (?:the )?contrast`, -0.5),
  effect('contrast', `${more} (?:the )?contrast|contrast`),
  effect('saturation', `${less} (?:the )?saturation|desaturated?|less colou?rful`, -0.5),
  effect('saturation', `${more} (?:the )?saturation|saturat(?:e|ed|ion)|(?:more )?colou?rful`),
  effect('brightness', `${less} (?:the )?(?:brightness|exposure)|darken(?:ed)?|darker`, -0.5),
  effect(
    'brightness',
    `${more} (?:the )?(?:brightness|exposure)|bright(?:en(?:ed)?|er)|lighten(?:ed)?|lighter|brightness`,
  ),
]

/** In the order in which they are tried on a clause. */
export const instructionRules: readonly InstructionRule[] = [...layers, ...geometry, ...colorwork]

function clamp(value: number, low: number, high: number): number {
  return Math.min(high, Math.max(low, value))
}
