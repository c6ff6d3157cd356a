import { invalidRequest } from '@sluice/contract'
import type { Pause } from './chat/pause.ts'

/** Characters of scripts that part their words by no blanks. */
const ideograph =
  '\\u2e80-\\u2fff\\u3001-\\u9fff\\uac00-\\ud7af\\uf900-\\ufaff\\u{20000}-\\u{3ffff}'
const letter = String.raw`[[\p{L}\p{M}_]--[${ideograph}]]`
const blank = String.raw`[^\S\r\n]`

/**
 * The engine's own tokens: a word of up to 8 letters or a piece of a longer one, up to three digits, one character of a
 * script without spaces, up to four equal marks, each with the space before it, or a run of blanks, the last of which
 * is left to the word after it. Every string is a sequence of tokens, and the tokens joined are the string again.
 */
const pattern = new RegExp(
  [
    ` ?(?:${letter}{1,8}(?!${letter})|${letter}{6})`,
    String.raw` ?\p{Nd}{1,3}`,
    ` ?[${ideograph}]`,
    String.raw` ?([^\s\p{L}\p{M}\p{Nd}_${ideograph}])\1{0,3}`,
    String.raw`${blank}{1,15}(?= \S)`,
    `${blank}{1,16}`,
    String.raw`[\r\n]{1,16}`,
  ].join('|'),
  'gv',
)

/** The tokens of a text, in order; joined they are the text. Linear in its length. */
export function encode(text: string): string[] {
  return text.match(pattern) ?? []
}

/** How many tokens `encode` would give. */
export function countTokens(text: string): number {
  let count = 0
  pattern.lastIndex = 0
  while (pattern.test(text)) count++
  return count
}

/** No token is longer. */
export const tokenCharactersMax = 32

/** The tokens of an input. Throws invalid_request with `param` for more than `tokensMax`; a text of megabytes is not counted. */
export function countWithin(text: string, tokensMax: number, param: string): number {
  const count = text.length > tokensMax * tokenCharactersMax ? Infinity : countTokens(text)
  if (count <= tokensMax) return count
  throw invalidRequest(`The input has more than ${tokensMax} tokens`, param)
}

/** So many tokens take less than a millisecond. */
const tokensAtOnce = 2048

/** The same in turns: other work gets its own between them, as `pause` has it. */
export async function countTokensInTurns(text: string, pause: Pause): Promise<number> {
  let at = 0
  for (let count = 0; ; count += tokensAtOnce) {
    // Others use the same pattern meanwhile.
    pattern.lastIndex = at
    for (let more = 0; more < tokensAtOnce; more++) if (!pattern.test(text)) return count + more
    at = pattern.lastIndex
    await pause()
  }
}

/** Token ids as the clients' own tokenizers number them (cl100k_base). */
const idMax = 100_276

/** A text of a request, and the path of the field that it came in. */
export interface SentText {
  readonly text: string
  readonly param: string
}

/**
 * The texts of a field that holds a text, token ids, or a list of either.
 * Throws invalid_request for ids that are no tokens, with their path.
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

/**
 * The text of a prompt that was given as cl100k token ids.
 * Throws invalid_request with `param` where an id is not in that vocabulary.
 */
export async function decodeTokenIds(ids: readonly number[], param = 'prompt'): Promise<string> {
  if (ids.length === 0) return ''
  const { decode } = await import('gpt-tokenizer/encoding/cl100k_base')
  const wrong = ids.findIndex((id) => !Number.isInteger(id) || id < 0 || id > idMax)
  if (wrong >= 0) throw invalidRequest(`${ids[wrong]} is not a token id`, `${param}[${wrong}]`)
  try {
    return decode([...ids])
  } catch {
    throw invalidRequest('These token ids stand for no text', param)
  }
}

/** The text of one token id, or undefined where the id stands for none: what logit_bias names. */
export async function decodeTokenId(id: number): Promise<string | undefined> {
  return decodeTokenIds([id]).catch(() => undefined)
}
