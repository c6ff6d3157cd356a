import { colorPattern, mix, parseColor, type Rgb } from './colors.ts'
import type { Place } from './edit-operations.ts'
import { takeQuotes } from './instruction-clause.ts'
import { arrange, type Wanted } from './arrange-objects.ts'
import { pick, type Random, randomFrom } from './random.ts'
import type { Ground, Scene, SceneObject, SceneText } from './scene.ts'
import {
  counts,
  daySky,
  groundOf,
  groundWords,
  isPlural,
  motions,
  nounPattern,
  outlineWords,
  shapeNamed,
  sizes,
  skies,
  weatherWords,
} from './scene-words.ts'
import { shapeNames, shapes } from './shapes.ts'

/** Longer prompts are read to here. */
const charactersMax = 8000
const objectsMax = 60

/** Reads a prompt into a scene. The same prompt and seed give the same scene; anything at all gives one. */
export function parseScene(prompt: string, seed: string): Scene {
  const { text, quotes } = takeQuotes(prompt.slice(0, charactersMax))
  const random = randomFrom(`${prompt}\n${seed}`)
  const { grounds: named, rest } = parseGrounds(text)
  const weather = weatherWords
    .filter(({ pattern }) => pattern.test(text))
    .map(({ weather }) => weather)
  const wanted = parseWanted(rest)
  const sky = backgroundOf(text)
  const grounds = named.length > 0 || sky !== undefined ? named : usualGround(wanted)
  const objects = arrange(wanted, { grounds, random }).slice(0, objectsMax)
  const texts = quotes.map((quote, index) => sceneText(quote, text, index))
  const understood = [
    ...wanted.map(describeWanted),
    ...named.map(({ kind }) => kind),
    ...weather,
    ...texts.map((line) => `the text "${line.text}"`),
    ...(sky === undefined ? [] : ['the background']),
  ]
  const isOutdoors =
    grounds.length > 0 || objects.some(({ shape }) => shapes[shape].home !== 'anywhere')
  const background = sky ?? { colors: isOutdoors ? daySky : paper(random), isAcross: false }
  const scene = {
    background,
    weather,
    grounds,
    objects,
    texts,
    seed: `${prompt}\n${seed}`,
    understood,
  }
  return understood.length === 0 ? abstract(scene, random) : scene
}

/** A house or a tree stands on something even where nothing is said. */
function usualGround(wanted: readonly Wanted[]): readonly Ground[] {
  const rooted = ['house', 'castle', 'tree', 'pine', 'palm', 'flower', 'car', 'snowman']
  return wanted.some(({ shape }) => rooted.includes(shape))
    ? [{ kind: 'grass', color: [104, 176, 76], top: 0.7 }]
    : []
}

/** The things a phrase names, placed in the picture: for drawing on an image. */
export function parseObjects(phrase: string): readonly SceneObject[] {
  const wanted = parseWanted(phrase.slice(0, charactersMax))
  return arrange(wanted, { grounds: [], random: randomFrom(phrase) }).slice(0, objectsMax)
}

function parseWanted(text: string): readonly Wanted[] {
  const noun = new RegExp(nounPattern, 'gu')
  const matches = [...text.matchAll(noun)]
  const found: Wanted[] = []
  for (const [index, match] of matches.entries()) {
    const shape = shapeNamed(match[0])
    if (shape === undefined || isOtherSense(text, match)) continue
    const last = matches[index - 1]
    const start = last === undefined ? 0 : last.index + last[0].length
    const end = matches[index + 1]?.index ?? text.length
    const before = text.slice(Math.max(start, match.index - 60), match.index)
    const after = text.slice(match.index + match[0].length, Math.min(end, match.index + 120))
    const breaks = /[,.;]|\band\b/
    const isOwnClause = last === undefined || breaks.test(before)
    found.push(
      wantedFrom(match[0], {
        shape,
        before: ownWords(before),
        after: clauseOf(after),
        lead: isOwnClause ? (before.split(breaks).at(-1) ?? '') : '',
        ...(matches[index + 1] === undefined ? {} : { toNext: after }),
      }),
    )
  }
  return found.slice(0, objectsMax)
}

/** "blue sky" is no thing, nor is "square image" or "star" in "stars in the sky" twice said by the weather. */
function isOtherSense(text: string, match: RegExpExecArray): boolean {
  const after = text.slice(match.index + match[0].length)
  return /^ (?:image|picture|format|shape|background|frame|border)\b/.test(after)
}

interface Surroundings {
  readonly shape: Wanted['shape']
  /** The adjectives right before the noun. */
  readonly before: string
  /** What follows, to the end of its clause. */
  readonly after: string
  /** The words of its clause before it. */
  readonly lead: string
  /** All words up to the next noun, if there is one. */
  readonly toNext?: string
}

