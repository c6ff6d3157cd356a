import { type Fields, isObject, listOf, objectOf, textOf } from '@sluice/contract'
import { demandsReasoning } from '../../families/returned-reasoning.ts'
import type { Change, ModelNames } from '../../native-target.ts'

// The thinking in a conversation with models of other makers than Anthropic that have its Messages API.

/** A block of thinking without a signature of the provider's own. */
export function unsignedThought(thinking: string): Fields & { readonly type: string } {
  return { type: 'thinking', thinking, signature: '' }
}

/**
 * The change of a conversation for a model that demands the thinking of its earlier answers: thinking without words where a caller did
 * not keep it, or where another model answered.
 */
export function addedThoughts(request: unknown, { family }: ModelNames): readonly Change[] {
  if (!demandsReasoning(family)) return []
  const { messages, thinking } = objectOf(request)
  const given = listOf(messages)
  if (withThoughts(given, thinking) === given) return []
  return [{ path: ['messages'], change: (whole) => withThoughts(listOf(whole), thinking) }]
}

/** The messages with such thinking; the same if they need none, because nothing was called or thinking is off. */
export function withThoughts(messages: readonly unknown[], thinking: unknown): readonly unknown[] {
  if (objectOf(thinking)['type'] === 'disabled') return messages
  if (!messages.some(hasCalls) || !messages.some(lacksThought)) return messages
  return messages.map((message) =>
    lacksThought(message)
      ? { ...message, content: [unsignedThought(''), ...blocksOf(message)] }
      : message,
  )
}

function hasCalls(message: unknown): boolean {
  return blocksOf(message).some((block) => objectOf(block)['type'] === 'tool_use')
}

function lacksThought(message: unknown): message is Fields {
  if (!isObject(message) || message['role'] !== 'assistant') return false
  return !blocksOf(message).some((block) => thoughts.has(textOf(objectOf(block)['type'])))
}

const thoughts: ReadonlySet<string> = new Set(['thinking', 'redacted_thinking'])

function blocksOf(message: unknown): readonly unknown[] {
  const { content } = objectOf(message)
  return typeof content === 'string' ? [{ type: 'text', text: content }] : listOf(content)
}
