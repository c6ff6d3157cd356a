import { formatJson, isTooDeep, parseJson } from '@sluice/contract'

const mark = 'sluice.'

/**
 * A reasoning block of another protocol as one opaque string, for wires with a single slot for such data: Anthropic's
 * `signature` and `redacted_thinking.data`, Responses' `encrypted_content`, Gemini's `thoughtSignature`. Clients send
 * these back unread, so the block reaches its own provider again.
 */
export function carry(block: unknown): string {
  return mark + Buffer.from(formatJson(block)).toString('base64url')
}

/** What `carry` packed; undefined when the text is a provider's own signature. */
export function restore(text: string): unknown {
  if (!text.startsWith(mark)) return undefined
  try {
    const block = parseJson(Buffer.from(text.slice(mark.length), 'base64url').toString())
    return isTooDeep(block) ? undefined : block
  } catch {
    return undefined
  }
}
