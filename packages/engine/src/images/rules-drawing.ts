import { colorPattern, parseColor } from './colors.ts'
import type { EditOperation } from './edit-operations.ts'
import {
  type Clause,
  colorIn,
  placeIn,
  quoteOf,
  type InstructionRule,
} from './instruction-clause.ts'
import { parseObjects } from './parse-scene.ts'

const quote = '[\\ue000-\\ue03f]'
const noun = String.raw`(?:\b(?:captions?|texts?|titles?|words?|labels?|subtitles?|headings?|headlines?|messages?|inscriptions?|lettering|signs?|slogans?|phrases?)\b|标题|文字|字幕)`
/** One character of the same phrase: what is said after "and" is another. */
const gap = String.raw`(?:(?!\b(?:and|then)\b)[^,.;\ue000-\uf8ff])`
/** As `gap`, but "and a star" goes on. */
const listGap = String.raw`(?:(?!\b(?:and|then) (?!(?:an?|the|one|two|three|four|five|six|some|many|several|\d+)\b))[^,.;\ue000-\uf8ff])`
const bottom = { x: 'center', y: 'bottom' } as const

/** Rules that lay something on the picture or behind it: watermark, caption, background, drawn objects. */
export const drawingRules: readonly InstructionRule[] = [
  {
    pattern: new RegExp(
      String.raw`\bwater-?marks?\b[^,.;\ue000-\uf8ff]{0,24}(${quote})|(${quote})[^,.;\ue000-\uf8ff]{0,12}\bas (?:a )?water-?mark`,
    ),
    make: (match, clause) => caption(quoteOf(clause, match[1] ?? match[2]), clause, true),
  },
  {
    // What is written in the picture already stays; the new words can be added.
    pattern: new RegExp(
      String.raw`\b(?:replace|change)\b[^,;]{0,40}?${quote}[^,;]{0,12}?\b(?:with|by|to|into)\b ?(${quote})`,
    ),
    make: (match, clause) => caption(quoteOf(clause, match[1]), clause, false),
  },
  {
    pattern: new RegExp(
      String.raw`(?:(?:\b(?:add|put|write|place|insert|draw|overlay|print|include|stamp|say|render|with)\b|写上|添加|加上)${gap}{0,24}?)?${noun}[^,.;\ue000-\uf8ff]{0,32}?(${quote})`,
    ),
    make: (match, clause) => caption(quoteOf(clause, match[1]), withMatch(clause, match[0]), false),
  },
  {
    pattern: new RegExp(
      String.raw`(?:\b(?:add|put|write|place|insert|overlay|print|include|stamp|say(?:s|ing)?|reads?|reading|caption|label|title)\b|写上|添加|加上)${gap}{0,16}?(${quote})`,
    ),
    make: (match, clause) => caption(quoteOf(clause, match[1]), clause, false),
  },
  {
    pattern:
      /\b(?:caption|text|title|words|label)s? ?(?:saying|reading|that (?:says|reads)|which (?:says|reads)|:) ?([^,.;:\ue000-\uf8ff]{1,80})/,
    make: ([whole, words = ''], clause) =>
      caption(unplaced(clause.written.slice(-words.length)), withMatch(clause, whole), false),
  },
  {
    pattern:
      /\b(?:remov(?:e|ing)|delet(?:e|ing)|cut(?:ting)? out|eras(?:e|ing)|drop|get rid of|strip)\b(?: the| its| any)?(?: \w+)? background\b|\bbackground (?:removal|removed|transparent)\b|\b(?:isolate|extract) the (?:subject|object|foreground|person|product)\b|\btransparent background\b|\bbackground (?:to |into |be |is )?(?:be )?transparent\b|去除背景|去背景|去掉背景|抠图|透明背景|背景透明/,
    make: () => ({ kind: 'background', fill: 'transparent' }),
  },
  {
    pattern:
      /\bblur\w*(?: out)? (?:the |its )?background\b|\bbackground (?:blur\w*|out of focus)\b|\bbokeh\b|背景虚化|虚化背景|模糊背景/,
    make: () => ({ kind: 'background', fill: 'blurred' }),
  },
  {
    pattern: new RegExp(
      String.raw`(?:\b(?:change|make|set|turn|replace|fill|paint|colou?r|put it|place it)\b${gap}{0,20}?)?\bbackground(?: colou?r)?(?: (?:to|with|into|be|is|as|in|should|a|an|solid|plain|pure|by|bright))* ?(${colorPattern})|(${colorPattern})(?: solid| plain)? background\b|背景(?:颜色)?(?:换成|改成|变成|改为|换为|变为|设为)(${colorPattern})`,
    ),
    make: (match) => {
      const fill = parseColor(match[1] ?? match[2] ?? match[3] ?? '')
      return fill === undefined ? undefined : { kind: 'background', fill }
    },
  },
  {
    pattern: new RegExp(
      String.raw`\b(?:add|draw|put|place|insert|include|paint)\b (${listGap}{3,120})`,
    ),
    make: (match) => {
      const objects = parseObjects(match[1] ?? '')
      return objects.length === 0
        ? undefined
        : { kind: 'draw', objects, words: (match[1] ?? '').trim() }
    },
  },
  {
    pattern: new RegExp(`(${quote})`),
    make: (match, clause) => caption(quoteOf(clause, match[1]), clause, false),
  },
]

function withMatch(clause: Clause, matched: string): Clause {
  return { ...clause, before: `${clause.before} ${matched}` }
}

/** Words that say where a caption goes are not part of it. */
function unplaced(text: string): string {
  return text
    .replace(
      / (?:at|in|on|to) the (?:top|bottom|cent(?:er|re)|middle|left|right|upper|lower)\b.*$/,
      '',
    )
    .trim()
}

function caption(
  text: string | undefined,
  clause: Clause,
  faint: boolean,
): EditOperation | undefined {
  if (text === undefined || text === '') return undefined
  const place = placeIn(clause, faint ? { x: 'right', y: 'bottom' } : bottom)
  const color = colorIn(clause)
  return {
    kind: 'caption',
    text,
    place,
    ...(color === undefined ? {} : { color }),
    ...(faint ? { faint } : {}),
  }
}
