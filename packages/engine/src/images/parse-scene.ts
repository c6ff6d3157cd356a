import { wordsIn } from '../word-lists.ts'
import { colorPattern, parseColor, type Rgb } from './colors.ts'
import { quotePlaceholder, takeQuotes } from './quotes.ts'

/** The contents of a prompt: a text on a plain background. */
export interface Scene {
  /** Undefined if no color is named. */
  readonly background: Rgb | undefined
  /** The color of the text. Undefined if no second color is named. */
  readonly ink: Rgb | undefined
  /** The quoted texts, or without any the prompt's own words. */
  readonly text: string
  readonly quotes: readonly string[]
  /** Phrases of the prompt that are not drawn. */
  readonly leftOut: readonly string[]
}

/** Longer prompts are cut here. */
const charactersMax = 8000
const textMax = 400

const colors = new RegExp(colorPattern, 'gi')
const backgroundPattern = new RegExp(
  String.raw`(?:\b(?:on|with|against|over|in) )?(?:an? |the )?(${colorPattern}) (?:background|backdrop|canvas)\b|\bon (${colorPattern})(?= ?(?:$|[,.;]))`,
)
const inkPattern = new RegExp(`${quotePlaceholder} in (${colorPattern})(?: text\\b)?`)

/** Reads the colors and texts of a prompt, and reports what it could not read. Colors that `negativePrompt` names are not used. */
export function parseScene(prompt: string, negativePrompt = ''): Scene {
  const { text, quotes } = takeQuotes(prompt.slice(0, charactersMax))
  const [, named, bare] = backgroundPattern.exec(text) ?? []
  const [, inkNamed] = inkPattern.exec(text) ?? []
  const open = text.replace(backgroundPattern, ',').replace(inkPattern, ',')
  const unwanted: readonly string[] = negativePrompt.toLowerCase().match(colors) ?? []
  const usable = [named ?? bare ?? [], open.match(colors) ?? []]
    .flat()
    .filter((color) => !unwanted.includes(color))
  const [background = ''] = usable
  const ink = inkNamed ?? usable.find((color) => color !== background) ?? ''
  return {
    background: parseColor(background),
    ink: parseColor(ink),
    text: (quotes.join(' ') || prompt).replaceAll(/\s+/g, ' ').trim().slice(0, textMax),
    quotes,
    leftOut: phrasesOf(open.replaceAll(new RegExp(quotePlaceholder, 'g'), ',')),
  }
}

const emptyWords = wordsIn('drawing')

/** What was not read, as phrases without their empty words. A color alone was read. */
function phrasesOf(open: string): readonly string[] {
  return open
    .split(/[,.;:!?\n]+/)
    .map((phrase) => {
      const words = phrase.split(/\s+/).filter((word) => word !== '')
      const first = words.findIndex((word) => !emptyWords.has(word))
      const last = words.findLastIndex((word) => !emptyWords.has(word))
      return first < 0 ? '' : words.slice(first, last + 1).join(' ')
    })
    .filter((phrase) => /[\p{L}\p{N}]/u.test(phrase.replaceAll(colors, '')))
}
