import type { Rgb } from './colors.ts'
import type { Ground, GroundKind, Motion, Weather } from './scene.ts'
import { type ShapeName, shapeNames, shapes } from './shapes.ts'

/** How many, in words. A plural without a number is three. */
export const counts: Readonly<Record<string, number>> = {
  a: 1,
  an: 1,
  one: 1,
  single: 1,
  another: 1,
  two: 2,
  both: 2,
  pair: 2,
  couple: 2,
  three: 3,
  few: 3,
  several: 4,
  some: 3,
  four: 4,
  five: 5,
  six: 6,
  seven: 7,
  eight: 8,
  nine: 9,
  ten: 10,
  eleven: 11,
  twelve: 12,
  dozen: 12,
  many: 8,
  lots: 9,
  一: 1,
  两: 2,
  二: 2,
  三: 3,
  四: 4,
  五: 5,
  六: 6,
  七: 7,
  八: 8,
  九: 9,
  十: 10,
}

/** Part of the shorter side that a thing takes. */
export const sizes: Readonly<Record<string, number>> = {
  tiny: 0.07,
  small: 0.15,
  little: 0.15,
  medium: 0.28,
  large: 0.5,
  big: 0.5,
  huge: 0.75,
  giant: 0.8,
  enormous: 0.8,
  great: 0.55,
  tall: 0.5,
  小: 0.15,
  大: 0.5,
  巨大: 0.8,
}

export const outlineWords = /\b(?:outlined?|hollow|empty|unfilled|wireframe|contour)\b/

/** The commonest words for movement; in a still they change nothing. */
export const motions: readonly { readonly pattern: RegExp; readonly motion: Motion }[] = [
  {
    pattern:
      /\b(?:ris(?:es?|ing)|ascend\w*|(?:fl(?:y|ies|ying)|mov\w+|go(?:es|ing)?|float\w*|climb\w*|launch\w*) ?(?:up\w*|off)|takes? off|launch\w*)\b|升起|上升/,
    motion: 'rise',
  },
  {
    pattern:
      /\b(?:sink\w*|set(?:s|ting)|fall(?:s|ing)?|descend\w*|drop\w*|(?:mov\w+|go(?:es|ing)?) down\w*)\b|落下|下降/,
    motion: 'sink',
  },
  {
    pattern:
      /\b(?:mov\w+|go(?:es|ing)?|driv\w+|fl(?:y|ies|ying)|run(?:s|ning)?|slid\w+|sail\w*|swim\w*|walk\w*) (?:to(?:wards?)? the |from right to )?left\b|向左/,
    motion: 'leftward',
  },
  {
    pattern:
      /\b(?:mov(?:es?|ing)|driv(?:es?|ing)|fl(?:y|ies|ying)|runs?|running|slid(?:es?|ing)|sails?|sailing|swims?|swimming|walks?|walking|cross(?:es|ing)|across|travel\w*|pass(?:es|ing))\b|向右|移动/,
    motion: 'rightward',
  },
  { pattern: /\b(?:spin\w*|rotat\w*|turn(?:s|ing)|twirl\w*|roll\w*)\b|旋转/, motion: 'spin' },
  {
    pattern: /\b(?:puls\w*|beat(?:s|ing)?|throb\w*|blink\w*|twinkl\w*|flash\w*|glow\w*)\b/,
    motion: 'pulse',
  },
  { pattern: /\b(?:bounc\w*|jump\w*|hop\w*|danc\w*)\b|跳/, motion: 'bounce' },
  { pattern: /\b(?:grow\w*|expand\w*|bloom\w*|inflat\w*|zoom\w* in)\b|变大/, motion: 'grow' },
  { pattern: /\b(?:shrink\w*|deflat\w*|get\w* smaller)\b/, motion: 'shrink' },
  { pattern: /\b(?:appear\w*|fad\w+ in|emerg\w*)\b/, motion: 'appear' },
  { pattern: /\b(?:disappear\w*|vanish\w*|fad\w+(?: out)?|melt\w*)\b/, motion: 'vanish' },
  {
    pattern: /\b(?:sway\w*|wav(?:es|ing)|swing\w*|rock(?:s|ing)|drift\w*|float\w*|hover\w*)\b/,
    motion: 'sway',
  },
]

interface GroundWords {
  readonly pattern: RegExp
  readonly kind: GroundKind
  readonly color: Rgb
  readonly top: number
}

