import type { CropArea, EditOperation } from './edit-operations.ts'
import {
  type Clause,
  colorIn,
  find,
  has,
  lengthIn,
  placeIn,
  type InstructionRule,
} from './instruction-clause.ts'

const center = { x: 'center', y: 'center' } as const
const size = String.raw`(\d{1,4})\s*(?:px|pixels?)?\s*(?:x|×|\*|by)\s*(\d{1,4})`
const counterClockwise = /\b(?:counter|anti|ccw|left)\b|counter|anti-?clock|逆时针|左/

/** Rules that move pixels: rotate, flip, crop, zoom, resize, combine. */
export const geometryRules: readonly InstructionRule[] = [
  {
    pattern:
      /(?:\b(?:rotat(?:e[ds]?|ing|ion)|turn(?:ed)?|spin|tilt(?:ed)?)\b|旋转|顺时针|逆时针)(?:(?!\b(?:and|then)\b)[^,.;\ue000-\uf8ff]){0,30}?(-?\d{1,4}(?:\.\d{1,3})?)(?!\s*(?:px|pixels?|%|x|×|\*|\d))\s*(?:°|degrees?|deg\b|度)?/,
    make: ([whole, value], clause) => rotation(Number(value), clause, whole),
  },
  {
    pattern:
      /\bupside[ -]down\b|\b(?:rotate|turn)\w*(?: \w+){0,3} (?:half|around)\b|\bhalf[ -]turn\b|倒过来/,
    make: () => ({ kind: 'rotate', degrees: 180 }),
  },
  {
    pattern:
      /\b(?:rotat(?:e[ds]?|ing|ion)|turn|tilt)\b(?: (?!to\b|into\b)\w+){0,3} (?:to the )?(?:left|counter-?\s?clockwise|anti-?\s?clockwise)\b|向左旋转|逆时针旋转/,
    make: () => ({ kind: 'rotate', degrees: -90 }),
  },
  {
    pattern:
      /\b(?:rotat(?:e[ds]?|ing|ion)|turn|tilt)\b(?: (?!to\b|into\b)\w+){0,3} (?:to the )?(?:right|clockwise)\b|\bquarter[ -]turn\b|\brotat(?:e[ds]?|ing|ion)\b|旋转/,
    make: () => ({ kind: 'rotate', degrees: 90 }),
  },
  {
    pattern: /\b(?:flip(?:ped|ping)?|mirror(?:ed|ing)?|reflect(?:ed|ion)?)\b|镜像|翻转/,
    make: (_match, clause) => {
      const vertical = has(
        clause,
        /\bvertical(?:ly)?\b|top (?:to|and) bottom|\bup(?:side)?\b|垂直|上下/,
      )
      return { kind: 'flip', axis: vertical ? 'vertical' : 'horizontal' }
    },
  },
  {
    pattern:
      /\b(?:crop|cut|mask|shape|clip)\w*\b(?:(?!\b(?:and|then)\b)[^,.;]){0,30}?\b(?:circle|circular|round(?! corners?)|disc)\b(?: shape)?|圆形裁剪|裁剪成圆形/,
    make: () => ({ kind: 'circle' }),
  },
  {
    pattern:
      /\b(?:crop(?:ped|ping)?|trim(?:med)?|cut(?: (?:it|out|the image))?(?= (?:to|down|off|away|the (?:left|right|top|bottom|upper|lower|cent))))\b|\bkeep only\b|裁剪|裁切/,
    make: (_match, clause) => ({ kind: 'crop', area: cropArea(clause) }),
  },
  {
    pattern: /\bzoom(?:ed)?(?: in)?\b(?! out)|\bclose[ -]?up\b/,
    make: (_match, clause) => {
      const percent = find(clause, /(\d{2,4})\s*%/)?.[1]
      const times = find(clause, /(\d{1,2}(?:\.\d)?)\s*(?:x\b|times|×)/)?.[1]
      const wanted = percent === undefined ? Number(times ?? 1.5) : Number(percent) / 100
      return { kind: 'zoom', factor: clamp(wanted, 1.05, 10), place: placeIn(clause, center) }
    },
  },
  ...combineRules(),
  {
    pattern:
      /\b(?:re-?siz(?:e[ds]?|ing)|re-?scale[ds]?|scal(?:e[ds]?|ing)|shr[iu]nk|enlarge[ds]?|up-?scale[ds]?|down-?scale[ds]?|thumbnail|double the size|half the size|(?:twice|half|double) as (?:big|large|small)|(?:smaller|bigger|larger)(?! \w*\s*(?:circle|square|text|font)))\b|缩放|放大|缩小|调整大小/,
    make: (match, clause) => resizing(match[0], clause),
  },
  {
    pattern:
      /\b(?:set|change|make|adjust)\b(?:(?!\b(?:and|then)\b)[^,.;]){0,24}\b(?:size|width|height|dimensions|resolution)\b/,
    make: (match, clause) => sizeIn(clause, match[0]),
  },
  {
    pattern:
      /\b(?:make|turn) (?:it|the (?:image|picture|photo)) (?:a )?square\b|\bsquare (?:format|image|picture)\b|\b1:1\b/,
    make: () => ({ kind: 'crop', area: { by: 'ratio', ratio: 1, place: center } }),
  },
  {
    pattern:
      /\bround(?:ed|ing)?(?: (?:off|the|its|all))* corners?\b|\bcorners? (?:should be |be )?rounded\b|圆角/,
    make: (_match, clause) => ({ kind: 'corners', radius: lengthIn(clause, { part: 0.12 }) }),
  },
  {
    pattern: /\b(?:borders?|frames?|framed|padding|margins?|outlined?)\b|边框|相框/,
    make: (match, clause) => ({
      kind: 'border',
      width: lengthIn(clause, { part: 0.05 }),
      color: colorIn(clause) ?? (/pad|margin/.test(match[0]) ? [255, 255, 255] : [0, 0, 0]),
    }),
  },
]

