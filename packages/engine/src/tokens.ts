import { invalidRequest } from '@sluice/contract'
import type { Pause } from './chat/pause.ts'

/** Characters of scripts without blanks between words. */
const ideograph =
  '\\u2e80-\\u2fff\\u3001-\\u9fff\\uac00-\\ud7af\\uf900-\\ufaff\\u{20000}-\\u{3ffff}'
const letter = String.raw`[[\p{L}\p{M}_]--[${ideograph}]]`
const ascii = '[A-Za-z_]'
const mark = String.raw`[[^\s\p{L}\p{M}\p{Nd}_${ideograph}]--\p{Extended_Pictographic}]`
const blank = String.raw`[^\S\r\n]`

/**
 * Letters per token of other scripts: between o200k_base and cl100k_base as gpt-tokenizer counts them for the first article of
 * the Universal Declaration of Human Rights in each language, but at most half as many again as o200k_base.
 */
const lettersPerToken: readonly (readonly [letters: number, scripts: readonly string[]])[] = [
  [4, ['Latin']],
  [3, ['Cyrillic', 'Georgian', 'Armenian', 'Devanagari', 'Bengali', 'Gurmukhi', 'Gujarati']],
  [3, ['Tamil', 'Telugu', 'Kannada', 'Malayalam']],
  [2, ['Greek', 'Arabic', 'Hebrew', 'Thai']],
]

const otherScripts = lettersPerToken.map(
  ([letters, scripts]) =>
    `[[${scripts.map((script) => String.raw`\p{Script=${script}}`).join('')}\\p{M}]&&${letter}]{1,${letters}}`,
)

/**
 * The engine's own tokens: an English word of up to 8 letters or a piece of a longer one, up to four letters of other
 * languages, up to three digits, one character of a script without spaces, up to four equal marks, each with the space before
 * it, or a sequence of blanks, the last of which belongs to the next word. Every string is a sequence of tokens, and joining
 * the tokens gives the string again.
 */
const pattern = new RegExp(
  [
    ` ?(?:${ascii}{1,8}(?!${letter})|${ascii}{6})`,
    ` ?[${ideograph}]`,
    ` ?(?:${otherScripts.join('|')}|${letter})`,
    String.raw` ?\p{Nd}{1,3}`,
    String.raw` ?(${mark})\1{0,3}`,
    String.raw` ?\p{Extended_Pictographic}`,
    String.raw`${blank}{1,15}(?= \S)`,
    `${blank}{1,16}`,
    String.raw`[\r\n]{1,16}`,
  ].join('|'),
  'gv',
)

/** The tokens of a text, in order; joined they are the text. Takes time in proportion to its length. */
export function encode(text: string): string[] {
  return text.match(pattern) ?? []
}

/** The number of tokens that `encode` would return. */
export function countTokens(text: string): number {
  let count = 0
  pattern.lastIndex = 0
  while (pattern.test(text)) count++
  return count
}

/** A picture that is one token here is more than one to most tokenizers: 1.5 in o200k_base, 2.6 in cl100k_base. */
const furtherTokensPerPicture = 0.75
const picture = /\p{Extended_Pictographic}|\p{Emoji_Modifier}|\p{Regional_Indicator}/gu

/**
 * The tokens of a text that was sent, close to what other models count for it. Takes time in proportion to the length; of a
 * response, `encode` gives the tokens.
 */
export function countSent(text: string): number {
  return countTokens(text) + furtherTokens(text)
}

function furtherTokens(text: string): number {
  let pictures = 0
  picture.lastIndex = 0
  while (picture.test(text)) pictures++
  return Math.ceil(pictures * furtherTokensPerPicture)
}

/** Maximum length of a token. */
export const tokenCharactersMax = 32

/**
 * The number of tokens of an input. Throws invalid_request with `param` if there are more than `tokensMax`; megabytes of text
 * are not counted.
 */
export function countWithin(text: string, tokensMax: number, param: string): number {
  const count = text.length > tokensMax * tokenCharactersMax ? Infinity : countSent(text)
  if (count <= tokensMax) return count
  throw invalidRequest(`The input has more than ${tokensMax} tokens`, param)
}

/** This many tokens take less than a millisecond. */
const tokensAtOnce = 2048

/** `countSent` in several turns of the event loop: other work runs in between, as `pause` allows. */
export async function countTokensInTurns(text: string, pause: Pause): Promise<number> {
  let at = 0
  for (let count = 0; ; count += tokensAtOnce) {
    // Others use the same pattern in the meantime.
    pattern.lastIndex = at
    for (let more = 0; more < tokensAtOnce; more++)
      if (!pattern.test(text)) return count + more + furtherTokens(text)
    at = pattern.lastIndex
    await pause()
  }
}

/** Greatest token id of the clients' own tokenizer (cl100k_base). */
const idMax = 100_276

/** A text of a request, and the path of its field. */
export interface SentText {
  readonly text: string
  readonly param: string
}

/**
 * The texts of a field that contains a text, token ids, or a list of either. Throws invalid_request for unknown ids, with
 * their path.
 */
export async function readTexts(
  sent: string | readonly (string | number | readonly number[])[],
  param: string,
): Promise<readonly SentText[]> {
  if (typeof sent === 'string') return [{ text: sent, param }]
  const ids = sent.filter((item) => typeof item === 'number')
  if (ids.length > 0) return [{ text: await decodeTokenIds(ids, param), param }]
  const items = sent.filter((item) => typeof item !== 'number')
  return Promise.all(
    items.map(async (item, index) => {
      const path = `${param}[${index}]`
      const text = typeof item === 'string' ? item : await decodeTokenIds(item, path)
      return { text, param: path }
    }),
  )
}

/** The text of a prompt given as cl100k token ids. Throws invalid_request with `param` if an id is not in that vocabulary. */
export async function decodeTokenIds(ids: readonly number[], param = 'prompt'): Promise<string> {
  if (ids.length === 0) return ''
  const { decode } = await import('gpt-tokenizer/encoding/cl100k_base')
  const wrong = ids.findIndex((id) => !Number.isInteger(id) || id < 0 || id > idMax)
  if (wrong >= 0) throw invalidRequest(`${ids[wrong]} is not a token id`, `${param}[${wrong}]`)
  try {
    return decode([...ids])
  } catch {
    throw invalidRequest('These token ids do not decode to a text', param)
  }
}

/** The text of one token id, or undefined if the id is unknown; for logit_bias. */
export async function decodeTokenId(id: number): Promise<string | undefined> {
  return decodeTokenIds([id]).catch(() => undefined)
}
