import { parseBarChart } from './bar-chart.ts'
import { colorPattern, parseColor, type Rgb } from './colors.ts'
import { quoteOf, quotePlaceholder, takeQuotes, withQuotes } from './quotes.ts'
import type { Motion, Place, Relation, Scene, SceneText, Thing } from './scene.ts'
import { shapeNamed, shapePattern, shapes } from './shapes.ts'

/** Longer prompts are cut here. */
const charactersMax = 8000
const thingsMax = 24
const countMax = 30
const taken = '\uf8ff'

/** Starting at one. */
const countWords =
  'a|an|the|one,two|a couple of,three,four,five,six,seven,eight,nine,ten,eleven,twelve|a dozen'
    .split(',')
    .map((words) => words.split('|'))
const fills: Readonly<Record<string, number>> = {
  tiny: 0.25,
  small: 0.45,
  little: 0.45,
  medium: 0.7,
  big: 1,
  large: 1,
  huge: 1,
  giant: 1,
}
const usualFill = 0.8

const driving = 'moves?|moving|drives?|driving|flies|flying|slides?|sliding'
const motions: readonly (readonly [words: string, Motion])[] = [
  ['rises?|rising', 'rise'],
  ['falls?|falling|sinks?|sinking|drops?|dropping', 'sink'],
  [`(?:${driving}) to the left`, 'leftward'],
  [`(?:${driving})(?: to the right)?`, 'rightward'],
  ['spins?|spinning|rotates?|rotating|turns?|turning', 'spin'],
]
const relations: readonly (readonly [words: string, Relation])[] = [
  ['above|over|on top of', 'above'],
  ['below|under|underneath|beneath', 'below'],
  ['(?:to the )?left of', 'left'],
  ['(?:to the )?right of|beside|next to|near', 'right'],
  ['inside(?: of)?|within|in the middle of|in', 'inside'],
]

function anyOf(table: readonly (readonly [words: string, unknown])[]): string {
  return `(?:${table.map(([words]) => words).join('|')})`
}

function find<Value>(table: readonly (readonly [string, Value])[], said: string | undefined) {
  return table.find(([words]) => new RegExp(`^(?:${words})$`).test(said ?? ''))?.[1]
}

const placePattern = String.raw`(?:in|at|on|near|to|towards) (?:the )?(?:very )?((?:top|upper|bottom|lower)(?:[ -](?:left|right|center|centre|middle))?|left|right|center|centre|middle)(?: (?:corner|side|half|edge|of the (?:image|picture|canvas)))*(?! of\b)`

const adjective = `(?:${colorPattern}|${Object.keys(fills).join('|')}|solid|filled|plain|simple|outlined?|hollow|empty|unfilled)`
const countPattern = `(?:${countWords.flat().toReversed().join('|')}|\\d{1,3})`
const thingPattern = new RegExp(
  String.raw`(?:\b(${countPattern}) )?((?:\b${adjective},? (?:and )?){0,5})\b(${shapePattern})\b(?: (?:in|of|colou?red|painted) (${colorPattern})\b)?(?: (?:that |which |is |are |slowly |quickly |and )*(${anyOf(motions)})\b)?(?:,? ${placePattern})?(?: (${anyOf(relations)})\b(?= (?:${countPattern} )?(?:${adjective} ){0,5}${shapePattern}\b))?`,
  'g',
)

const backgroundPattern = new RegExp(
  String.raw`(?:\b(?:on|with|against|over|in) )?(?:an? |the )?(?:(?:plain|solid|pure) )?(${colorPattern})(?: (?:plain|solid))? (?:background|backdrop|canvas|ground|paper)\b|\b(?:the |an? )?(?:background|backdrop)(?: (?:is|in|of|should be|colou?r|:))* (${colorPattern})|\bon (?:an? )?(?:plain |solid )?(${colorPattern})(?= ?(?:$|[,.;]))`,
  'g',
)
const textPattern = new RegExp(
  String.raw`(?:\b(?:with|and|saying|says|reading|the|a|an|that|which|${colorPattern}|text|words?|title|caption|headline|label|letters|written|write)\b:? ?){0,8}(${quotePlaceholder})(?:,? (?:written|text|letters|is|in(?= (?:the colou?r|${colorPattern}|capitals))|the(?= colou?r)|colou?r|${colorPattern}|capitals)\b){0,6}(?:,? ${placePattern})?(?: (?:inside|on it|in it|on top)\b)?`,
  'g',
)

/** Reads the shapes, counts, colours, places and texts of a prompt, and reports what it could not read. */
export function parseScene(prompt: string): Scene {
  const { text, quotes } = takeQuotes(prompt.slice(0, charactersMax))
  const reader = openReader(text)
  const color = chartColor(text)
  const chart = parseBarChart(prompt.slice(0, charactersMax), color)
  if (chart !== undefined) reader.take(/(?:\ban? )?\bbar (?:chart|graph|diagram)\b.*$/g, () => true)
  let background: Rgb | undefined
  reader.take(backgroundPattern, ([, ...found]) => {
    background ??= parseColor(found.find((name) => name !== undefined) ?? '')
    return background !== undefined
  })
  const texts: SceneText[] = []
  reader.take(textPattern, (match) => {
    const written = quoteOf(quotes, match[1] ?? '')
    if (written !== undefined) texts.push(textOf(written, match))
    return written !== undefined
  })
  const things = reader.things()
  const leftOut = reader.rest().map((phrase) => withQuotes(phrase, quotes))
  return { background, things, texts, chart, leftOut }
}