function rotation(value: number, clause: Clause, whole: string): EditOperation {
  const back = counterClockwise.test(whole) || counterClockwise.test(clause.after)
  const degrees = (back ? -value : value) % 360
  return { kind: 'rotate', degrees }
}

function combineRules(): readonly InstructionRule[] {
  return [
    {
      pattern:
        /\bside[ -]by[ -]side\b|\bnext to (?:each other|one another)\b|\bcollage\b|\b(?:join|stitch|combine)\w*(?: \w+){0,3} horizontally\b|\bdiptych\b|并排|左右拼接/,
      make: () => ({ kind: 'combine', arrangement: { how: 'beside' } }),
    },
    {
      pattern:
        /\bone (?:above|over|below|under) the other\b|\bon top of each other\b|\bstack(?:ed)?\b|\b(?:join|stitch|combine)\w*(?: \w+){0,3} vertically\b|上下拼接/,
      make: () => ({ kind: 'combine', arrangement: { how: 'stacked' } }),
    },
    {
      pattern:
        /\b(?:blend|merge|mix|fuse)(?:d|ed)?\b|\bdouble exposure\b|\bsuperimpose[ds]?\b|\bcross-?fade\b|融合|叠加/,
      make: (_match, clause) => ({
        kind: 'combine',
        arrangement: { how: 'blended', opacity: clamp(opacityIn(clause), 0.05, 0.95) },
      }),
    },
    {
      pattern:
        /\b(?:put|place|paste|add|insert|overlay)\b(?: \w+){0,2} (?:second|2nd|third|other|logo)(?: (?:image|picture|photo|one|logo))?|\b(?:put|place|paste|add|insert|overlay) (?:image|picture) (?:2|two|b)\b|\boverlay\b/,
      make: (_match, clause) => ({
        kind: 'combine',
        arrangement: {
          how: 'inset',
          place: placeIn(clause, { x: 'right', y: 'bottom' }),
          part: 0.33,
        },
      }),
    },
    {
      pattern: /\b(?:combine|join|stitch)(?:d|ed)?\b|拼接|合并/,
      make: () => ({ kind: 'combine', arrangement: { how: 'beside' } }),
    },
  ]
}

function opacityIn(clause: Clause): number {
  const percent = find(clause, /(\d{1,3})\s*%/)?.[1]
  return percent === undefined ? 0.5 : Number(percent) / 100
}

const partWords: Readonly<Record<string, number>> = {
  half: 1 / 2,
  third: 1 / 3,
  quarter: 1 / 4,
  side: 1 / 2,
  part: 1 / 2,
  半: 1 / 2,
}

function cropArea(clause: Clause): CropArea {
  const place = placeIn(clause, center)
  const [, width, height] = find(clause, new RegExp(size)) ?? []
  if (width !== undefined && height !== undefined)
    return {
      by: 'pixels',
      width: Math.max(1, Number(width)),
      height: Math.max(1, Number(height)),
      place,
    }
  const [, across, down] = find(clause, /(\d{1,2})\s*:\s*(\d{1,2})/) ?? []
  if (Number(across) > 0 && Number(down) > 0)
    return { by: 'ratio', ratio: clamp(Number(across) / Number(down), 0.05, 20), place }
  if (has(clause, /\bsquare\b|正方形|方形/)) return { by: 'ratio', ratio: 1, place }
  const percent = find(clause, /(\d{1,3}(?:\.\d)?)\s*%/)?.[1]
  if (percent !== undefined) return percentArea(Number(percent) / 100, clause)
  return wordArea(clause)
}