/** What the lower part of a picture can be. */
export const groundWords: readonly GroundWords[] = [
  {
    pattern: /\b(?:seas?|oceans?|lakes?|water|rivers?|ponds?|waves?)\b|海|湖|水面/,
    kind: 'sea',
    color: [38, 108, 178],
    top: 0.6,
  },
  {
    pattern: /\b(?:mountains?|peaks?|alps|volcano)\b|山/,
    kind: 'mountains',
    color: [104, 118, 140],
    top: 0.3,
  },
  { pattern: /\bhills?\b|丘/, kind: 'hills', color: [110, 168, 84], top: 0.55 },
  {
    pattern: /\b(?:city|skyline|skyscrapers?|town|downtown|cityscape)\b|城市/,
    kind: 'city',
    color: [70, 78, 100],
    top: 0.4,
  },
  { pattern: /\b(?:forest|woods|jungle)\b|森林/, kind: 'forest', color: [34, 96, 56], top: 0.5 },
  {
    pattern: /\b(?:grass|fields?|meadow|lawn|garden|park|ground|land)\b|草地|草原/,
    kind: 'grass',
    color: [104, 176, 76],
    top: 0.68,
  },
  {
    pattern: /\b(?:beach|sand|desert|dunes?|shore)\b|沙滩|沙漠/,
    kind: 'sand',
    color: [232, 206, 146],
    top: 0.72,
  },
  {
    pattern: /\b(?:snow(?:y)?(?! ?flakes?| ?m[ae]n)|ice|winter)\b|雪地|雪/,
    kind: 'snow',
    color: [240, 246, 252],
    top: 0.68,
  },
  {
    pattern: /\b(?:road|street|floor|table|path|highway)\b|路/,
    kind: 'floor',
    color: [110, 110, 118],
    top: 0.74,
  },
]

export const weatherWords: readonly { readonly pattern: RegExp; readonly weather: Weather }[] = [
  { pattern: /\b(?:rain(?:y|ing)?|storm(?:y)?|drizzle)\b(?!bow)|下雨|雨/, weather: 'rain' },
  { pattern: /\bsnow(?:ing|fall|storm)\b|下雪/, weather: 'snowfall' },
  {
    pattern: /\b(?:starry|night|galaxy|space|cosmos|stars in the sky|milky way)\b|夜|星空|太空/,
    weather: 'stars',
  },
  { pattern: /\bcloud[sy]*\b(?=.*\bsky\b)|\bcloudy\b|\bovercast\b|多云/, weather: 'clouds' },
]

/** Skies that have a name. */
export const skies: readonly { readonly pattern: RegExp; readonly colors: readonly Rgb[] }[] = [
  {
    pattern: /\b(?:galaxy|space|cosmos|milky way)\b|太空|宇宙/,
    colors: [
      [6, 6, 24],
      [24, 12, 58],
    ],
  },
  {
    pattern: /\b(?:night|midnight(?! blue)|starry)\b|夜|星空/,
    colors: [
      [8, 14, 44],
      [34, 48, 100],
    ],
  },
  {
    pattern: /\b(?:sunset|dusk|evening|golden hour)\b|日落|黄昏/,
    colors: [
      [62, 48, 110],
      [232, 96, 84],
      [255, 186, 92],
    ],
  },
  {
    pattern: /\b(?:sunrise|dawn|morning)\b|日出|早晨/,
    colors: [
      [118, 158, 222],
      [252, 196, 156],
      [255, 228, 170],
    ],
  },
  {
    pattern: /\b(?:underwater|deep sea|under the sea)\b|海底/,
    colors: [
      [32, 132, 190],
      [6, 34, 84],
    ],
  },
  {
    pattern:
      /\b(?:rain(?:y|ing)?|storm(?:y)?|overcast|cloudy|fog(?:gy)?|mist(?:y)?)\b(?!bow)|雨|雾/,
    colors: [
      [110, 122, 138],
      [176, 186, 196],
    ],
  },
  {
    pattern: /\b(?:sky|day(?:time|light)?|outdoors?|sunny|landscape|air)\b|天空|白天/,
    colors: [
      [96, 172, 238],
      [206, 234, 252],
    ],
  },
]

export const daySky: readonly Rgb[] = [
  [96, 172, 238],
  [206, 234, 252],
]

/** Every word for a shape, longest first, with its plural. */
const nouns: readonly { readonly word: string; readonly name: ShapeName }[] = shapeNames
  .flatMap((name) => shapes[name].words.map((word) => ({ word, name })))
  .toSorted((a, b) => b.word.length - a.word.length)

const irregular: Readonly<Record<string, ShapeName>> = {
  people: 'person',
  men: 'person',
  women: 'person',
  children: 'person',
  puppies: 'dog',
  butterflies: 'butterfly',
  wolves: 'dog',
  foxes: 'dog',
  boxes: 'square',
  snowmen: 'snowman',
  octopus: 'fish',
  daisies: 'flower',
  'smiley faces': 'smiley',
  skyscrapers: 'castle',
  crosses: 'cross',
  buses: 'car',
}

/** The source of a pattern for any noun of a shape. */
export const nounPattern = `(?:\\b(?:${[...Object.keys(irregular), ...nouns.filter(({ word }) => /^[a-z]/.test(word)).map(({ word }) => `${word}s?`)].join('|')})\\b|${nouns
  .filter(({ word }) => !/^[a-z]/.test(word))
  .map(({ word }) => word)
  .join('|')})`

export function shapeNamed(word: string): ShapeName | undefined {
  if (Object.hasOwn(irregular, word)) return irregular[word]
  return nouns.find((noun) => noun.word === word || `${noun.word}s` === word)?.name
}

export function isPlural(word: string): boolean {
  if (Object.hasOwn(irregular, word)) return word !== 'octopus'
  return word.endsWith('s') && !nouns.some((noun) => noun.word === word)
}

export function groundOf({ kind, color, top }: GroundWords, said: Rgb | undefined): Ground {
  return { kind, color: said ?? color, top }
}
