import { formatJson, isTooDeep, parseJson } from '@sluice/contract'

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
  try {
    const block = parseJson(Buffer.from(text.slice(mark.length), 'base64url').toString())
    return isTooDeep(block) ? undefined : block
  } catch {
    return undefined
  }
}
