import {
  type Fields,
  isObject,
  objectOf,
  textOf,
  type ThinkingBlock,
  type ToolCall,
} from '@sluice/contract'
import { withSignature } from '../../call-signature.ts'
import { carry, restore } from '../../carried-reasoning.ts'
import { placed } from '../../interleaved.ts'
import type { Block as OutBlock } from '../blocks.ts'
import type { Block } from './schema.ts'

/** Reasoning that a client returns in an assistant message. */
interface ReturnedThinking {
  readonly text: string
  readonly blocks: readonly ThinkingBlock[]
  /** Gemini's signatures by the id of their call. */
  readonly callSignatures: Fields
}

/**
 * Reads the `thinking` and `redacted_thinking` blocks of a message. Claude's own are kept. Blocks in which the gateway had
 * packed another provider's reasoning, or hidden text, are unpacked.
 */
export function readThinking(blocks: readonly Block[]): ReturnedThinking {
  let text = ''
  let callSignatures: Fields = {}
  const found: ThinkingBlock[] = []
  const before = { hasText: false, calls: 0 }
  const add = (block: ThinkingBlock) => found.push(placed(block, before))
  for (const block of blocks) {
    if (block.type === 'text') before.hasText = true
    if (block.type === 'tool_use') before.calls += 1
    if (!isThinking(block)) continue
    const opaque = block.type === 'thinking' ? (block.signature ?? '') : (block.data ?? '')
    text += block.thinking ?? ''
    const carried = restore(opaque)
    if (isObject(carried)) {
      if (carried['kind'] === 'call_signatures')
        callSignatures = { ...callSignatures, ...objectOf(carried['signatures']) }
      else if (isBlock(carried)) add(carried)
    } else if (opaque !== '')
      add(
        block.type === 'thinking'
          ? { type: 'thinking', thinking: block.thinking ?? '', signature: opaque }
          : { type: 'redacted_thinking', data: opaque },
      )
  }
  return { text, blocks: found, callSignatures }
}

export function isThinking({ type }: Block): boolean {
  return type === 'thinking' || type === 'redacted_thinking'
}

const carriedKinds: ReadonlySet<unknown> = new Set(['thinking', 'reasoning', 'thought'])

/** The other fields are validated with the whole request. */
function isBlock(value: object): value is ThinkingBlock {
  return 'type' in value && carriedKinds.has(value.type)
}

/**
 * Writes reasoning as Anthropic's blocks. That of other providers is packed into the signature, which clients return unread.
 * Text with nothing to return has an empty signature.
 */
export function thinkingBlocks(
  given: {
    readonly reasoning_content?: string | null
    readonly thinking_blocks?: readonly ThinkingBlock[] | null
  },
  textShown: boolean,
): readonly OutBlock[] {
  const text = given.reasoning_content ?? ''
  const blocks = given.thinking_blocks ?? []
  const shown = (words: string): string => (textShown ? words : '')
  if (blocks.length === 0)
    return shown(text) === '' ? [] : [{ type: 'thinking', thinking: text, signature: '' }]
  // Blocks without their own text share the text that came beside them; it is shown in the first one.
  const without = blocks.some((block) => wordsOf(block) !== '') ? '' : text
  return blocks.map((block, index) => {
    const thinking = shown(wordsOf(block) || (index === 0 ? without : ''))
    return thinkingBlock(block, thinking)
  })
}

/**
 * Writes one block with the text to show. Without text, foreign reasoning becomes redacted thinking. Claude's own is packed
 * together with its hidden text, because it must be returned unchanged.
 */
export function thinkingBlock(block: ThinkingBlock, thinking: string): OutBlock {
  if (block.type === 'redacted_thinking') return { type: block.type, data: block.data ?? '' }
  if (block.type === 'thinking') {
    const isHidden = thinking === '' && wordsOf(block) !== '' && Boolean(block.signature)
    const signature = isHidden ? carry(block) : (block.signature ?? '')
    return { type: 'thinking', thinking, signature }
  }
  return thinking === ''
    ? { type: 'redacted_thinking', data: carry(block) }
    : { type: 'thinking', thinking, signature: carry(block) }
}

export function wordsOf({ thinking, summary }: ThinkingBlock): string {
  return thinking ?? summary?.join('\n\n') ?? ''
}

/** A block that carries call signatures; placed before the calls. For callers who asked for thinking. */
export function callSignatureBlock(signatures: Readonly<Record<string, string>>): OutBlock {
  return { type: 'redacted_thinking', data: carry({ kind: 'call_signatures', signatures }) }
}

/** Restores the signature of a call. */
export function signCall(call: ToolCall, signatures: ReturnedThinking['callSignatures']): ToolCall {
  const signature = textOf(signatures[call.id])
  return signature === '' ? call : { ...call, ...withSignature(signature) }
}
