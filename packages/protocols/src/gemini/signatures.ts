import { isObject, listOf, objectOf, type ThinkingBlock } from '@sluice/contract'
import { carry, restore } from '../carried-reasoning.ts'

/**
 * Gemini clients keep one opaque text per part, `thoughtSignature`, and send it back with the part. Reasoning of other
 * providers is carried in it. It must be valid base64, because some of Google's clients decode and re-encode it.
 */
export function carryBlocks(blocks: readonly ThinkingBlock[]): string {
  return Buffer.from(carry({ kind: 'thinking_blocks', blocks })).toString('base64')
}

/** `sluice.` in base64, standard or URL-safe, up to the point that does not depend on what follows. */
const mark = 'c2x1aWNlL'

export function isCarried(signature: unknown): signature is string {
  return typeof signature === 'string' && signature.startsWith(mark)
}

/** The blocks that a signature carries; none if it was tampered with, undefined for Gemini's own signatures. */
export function restoreBlocks(signature: string): readonly ThinkingBlock[] | undefined {
  if (!isCarried(signature)) return undefined
  const carried = objectOf(restore(Buffer.from(signature, 'base64').toString('latin1')))
  return listOf(carried['blocks']).filter(isThinkingBlock)
}

const kinds: ReadonlySet<unknown> = new Set(['thinking', 'redacted_thinking', 'reasoning'])

/** The other fields of a block are checked with the whole request. */
function isThinkingBlock(block: unknown): block is ThinkingBlock {
  return isObject(block) && kinds.has(block['type'])
}
