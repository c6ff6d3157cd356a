import type { Message } from '@sluice/contract'
import type { CodecContext } from './protocol.ts'

// Conversations of upstreams in which the user and the assistant alternate, and with no place for other messages.

/** A block of content. Only texts have the field `text`. */
interface Block {
  readonly text?: unknown
}

export interface Turn<B extends Block> {
  readonly role: 'user' | 'assistant'
  readonly content: B[]
}

/** A placeholder where an upstream requires a user's turn and the caller has none; the shortest text that is accepted. */
export const noWords = '.'

/** The number of system messages with which a conversation begins. */
export function openingSystems(messages: readonly Message[]): number {
  const opening = messages.findIndex((message) => !isSystem(message))
  return opening < 0 ? messages.length : opening
}

function isSystem({ role }: Message): boolean {
  return role === 'system' || role === 'developer'
}

/**
 * The messages as turns: leading system messages are separate, adjacent messages of a role are joined, and the first turn is the
 * user's. Later system messages stay in place, as text in `<system>` tags in a user's turn: moving them to the top would change
 * the meaning of earlier turns.
 */
export function turnsOf<B extends Block>(
  messages: readonly Message[],
  blocksOf: (message: Message, path: string) => readonly B[],
  textBlock: (text: string) => B,
): { readonly system: readonly B[]; readonly turns: Turn<B>[] } {
  const systemEnd = openingSystems(messages)
  const system: B[] = []
  const turns: Turn<B>[] = []
  for (const [index, message] of messages.entries()) {
    const blocks = blocksOf(message, `messages[${index}]`)
    if (index < systemEnd) system.push(...blocks)
    else if (isSystem(message)) append(turns, 'user', blocks.map(markedSystem))
    else append(turns, message.role === 'assistant' ? 'assistant' : 'user', blocks)
  }
  if (turns[0]?.role !== 'user') turns.unshift({ role: 'user', content: [textBlock(noWords)] })
  return { system, turns }
}

function append<B extends Block>(
  turns: Turn<B>[],
  role: Turn<B>['role'],
  blocks: readonly B[],
): void {
  if (blocks.length === 0) return
  const last = turns.at(-1)
  if (last?.role === role) last.content.push(...blocks)
  else turns.push({ role, content: [...blocks] })
}

export function markedSystem<B extends Block>(block: B): B {
  const { text } = block
  return typeof text === 'string' ? { ...block, text: `<system>\n${text}\n</system>` } : block
}

/** Writes the name of a user before the text, for upstreams without a field for it. */
export function named<B extends Block>(
  { name }: Message,
  blocks: readonly B[],
  textBlock: (text: string) => B,
): readonly B[] {
  const [first, ...rest] = blocks
  if (name == null || name === '' || first === undefined) return blocks
  return typeof first.text === 'string'
    ? [{ ...first, text: `${name}: ${first.text}` }, ...rest]
    : [textBlock(`${name}:`), ...blocks]
}

/** A model that continues a last assistant message gets it without white space at its end; others get a user's turn after it. */
export function endTurns<B extends Block>(
  turns: Turn<B>[],
  messages: readonly Message[],
  {
    context,
    takesPrefill,
    textBlock,
  }: {
    readonly context: CodecContext
    readonly takesPrefill: boolean
    readonly textBlock: (text: string) => B
  },
): void {
  const last = turns.at(-1)
  if (last?.role !== 'assistant') return
  if (!takesPrefill) {
    reportUnsupportedPrefill(messages, context)
    turns.push({ role: 'user', content: [textBlock(noWords)] })
    return
  }
  const block = last.content.at(-1)
  if (typeof block?.text === 'string')
    last.content[last.content.length - 1] = { ...block, text: block.text.trimEnd() }
}

/**
 * Reports that a model does not continue the message that the conversation ends with. It writes a new message after it, as
 * OpenAI's models always do.
 */
export function reportUnsupportedPrefill(
  messages: readonly Message[],
  { leftOut }: Pick<CodecContext, 'leftOut'>,
): void {
  const last = messages.findLastIndex(({ role }) => role === 'assistant')
  leftOut(
    `messages[${last}]`,
    'This model answers behind a last message and does not go on with it',
  )
}
