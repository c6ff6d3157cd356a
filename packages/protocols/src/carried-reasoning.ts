import {
  formatJson,
  isObject,
  isTooDeep,
  parsedJson,
  type ThinkingBlock,
  textOf,
} from '@sluice/contract'

const mark = 'sluice.'

/**
 * Packs a reasoning block of another protocol into one opaque string, for formats with a single field for such data:
 * Anthropic's `signature` and `redacted_thinking.data`, Responses' `encrypted_content`, Gemini's `thoughtSignature`. Clients
 * return these unread, so the block reaches its own provider again.
 */
export function carry(block: unknown): string {
  return mark + Buffer.from(formatJson(block)).toString('base64url')
}

/** Unpacks what `carry` packed; undefined for a provider's own signature. */
export function restore(text: string): unknown {
  if (!text.startsWith(mark)) return undefined
  const block = parsedJson(Buffer.from(text.slice(mark.length), 'base64url').toString())
  return isTooDeep(block) ? undefined : block
}

const kinds: ReadonlySet<string> = new Set([
  'thinking',
  'redacted_thinking',
  'reasoning',
  'thought',
])

/** Of what this gateway packed only the kind is checked; the other fields are checked with the whole request. */
export function isThinkingBlock(block: unknown): block is ThinkingBlock {
  return isObject(block) && kinds.has(textOf(block['type']))
}
