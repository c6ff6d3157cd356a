import { colorPattern, parseColor, type Rgb } from './colors.ts'
import { quoteOf, quotePlaceholder, takeQuotes, withQuotes } from './quotes.ts'
import type { Scene, SceneText, Thing } from './scene.ts'
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
const countPattern = `(?:${countWords.flat().toReversed().join('|')}|\\d{1,3})`

const thingPattern = new RegExp(
  String.raw`(?:\b(${countPattern}) )?(?:(${colorPattern}) )?\b(${shapePattern})\b`,
  'g',
)
const backgroundPattern = new RegExp(
  String.raw`(?:\b(?:on|with|against|over|in) )?(?:an? |the )?(${colorPattern}) (?:background|backdrop|canvas)\b|\bon (${colorPattern})(?= ?(?:$|[,.;]))`,
  'g',
)
const textPattern = new RegExp(
  String.raw`(?:\b(?:with|and|saying|says|reading|the|a|text|words?|title|caption|label)\b:? ?){0,8}(${quotePlaceholder})(?: in (${colorPattern})(?: text\b)?)?`,
  'g',
)

/** Reads the shapes, counts, colours and texts of a prompt, and reports what it could not read. */
export function parseScene(prompt: string): Scene {
  const { text, quotes } = takeQuotes(prompt.slice(0, charactersMax))
  let open = text
  /** Blanks out each match that `use` accepts. */
  const take = (pattern: RegExp, use: (match: RegExpExecArray) => boolean): void => {
    for (const match of open.matchAll(pattern))
      if (use(match))
        open =
          open.slice(0, match.index) +
          taken.repeat(match[0].length) +
          open.slice(match.index + match[0].length)
  }
  let background: Rgb | undefined
  take(backgroundPattern, ([, named, bare]) => {
    background ??= parseColor(named ?? bare ?? '')
    return background !== undefined
  })
  const texts: SceneText[] = []
  take(textPattern, ([, placeholder = '', named = '']) => {
    const written = quoteOf(quotes, placeholder)
    const color = parseColor(named)
    if (written !== undefined)
      texts.push(color === undefined ? { text: written } : { text: written, color })
    return written !== undefined
  })
  const things: Thing[] = []
  take(thingPattern, (match) => {
    const thing = things.length < thingsMax ? thingOf(match) : undefined
    if (thing !== undefined) things.push(thing)
    return thing !== undefined
  })
  const leftOut = phrasesOf(open).map((phrase) => withQuotes(phrase, quotes))
  return { background, things, texts, leftOut }
}

function thingOf([whole, count, color = '', noun = '']: RegExpExecArray): Thing | undefined {
  const shape = shapeNamed(noun)
  if (shape === undefined) return undefined
  return {
    shape,
    count: countOf(count, noun, shape),
    color: parseColor(color) ?? shapes[shape].color,
    words: whole.trim(),
  }
}

/** The stated number. A plural without a number means three. */
function countOf(said: string | undefined, noun: string, shape: keyof typeof shapes): number {
  const words: readonly string[] = shapes[shape].words
  const isPlural = !words.includes(noun)
  if (said === undefined || (isPlural && said === 'the')) return isPlural ? 3 : 1
  const number = countWords.findIndex((named) => named.includes(said)) + 1 || Number(said)
  return Math.min(countMax, Math.max(1, number))
}

/** What is drawn of a scene, as phrases; empty if nothing could be read. */
export function understoodOf({ background, things, texts }: Scene): readonly string[] {
  return [
    ...things.map(({ words }) => words),
    ...texts.map(({ text }) => `the text "${text}"`),
    ...(background === undefined ? [] : ['the background colour']),
  ]
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
