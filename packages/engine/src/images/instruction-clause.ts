import { colorPattern, parseColor, type Rgb } from './colors.ts'
import type { Length } from './edit-operations.ts'
import { placeNamed } from './parse-scene.ts'
import { quoteOf, quotePlaceholder } from './quotes.ts'
import type { Place } from './scene.ts'

/** One clause of an instruction. What is read is removed from it, so that the words not read are known. */
export interface Clause {
  /** Removes and returns the first match. */
  take(pattern: RegExp): RegExpExecArray | undefined
  /** The strength from a percentage or an adverb; `usual` if there is none. It has the sign of `usual`. */
  amount(usual?: number): number
  color(): Rgb | undefined
  place(): Place | undefined
  length(usual: number): Length
  quote(): string | undefined
  /** Meaningful words that were not read. */
  unread(): readonly string[]
}

const emptyWords = new Set(
  `a an the this that these those it its is are be to of in on at by with for from as into and or then also please
  can could would you i we like want make made making turn change set add apply give get put have image images
  picture pictures photo photos photograph pic very more much effect filter look version all whole entire just only
  should need let us kindly edit convert degree degrees strongly colour colours color colors up some`.split(
    /\s+/,
  ),
)

const amounts: readonly (readonly [RegExp, number])[] = [
  [/\b(?:slightly|a little(?: bit)?|a bit|subtly|gently|lightly|somewhat)\b/, 0.25],
  [/\b(?:extremely|completely|totally|fully|maximum)\b/, 1],
  [/\b(?:very|strongly|heavily|a lot|much|significantly|really)\b/, 0.8],
]

export function openClause(text: string, quotes: readonly string[]): Clause {
  let rest = text
  const take = (pattern: RegExp): RegExpExecArray | undefined => {
    const match = pattern.exec(rest)
    if (match === null) return undefined
    rest = `${rest.slice(0, match.index)} ${rest.slice(match.index + match[0].length)}`
    return match
  }
  return {
    take,
    amount(usual = 0.5) {
      const percent = take(/(?:\bby )?(\d{1,3}(?:\.\d+)?) ?%/)?.[1]
      if (percent !== undefined) return Math.sign(usual) * Math.min(2, Number(percent) / 100)
      const said = amounts.find(([pattern]) => take(pattern) !== undefined)
      return (said?.[1] ?? 0.5) * (usual / 0.5)
    },
    color: () => parseColor(take(new RegExp(colorPattern))?.[0] ?? ''),
    place() {
      const found = take(
        /\b(?:top|upper|bottom|lower)(?:[ -](?:left|right|cent(?:er|re)|middle))?\b|\b(?:left|right|cent(?:er|re)|middle)\b/,
      )
      take(/\b(?:corner|side|edge|half|part)\b/)
      return found === undefined ? undefined : placeNamed(found[0])
    },
    length(usual) {
      const [, value, unit] = take(/\b(\d{1,4}(?:\.\d+)?) ?-?(px\b|pixels?\b|%)?(?: wide)?/) ?? []
      if (value !== undefined && unit === '%') return { part: Math.min(1, Number(value) / 100) }
      if (value !== undefined) return { pixels: Number(value) }
      if (take(/\b(?:thin|narrow|small|fine)\b/)) return { part: usual / 2 }
      return { part: take(/\b(?:thick|wide|big|large)\b/) ? usual * 2 : usual }
    },
    quote: () => quoteOf(quotes, take(new RegExp(quotePlaceholder))?.[0] ?? ''),
    unread: () =>
      (rest.match(/[\p{L}\p{N}'’%\ue000-\uf8ff]+/gu) ?? []).filter((word) => !emptyWords.has(word)),
  }
}