function wantedFrom(word: string, { shape, before, after, lead, toNext }: Surroundings): Wanted {
  const color = parseColor(new RegExp(colorPattern, 'i').exec(before)?.[0] ?? '')
  const afterColor = /^ ?(?:in|of|coloured|colored|painted) ([a-z ]+)/.exec(after)?.[1]
  const said =
    color ?? parseColor(new RegExp(`^${colorPattern}`, 'i').exec(afterColor ?? '')?.[0] ?? '')
  const size = before
    .split(/[\s-]+/)
    .map((part) => (Object.hasOwn(sizes, part) ? sizes[part] : undefined))
    .find((value) => value !== undefined)
  const motion = motions.find(({ pattern }) => pattern.test(`${before} ${after}`))?.motion
  const place = placeOf(after)
  const relation = relationOf(toNext)
  return {
    shape,
    word,
    count: countOf(before, word),
    color: said ?? shapes[shape].color,
    isOutline: outlineWords.test(before),
    isHigh: /\b(?:above|over|in the (?:\w+ )?sky)\b|天上|空中/.test(after),
    ...(size === undefined ? {} : { size }),
    ...(motion === undefined ? {} : { motion }),
    ...(place === undefined ? placeAhead(lead) : { place }),
    ...(relation === undefined ? {} : { relation }),
  }
}

/** "In the top left corner a red star": a place said before the thing. */
function placeAhead(lead: string): { readonly place?: Place } {
  if (!/\b(?:in|at|on) the\b/.test(lead)) return {}
  const place = placeOf(lead)
  return place === undefined ? {} : { place }
}

function countOf(before: string, word: string): number {
  for (const part of before
    .trim()
    .split(/[\s-]+/)
    .toReversed()) {
    const digits = /^\d{1,3}$/.test(part) ? Number(part) : undefined
    const named = Object.hasOwn(counts, part) ? counts[part] : undefined
    const count = digits ?? named ?? chineseCount(part)
    if (count !== undefined && (count > 1 || !isPlural(word)))
      return Math.min(30, Math.max(1, count))
  }
  return isPlural(word) ? 3 : 1
}

function chineseCount(part: string): number | undefined {
  const character = /([一两二三四五六七八九十])[个只颗朵辆条座棵]/.exec(part)?.[1]
  return character === undefined ? undefined : counts[character]
}

/** Words after the last joint of the sentence: they belong to the noun that follows. */
function ownWords(before: string): string {
  return (
    before
      .split(/[,.;]|\b(?:and|with|on|above|below|under|over|beside|behind|near|inside)\b/)
      .at(-1) ?? ''
  )
}

function clauseOf(after: string): string {
  return after.split(/[.;]|, (?!with)|\band\b/)[0] ?? ''
}

function placeOf(words: string): Place | undefined {
  const x = /\bleft\b|左边|左侧|左上|左下/.test(words)
    ? 'left'
    : /\bright\b|右边|右侧|右上|右下/.test(words)
      ? 'right'
      : undefined
  const y = /\b(?:top|upper)\b(?! of\b)|上方|顶部|左上|右上/.test(words)
    ? 'top'
    : /\b(?:bottom|lower)\b|下方|底部|左下|右下/.test(words)
      ? 'bottom'
      : undefined
  const isMiddle = /\b(?:cent(?:er|re)|middle)\b(?! of the (?:circle|square))|中间|中央/.test(words)
  if (/\b(?:left|right) of\b/.test(words)) return undefined
  if (x === undefined && y === undefined && !isMiddle) return undefined
  return { x: x ?? 'center', y: y ?? 'center' }
}

const relations = [
  ['above', /\b(?:above|over|on top of)\b/],
  ['below', /\b(?:below|under|underneath|beneath)\b/],
  ['left', /\bleft of\b/],
  ['right', /\bright of\b/],
  ['inside', /\b(?:inside|within|in the middle of|in)\b/],
  ['beside', /\b(?:beside|next to|near|by)\b/],
] as const

/** How a thing lies to the next one: a relation word and then nothing but that thing's own words. */
function relationOf(toNext: string | undefined): Wanted['relation'] | undefined {
  if (toNext === undefined || /[,.;]|\b(?:and|or|with)\b/.test(toNext)) return undefined
  if (groundWords.some(({ pattern }) => pattern.test(toNext)) || /\bsky\b/.test(toNext))
    return undefined
  return relations.find(([, pattern]) => pattern.test(toNext))?.[0]
}

