import { isObject, type ThinkingBlock, textOf } from '@sluice/contract'
import { carry, isThinkingBlock, restore } from '../../carried-reasoning.ts'
import type { InputItem, OutputItem, ResponsesRequest } from './schema.ts'

/**
 * Reasoning in this format has one opaque field, `encrypted_content`. It carries blocks of every protocol and Gemini's
 * signatures of calls, which are restored when the client sends the item back. OpenAI's own blocks are carried, too, because they belong to the id that OpenAI gave
 * them, while items here have ids of their own.
 */

interface Restored {
  readonly text: string
  readonly blocks: readonly ThinkingBlock[]
  /** By call id. */
  readonly signatures?: Readonly<Record<string, string>>
}

export function restoreReasoning(item: InputItem): Restored {
  const summary = (item.summary ?? []).map(({ text }) => text).filter((text) => text !== '')
  const written = Array.isArray(item.content) ? item.content.map(({ text }) => text ?? '') : []
  const text = (summary.length > 0 ? summary : written).join('\n\n')
  const { encrypted_content: encrypted, id } = item
  if (encrypted == null || encrypted === '') return { text, blocks: [] }
  const carried = restore(encrypted)
  if (carried === undefined) {
    const block = { type: 'reasoning' as const, summary, encrypted_content: encrypted }
    return { text, blocks: [id == null ? block : { ...block, id }] }
  }
  const signatures = signaturesIn(carried)
  if (signatures !== undefined) return { text, blocks: [], signatures }
  return { text, blocks: isThinkingBlock(carried) ? [carried] : [] }
}

function signaturesIn(carried: unknown): Readonly<Record<string, string>> | undefined {
  if (!isObject(carried) || carried['kind'] !== 'call_signatures') return undefined
  const { signatures } = carried
  if (!isObject(signatures)) return undefined
  return Object.fromEntries(Object.entries(signatures).map(([id, text]) => [id, textOf(text)]))
}

/** The item for one block. `shown` is the part of its text that was already sent, if it was streamed. */
export function reasoningItem(block: ThinkingBlock, id: string, shown?: string): OutputItem {
  const { summary, thinking = '' } = block
  const texts = shown === undefined ? (summary ?? (thinking === '' ? [] : [thinking])) : [shown]
  return {
    id,
    type: 'reasoning',
    summary: texts.map((text) => ({ type: 'summary_text', text })),
    encrypted_content: carry(block),
  }
}

/** Reasoning that need not be sent back. */
export function plainReasoningItem(text: string, id: string): OutputItem {
  return { id, type: 'reasoning', summary: [{ type: 'summary_text', text }] }
}

/** Placed before a call that Gemini signed, for callers who ask for encrypted reasoning. */
export function signatureItem(callId: string, signature: string, id: string): OutputItem {
  const carried = carry({ kind: 'call_signatures', signatures: { [callId]: signature } })
  return { id, type: 'reasoning', summary: [], encrypted_content: carried }
}

/**
 * Whether the caller asked for items that it cannot read but must send back. Otherwise what a provider needs back is in the
 * ids of the calls, because callers read the first item of a plain response as its message.
 */
export function asksForEncrypted({ include }: ResponsesRequest): boolean {
  return include?.includes('reasoning.encrypted_content') === true
}

export function hasWords({ summary, thinking }: ThinkingBlock): boolean {
  return Boolean(thinking) || (summary?.length ?? 0) > 0
}
