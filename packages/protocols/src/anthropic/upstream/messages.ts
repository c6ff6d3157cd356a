import type { Message, ThinkingBlock, ToolCall } from '@sluice/contract'
import { readArguments } from '../../call-arguments.ts'
import type { CacheBreakpoints } from '../../claude/cache-breakpoints.ts'
import { createToolIds, type ToolIds } from '../../claude/tool-ids.ts'
import { claudeModel } from '../../families/claude.ts'
import { interleaved } from '../../interleaved.ts'
import { reportUnsupportedPrefill } from '../../prefill.ts'
import type { CodecContext } from '../../protocol.ts'
import { type Block, isBlank } from '../blocks.ts'
import { mediaBlock } from './media.ts'

interface Turn {
  readonly role: 'user' | 'assistant'
  readonly content: Block[]
}

interface Writing {
  readonly context: CodecContext
  readonly ids: ToolIds
  readonly breakpoint: CacheBreakpoints
}

/** A placeholder where Anthropic requires a user message and the caller has none; the shortest text it accepts. */
const noWords = '.'

/**
 * Converts a conversation for the Messages API: leading system messages are separate, user and assistant alternate, all
 * results of parallel calls come first in one user message, there are no blank texts, and the first message is the user's.
 *
 * Later system messages stay in place, as text in `<system>` tags in a user turn. Moving them to the top would change the
 * meaning of earlier turns, and only some models support the role inside a conversation.
 */
export function encodeMessages(
  messages: readonly Message[],
  context: CodecContext,
  breakpoint: CacheBreakpoints,
): { readonly system: readonly Block[]; readonly turns: readonly Turn[] } {
  const writing: Writing = { context, breakpoint, ids: createToolIds() }
  const opening = messages.findIndex(({ role }) => role !== 'system' && role !== 'developer')
  const systemEnd = opening < 0 ? messages.length : opening
  const system = messages
    .slice(0, systemEnd)
    .flatMap((message, index) => contentBlocks(message, `messages[${index}]`, writing))
  const turns: Turn[] = []
  for (const [index, message] of messages.entries())
    if (index >= systemEnd) appendMessage(turns, message, `messages[${index}]`, writing)
  if (turns[0]?.role !== 'user')
    turns.unshift({ role: 'user', content: [{ type: 'text', text: noWords }] })
  endTurns(turns, messages, context)
  return { system, turns }
}

function appendMessage(turns: Turn[], message: Message, path: string, writing: Writing): void {
  switch (message.role) {
    case 'assistant':
      return append(turns, 'assistant', assistantBlocks(message, path, writing))
    case 'tool':
      return appendResult(turns, toolResult(message, path, writing))
    case 'system':
    case 'developer':
      return append(turns, 'user', contentBlocks(message, path, writing).map(markSystem))
    case 'user':
      return append(turns, 'user', named(message, contentBlocks(message, path, writing)))
    default:
      return message.role satisfies never
  }
}

function append(turns: Turn[], role: Turn['role'], blocks: readonly Block[]): void {
  if (blocks.length === 0) return
  const last = turns.at(-1)
  if (last?.role === role) last.content.push(...blocks)
  else turns.push({ role, content: [...blocks] })
}

/** Tool results come before everything else in their message. */
function appendResult(turns: Turn[], block: Block): void {
  const last = turns.at(-1)
  if (last?.role !== 'user') {
    turns.push({ role: 'user', content: [block] })
    return
  }
  const end = 1 + last.content.findLastIndex(({ type }) => type === 'tool_result')
  last.content.splice(end, 0, block)
}

function markSystem(block: Block): Block {
  return { ...block, text: `<system>\n${String(block['text'])}\n</system>` }
}

/** Adds the name of a user; the Messages API has no field for it. */
function named({ name }: Message, blocks: readonly Block[]): readonly Block[] {
  const [first, ...rest] = blocks
  if (name == null || name === '' || first === undefined) return blocks
  return first.type === 'text'
    ? [{ ...first, text: `${name}: ${String(first['text'])}` }, ...rest]
    : [{ type: 'text', text: `${name}:` }, ...blocks]
}

/** Older Claude models continue a last assistant message; it must not end in white space. */
function endTurns(turns: Turn[], messages: readonly Message[], context: CodecContext): void {
  const last = turns.at(-1)
  if (last?.role === 'assistant' && !claudeModel(context.model).prefill) {
    reportUnsupportedPrefill(messages, context)
    turns.push({ role: 'user', content: [{ type: 'text', text: noWords }] })
    return
  }
  const block = last?.content.at(-1)
  if (last?.role !== 'assistant' || block?.type !== 'text') return
  last.content[last.content.length - 1] = { ...block, text: String(block['text']).trimEnd() }
}

function textBlock(text: string): readonly Block[] {
  return isBlank(text) ? [] : [{ type: 'text', text }]
}

function contentBlocks({ content }: Message, path: string, writing: Writing): readonly Block[] {
  if (content == null) return []
  if (typeof content === 'string') return textBlock(content)
  return content.flatMap((part, index) => {
    const blocks =
      part.type === 'text' || part.type === 'refusal'
        ? textBlock(part[part.type] ?? '')
        : [mediaBlock(part, `${path}.content[${index}]`, writing.context)]
    return blocks.flatMap((block) =>
      block === undefined ? [] : [{ ...block, ...writing.breakpoint(part.cache_control) }],
    )
  })
}

function assistantBlocks(message: Message, path: string, writing: Writing): readonly Block[] {
  if (message.audio != null) writing.context.unsupported(`${path}.audio`)
  return interleaved(
    (message.thinking_blocks ?? []).map((block) => ({ ...block, pieces: thinkingBlock(block) })),
    [...contentBlocks(message, path, writing), ...textBlock(message.refusal ?? '')],
    (message.tool_calls ?? []).map((call, index) => [
      toolUse(call, `${path}.tool_calls[${index}]`, writing),
    ]),
  )
}

/** Claude accepts only its own signed reasoning; that of other providers is dropped. */
function thinkingBlock(block: ThinkingBlock): readonly Block[] {
  const { type, thinking, signature, data } = block
  if (type === 'thinking' && signature != null && signature !== '')
    return [{ type, thinking: thinking ?? '', signature }]
  return type === 'redacted_thinking' && data !== undefined ? [{ type, data }] : []
}

function toolUse(call: ToolCall, path: string, { ids }: Writing): Block {
  const id = ids.call(call.id)
  const { name = '', arguments: text = '' } = call.function ?? {}
  return { type: 'tool_use', id, name, input: readArguments(text, `${path}.function.arguments`) }
}

function toolResult(message: Message, path: string, writing: Writing): Block {
  const { content } = message
  const id = writing.ids.result(message.tool_call_id ?? '')
  const control = Array.isArray(content)
    ? content.findLast((part) => part.cache_control != null)?.cache_control
    : undefined
  const inner =
    typeof content === 'string'
      ? content
      : contentBlocks(message, path, { ...writing, breakpoint: () => ({}) })
  return {
    type: 'tool_result',
    tool_use_id: id,
    ...(inner.length === 0 ? {} : { content: inner }),
    ...writing.breakpoint(control),
  }
}