function parseGrounds(text: string): {
  readonly grounds: readonly Ground[]
  readonly rest: string
} {
  const grounds: Ground[] = []
  let rest = text
  for (const words of groundWords) {
    const match = new RegExp(`(?:(${colorPattern}) )?(?:${words.pattern.source})`, 'i').exec(rest)
    if (match === null) continue
    grounds.push(groundOf(words, parseColor(match[1] ?? '')))
    // The word stays, so that "above the sea" keeps its sense; its colour goes, since it is nobody else's.
    rest = rest.replace(match[0], match[0].slice(match[1]?.length ?? 0))
  }
  const far = ['mountains', 'hills', 'city', 'forest']
  return {
    grounds: grounds.toSorted(
      (a, b) => Number(far.includes(b.kind)) - Number(far.includes(a.kind)),
    ),
    rest,
  }
}

function colorsOf(names: readonly (string | undefined)[] | undefined): readonly Rgb[] {
  return (names ?? []).map((name) => parseColor(name ?? '')).filter((color) => color !== undefined)
}

function backgroundOf(text: string): Scene['background'] | undefined {
  const gradient = new RegExp(
    `\\bgradient\\b[^.;]{0,24}?(${colorPattern})[^.;]{0,12}?(${colorPattern})|(${colorPattern}) (?:to|and) (${colorPattern}) gradient`,
    'i',
  ).exec(text)
  const ends = colorsOf(gradient?.slice(1))
  if (ends.length >= 2)
    return { colors: ends, isAcross: /\bhorizontal(?:ly)?\b|left to right/.test(text) }
  const plain = new RegExp(
    `(${colorPattern})(?: \\w+)? background|background (?:is |in |of |colou?r )*(${colorPattern})|\\bon (?:a |an )?(?:plain |solid )?(${colorPattern})(?= *(?:$|[,.;]|ground|paper|canvas))|(${colorPattern})(?:的)?背景`,
    'i',
  ).exec(text)
  const [color] = colorsOf(plain?.slice(1))
  if (color !== undefined) return { colors: [color], isAcross: false }
  const sky = parseColor(new RegExp(`(${colorPattern}) sky`, 'i').exec(text)?.[1] ?? '')
  if (sky !== undefined) return { colors: [sky, mix(sky, [255, 255, 255], 0.55)], isAcross: false }
  const named = skies.find(({ pattern }) => pattern.test(text))
  return named === undefined ? undefined : { colors: named.colors, isAcross: false }
}

function sceneText(text: string, prompt: string, index: number): SceneText {
  const at = prompt.indexOf(String.fromCharCode(0xe000 + index))
  const around = prompt.slice(Math.max(0, at - 60), at + 60)
  const color = parseColor(
    new RegExp(
      `(${colorPattern}) (?:text|letters|words|title|caption)|(?:text|letters|words|written) in (${colorPattern})`,
      'i',
    )
      .exec(around)
      ?.slice(1)
      .find(Boolean) ?? '',
  )
  return {
    text,
    place: placeOf(around) ?? { x: 'center', y: 'center' },
    ...(color === undefined ? {} : { color }),
  }
}

/** A quiet ground where nothing is said: near white, with a hint of a hue. */
function paper(random: Random): readonly Rgb[] {
  const hint: Rgb = [random() * 255, random() * 255, random() * 255]
  return [mix(hint, [255, 255, 255], 0.92), mix(hint, [255, 255, 255], 0.8)]
}

/** Nothing in the prompt can be drawn: shapes and colours that only its letters decide. */
function abstract(scene: Scene, random: Random): Scene {
  const hue = random() * 360
  const color = (shift: number): Rgb => fromHue(hue + shift, 0.45 + random() * 0.3)
  const [first, ...others] = shapeNames
    .filter((name) => shapes[name].home === 'anywhere')
    .slice(0, 8)
  const objects = Array.from(
    { length: 14 },
    (_, index): SceneObject => ({
      shape: pick([first ?? 'circle', ...others], random),
      color: color(index * 25),
      x: random(),
      y: random(),
      size: 0.12 + random() * 0.4,
      rotation: random() * 360,
      isOutline: random() < 0.25,
      opacity: 0.65 + random() * 0.35,
      motion: pick(['sway', 'spin', 'pulse'], random),
    }),
  )
  return { ...scene, background: { colors: [color(180), color(220)], isAcross: false }, objects }
}

function fromHue(hue: number, lightness: number): Rgb {
  const channel = (offset: number): number => {
    const wave = Math.cos((((hue + offset) % 360) * Math.PI) / 180)
    return Math.round(255 * Math.min(1, Math.max(0, lightness + wave * 0.35)))
  }
  return [channel(0), channel(240), channel(120)]
}

function describeWanted({ count, word, place, relation }: Wanted): string {
  const where =
    place === undefined
      ? relation === undefined
        ? ''
        : ` (${relation})`
      : ` (${[place.y, place.x].filter((side) => side !== 'center').join(' ') || 'center'})`
  return `${count} ${word}${where}`
}