function percentArea(part: number, clause: Clause): CropArea {
  const isTakenOff = has(clause, /\b(?:off|from|away|remove)\b/)
  const keep = clamp(isTakenOff ? 1 - part : part, 0.02, 1)
  const { x, y } = placeIn(clause, center)
  if (!isTakenOff) return areaAt({ x, y }, keep, keep)
  if (x === 'center' && y === 'center') {
    const left = Math.min(part, 0.49)
    return { by: 'parts', left, top: left, width: 1 - 2 * left, height: 1 - 2 * left }
  }
  // What is taken off the left leaves the right.
  const kept = { x: opposite(x, 'left', 'right'), y: opposite(y, 'top', 'bottom') }
  return areaAt(kept, x === 'center' ? 1 : keep, y === 'center' ? 1 : keep)
}

function opposite<Side extends string>(side: Side, one: Side, other: Side): Side {
  if (side === one) return other
  return side === other ? one : side
}

function wordArea(clause: Clause): CropArea {
  const word = find(clause, /\b(?:half|third|quarter|side|part)\b|半/)?.[0]
  const part = (word === undefined ? undefined : partWords[word]) ?? 1 / 2
  const { x, y } = placeIn(clause, center)
  const keep = has(clause, /\btwo[ -]thirds\b/) ? 2 / 3 : part
  if (x === 'center' && y === 'center') {
    const middle = has(clause, /\b(?:cent(?:er|re)|middle)\b|中/) ? 0.6 : 0.8
    return areaAt({ x, y }, middle, middle)
  }
  return areaAt({ x, y }, x === 'center' ? 1 : keep, y === 'center' ? 1 : keep)
}

function areaAt(
  { x, y }: { readonly x: string; readonly y: string },
  width: number,
  height: number,
): CropArea {
  const share = (side: string): number =>
    side === 'left' || side === 'top' ? 0 : side === 'center' ? 0.5 : 1
  return { by: 'parts', left: (1 - width) * share(x), top: (1 - height) * share(y), width, height }
}

function resizing(word: string, clause: Clause): EditOperation | undefined {
  const sized = sizeIn(clause, word)
  if (sized !== undefined) return sized
  if (/thumbnail/.test(word)) return { kind: 'resize', width: 128 }
  if (/double|twice/.test(word) || has(clause, /\b(?:double|twice|two times)\b|两倍/))
    return { kind: 'resize', factor: 2 }
  if (/half/.test(word) || has(clause, /\bhalf\b|一半/)) return { kind: 'resize', factor: 0.5 }
  if (has(clause, /\b(?:triple|three times)\b/)) return { kind: 'resize', factor: 3 }
  if (/shr|smaller|down|缩小/.test(word) || has(clause, /\bdown\b/))
    return { kind: 'resize', factor: 0.5 }
  return { kind: 'resize', factor: 1.5 }
}

const sideMax = 2048

/** The size a clause states, in pixels or as a part of the present one. */
function sizeIn(clause: Clause, word: string): EditOperation | undefined {
  const side = (text: string): number => clamp(Number(text), 1, sideMax)
  const [, width, height] = find(clause, new RegExp(size)) ?? []
  if (width !== undefined && height !== undefined)
    return { kind: 'resize', width: side(width), height: side(height) }
  const percent = find(clause, /(\d{1,3})\s*%/)?.[1]
  if (percent !== undefined)
    return { kind: 'resize', factor: percentFactor(Number(percent), clause, word) }
  const times = find(clause, /(\d{1,2}(?:\.\d{1,2})?)\s*(?:x\b|times|×|倍)/)?.[1]
  if (times !== undefined) return { kind: 'resize', factor: clamp(Number(times), 0.01, 8) }
  const pixels = find(clause, /(\d{1,4})\s*(?:px|pixels?|像素)?/)?.[1]
  if (pixels === undefined) return undefined
  const isHeight = /height/.test(word) || has(clause, /\b(?:tall|high|height)\b|高/)
  return { kind: 'resize', [isHeight ? 'height' : 'width']: side(pixels) }
}

/** "50 % smaller" leaves half, "50 % larger" gives half again, "to 50 %" is half. */
function percentFactor(percent: number, clause: Clause, word: string): number {
  const part = percent / 100
  const isBy =
    has(clause, /\bby\b/) ||
    /smaller|larger|bigger/.test(word) ||
    has(clause, /\b(?:smaller|larger|bigger)\b/)
  if (!isBy) return clamp(part, 0.01, 8)
  const isLess = /smaller|shr|down/.test(word) || has(clause, /\b(?:smaller|down)\b/)
  return clamp(isLess ? 1 - part : 1 + part, 0.01, 8)
}

function clamp(value: number, low: number, high: number): number {
  return Math.min(high, Math.max(low, value))
}