/** What is drawn of a scene, as phrases; empty if nothing could be read. */
export function understoodOf({ background, things, texts, chart }: Scene): readonly string[] {
  return [
    ...(chart === undefined ? [] : [`a bar chart of ${chart.bars.length} values`]),
    ...sentencesOf(things),
    ...texts.map(({ text }) => `the text "${text}"`),
    ...(background === undefined ? [] : ['the background colour']),
  ]
}

/** The words of each thing. A thing that another one is placed relative to is joined with that one's words. */
function sentencesOf(things: readonly Thing[]): readonly string[] {
  const sentences: string[] = []
  for (const [index, { words }] of things.entries())
    if (things[index - 1]?.relation === undefined) sentences.push(words)
    else sentences.push(`${sentences.pop() ?? ''} ${words}`)
  return sentences
}

/** The shapes in a phrase and the other words, for drawing on an image. */
export function parseThings(phrase: string): {
  readonly things: readonly Thing[]
  readonly leftOut: readonly string[]
} {
  const reader = openReader(phrase)
  return { things: reader.things(), leftOut: reader.rest() }
}

function openReader(text: string) {
  let open = text
  /** Blanks out each match that `use` accepts. */
  const take = (pattern: RegExp, use: (match: RegExpExecArray) => boolean): void => {
    for (const match of open.matchAll(pattern))
      if (match[0] !== '' && use(match))
        open =
          open.slice(0, match.index) +
          taken.repeat(match[0].length) +
          open.slice(match.index + match[0].length)
  }
  return {
    take,
    things(): readonly Thing[] {
      const things: Thing[] = []
      take(thingPattern, (match) => {
        const thing = things.length < thingsMax ? thingOf(match) : undefined
        if (thing !== undefined) things.push(thing)
        return thing !== undefined
      })
      return things
    },
    rest: () => phrasesOf(open),
  }
}

function thingOf(match: RegExpExecArray): Thing | undefined {
  const [whole, count, adjectives = '', noun = '', afterColor, motion, place, relation] = match
  const shape = shapeNamed(noun)
  if (shape === undefined) return undefined
  const named = [...`${adjectives} ${afterColor ?? ''}`.matchAll(new RegExp(colorPattern, 'g'))]
  const colors = named.map(([color]) => parseColor(color)).filter((color) => color !== undefined)
  const size = adjectives.split(/[ ,]+/).find((word) => Object.hasOwn(fills, word))
  const said = find(motions, motion)
  const related = find(relations, relation)
  return {
    shape,
    count: countOf(count, noun, shape, colors.length),
    colors: colors.length === 0 ? [shapes[shape].color] : colors,
    fill: (size === undefined ? undefined : fills[size]) ?? usualFill,
    isOutline: /\b(?:outlined?|hollow|empty|unfilled)\b/.test(adjectives),
    words: whole.trim(),
    ...(place === undefined ? {} : { place: placeNamed(place) }),
    ...(related === undefined ? {} : { relation: related }),
    ...(said === undefined ? {} : { motion: said }),
  }
}

/** The stated number. A plural without a number means one per colour, or three. */
function countOf(
  said: string | undefined,
  noun: string,
  shape: keyof typeof shapes,
  colors: number,
): number {
  const words: readonly string[] = shapes[shape].words
  const isPlural = !words.includes(noun)
  const number = said === undefined ? undefined : numberOf(said)
  if (number === undefined || (isPlural && said === 'the'))
    return isPlural ? (colors > 1 ? colors : 3) : 1
  return Math.min(countMax, Math.max(1, number))
}

function numberOf(said: string): number {
  return countWords.findIndex((words) => words.includes(said)) + 1 || Number(said)
}

/** Reads words that `placePattern` captured. */
export function placeNamed(words: string): Place {
  const x = /left/.test(words) ? 'left' : /right/.test(words) ? 'right' : 'center'
  const y = /top|upper/.test(words) ? 'top' : /bottom|lower/.test(words) ? 'bottom' : 'center'
  return { x, y }
}

function textOf(text: string, [whole, , place]: RegExpExecArray): SceneText {
  const color = parseColor(new RegExp(colorPattern).exec(whole)?.[0] ?? '')
  const isInside = / (?:inside|on it|in it|on top)$/.test(whole)
  return {
    text,
    ...(place !== undefined
      ? { place: placeNamed(place) }
      : isInside
        ? { place: { x: 'center', y: 'center' } as const }
        : {}),
    ...(color === undefined ? {} : { color }),
  }
}

function chartColor(text: string): Rgb {
  const named = new RegExp(`(${colorPattern}) (?:bars?|bar (?:chart|graph))\\b`).exec(text)?.[1]
  return parseColor(named ?? '') ?? [52, 120, 214]
}

const emptyWords = new Set(
  `a an the of in on at by with and or to for is are it its this that there some me us please draw paint make create
  generate show render image picture illustration drawing photo canvas simple plain flat style showing containing from
  as into background scene minimal clean very`.split(/\s+/),
)

/** What was not read, as phrases without their empty words. */
function phrasesOf(open: string): readonly string[] {
  return open
    .split(/[\uf8ff,.;:!?\n]+/)
    .map((phrase) => {
      const words = phrase.split(/\s+/).filter((word) => word !== '')
      const first = words.findIndex((word) => !emptyWords.has(word))
      const last = words.findLastIndex((word) => !emptyWords.has(word))
      return first < 0 ? '' : words.slice(first, last + 1).join(' ')
    })
    .filter((phrase) => /[\p{L}\p{N}]/u.test(phrase))
}
