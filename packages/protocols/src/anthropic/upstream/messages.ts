import type { Fields, Message, ThinkingBlock, ToolCall } from '@sluice/contract'
import { readArguments } from '../../call-arguments.ts'
import type { CacheBreakpoints } from '../../claude/cache-breakpoints.ts'
import { createToolIds, type ToolIds } from '../../claude/tool-ids.ts'
import { claudeModel } from '../../families/claude.ts'
import { takesUnsignedThinking } from '../../families/returned-reasoning.ts'
import { interleaved } from '../../interleaved.ts'
import { type KeptReasoning, noReasoning } from '../../lost-reasoning.ts'
import type { CodecContext } from '../../protocol.ts'
import { endTurns, named, type Turn, turnsOf } from '../../turns.ts'
import { type Block, isBlank } from '../blocks.ts'
import { calledTools } from '../toolsets.ts'
import { mediaBlock } from './media.ts'
import { unsignedThought } from './thoughts.ts'

interface Writing {
  readonly context: CodecContext
  readonly ids: ToolIds
  readonly breakpoint: CacheBreakpoints
  readonly called: ReturnType<typeof calledTools>
}

/**
 * Converts a conversation for the Messages API: leading system messages are separate, user and assistant alternate, all
 * results of parallel calls come first in one user message, there are no blank texts, and the first message is the user's.
 * Only some models support system messages inside a conversation.
 */
export function encodeMessages(
  messages: readonly Message[],
  context: CodecContext,
  {
    breakpoint,
    tools,
  }: { readonly breakpoint: CacheBreakpoints; readonly tools: readonly Fields[] },
): { readonly system: readonly Block[]; readonly turns: readonly Turn<Block>[] } {
  const called = calledTools(tools)
  const writing: Writing = { context, breakpoint, called, ids: createToolIds() }
  const blocksOf = (message: Message, path: string) => messageBlocks(message, path, writing)
  const { system, turns } = turnsOf(messages, blocksOf, textBlock)
  // Older Claude models continue a last message of their own.
  const takesPrefill = claudeModel(context.family).prefill
  endTurns(turns, messages, { context, takesPrefill, textBlock })
  return { system, turns }
}

function messageBlocks(message: Message, path: string, writing: Writing): readonly Block[] {
  switch (message.role) {
    case 'assistant':
      return assistantBlocks(message, path, writing)
    case 'tool':
      return [toolResult(message, path, writing)]
    case 'user':
      return named(message, contentBlocks(message, path, writing), textBlock)
    default:
      return contentBlocks(message, path, writing)
  }
}

function textBlock(text: string): Block {
  return { type: 'text', text }
}

function textBlocks(text: string): readonly Block[] {
  return isBlank(text) ? [] : [textBlock(text)]
}

function contentBlocks(
  { role, content }: Message,
  path: string,
  writing: Writing,
): readonly Block[] {
  if (content == null) return []
  if (typeof content === 'string') return textBlocks(content)
  return content.flatMap((part, index) => {
    const blocks =
      part.type === 'text' || part.type === 'refusal'
        ? textBlocks(part[part.type] ?? '')
        : [mediaBlock(part, `${path}.content[${index}]`, writing.context)]
    // What says nothing is not sent, and cannot be marked. A result is marked as a whole.
    if (blocks.length === 0 && part.cache_control != null && role !== 'tool')
      writing.context.leftOut('cache_control')
    return blocks.flatMap((block) =>
      block === undefined ? [] : [{ ...block, ...writing.breakpoint(part.cache_control) }],
    )
  })
}

function assistantBlocks(message: Message, path: string, writing: Writing): readonly Block[] {
  if (message.audio != null) writing.context.unsupported(`${path}.audio`)
  return interleaved(
    thoughtsOf(message, writing.context.family),
    [...contentBlocks(message, path, writing), ...textBlocks(message.refusal ?? '')],
    (message.tool_calls ?? []).map((call, index) => [
      toolUse(call, `${path}.tool_calls[${index}]`, writing),
    ]),
  )
}

export function keptReasoning(family: string): KeptReasoning {
  return {
    ...noReasoning,
    text: () => takesUnsignedThinking(family),
    block: (block) => thinkingBlock(block).length > 0,
  }
}

/** Models of other makers also take the text of reasoning alone. */
function thoughtsOf({ thinking_blocks: given, reasoning_content: text }: Message, family: string) {
  const thoughts = (given ?? []).map((block) => ({ ...block, pieces: thinkingBlock(block) }))
  const isSent = thoughts.some(({ pieces }) => pieces.length > 0)
  if (isSent || text == null || text === '' || !takesUnsignedThinking(family)) return thoughts
  return [{ pieces: [unsignedThought(text)] }]
}

/** Claude accepts only its own signed reasoning; that of other providers is dropped. */
function thinkingBlock(block: ThinkingBlock): readonly Block[] {
  const { type, thinking, signature, data } = block
  if (type === 'thinking' && signature != null && signature !== '')
    return [{ type, thinking: thinking ?? '', signature }]
  return type === 'redacted_thinking' && data !== undefined ? [{ type, data }] : []
}

function toolUse(call: ToolCall, path: string, { ids, called }: Writing): Block {
  const id = ids.call(call.id)
  const { name = '', arguments: text = '' } = call.function ?? {}
  const input = readArguments(text, `${path}.function.arguments`)
  return { type: 'tool_use', id, ...called(name), input }
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
