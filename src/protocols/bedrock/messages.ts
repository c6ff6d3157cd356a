import { invalidRequest } from '../../core/errors.ts'
import type { ChatRequest } from '../../operations/chat.ts'
import type {
  ContentPart,
  Message,
  ThinkingBlock,
  ToolCall,
} from '../../operations/chat-message.ts'
import { parseJson } from '../../wire/json.ts'
import { isObject } from '../openai/reading.ts'
import type { CodecContext } from '../protocol.ts'
import { type Block, createDocumentNames, mediaBlock } from './media.ts'
import { modelFamily } from './model-family.ts'
import { toolIds } from './tool-ids.ts'

export interface Turn {
  readonly role: 'user' | 'assistant'
  readonly content: Block[]
}

interface Writing {
  readonly context: CodecContext
  readonly toolId: (id: string) => string
  readonly documentName: (filename: string) => string
}

/**
 * A conversation as Converse takes it: system texts apart, user and assistant in turn (neighbours of one role become
 * one message), all results of parallel calls in one user message, no empty text.
 */
export function encodeMessages(
  { messages }: ChatRequest,
  context: CodecContext,
): { readonly system: readonly Block[]; readonly turns: readonly Turn[] } {
  const writing: Writing = {
    context,
    toolId: toolIds(messages, context.model),
    documentName: createDocumentNames(),
  }
  const system: Block[] = []
  const turns: Turn[] = []
  for (const [index, message] of messages.entries()) {
    const blocks = blocksOf(message, `messages[${index}]`, writing)
    if (message.role === 'system' || message.role === 'developer') system.push(...blocks)
    else append(turns, message.role === 'assistant' ? 'assistant' : 'user', blocks)
  }
  if (turns[0]?.role === 'assistant') {
    context.unsupported('messages', 'a conversation on Bedrock begins with a user message')
    turns.shift()
  }
  trimPrefill(turns)
  return { system, turns }
}

function append(turns: Turn[], role: Turn['role'], blocks: readonly Block[]): void {
  if (blocks.length === 0) return
  const last = turns.at(-1)
  if (last?.role === role) last.content.push(...blocks)
  else turns.push({ role, content: [...blocks] })
}

/** A last assistant message is continued by the model and must not end in white space. */
function trimPrefill(turns: readonly Turn[]): void {
  const last = turns.at(-1)
  const block = last?.content.at(-1)
  if (last?.role !== 'assistant' || typeof block?.['text'] !== 'string') return
  last.content[last.content.length - 1] = { ...block, text: block['text'].trimEnd() }
}

function blocksOf(message: Message, path: string, writing: Writing): readonly Block[] {
  const { context } = writing
  switch (message.role) {
    case 'tool':
      return toolResult(message, path, writing)
    case 'function':
      context.unsupported(`${path}.role`, 'use tools instead of functions')
      return []
    case 'assistant':
      if (message.function_call != null)
        context.unsupported(`${path}.function_call`, 'use tools instead of functions')
      if (message.audio != null) context.unsupported(`${path}.audio`)
      return [
        ...thinking(message.thinking_blocks ?? [], context.model),
        ...contentBlocks(message, path, writing),
        ...(message.refusal == null ? [] : textBlock(message.refusal)),
        ...(message.tool_calls ?? []).map((call, index) =>
          toolUse(call, `${path}.tool_calls[${index}]`, writing),
        ),
      ]
    default:
      return contentBlocks(message, path, writing)
  }
}

/** Converse refuses blank texts. */
function textBlock(text: string): readonly Block[] {
  return text.trim() === '' ? [] : [{ text }]
}

function contentBlocks({ content }: Message, path: string, writing: Writing): readonly Block[] {
  if (content == null) return []
  if (typeof content === 'string') return textBlock(content)
  return content.flatMap((part, index) => {
    const blocks = partBlocks(part, `${path}.content[${index}]`, writing)
    return blocks.length === 0 ? [] : [...blocks, ...cachePoint(part.cache_control)]
  })
}

function partBlocks(part: ContentPart, path: string, writing: Writing): readonly Block[] {
  if (part.type === 'text') return textBlock(part.text ?? '')
  if (part.type === 'refusal') return textBlock(part.refusal ?? '')
  const block = mediaBlock(part, path, writing.context, writing.documentName)
  return block === undefined ? [] : [block]
}

/** Anthropic's cache breakpoint stands in the block; Converse puts a block of its own after it. */
export function cachePoint(
  control: Readonly<Record<string, unknown>> | null | undefined,
): readonly Block[] {
  if (control == null) return []
  const ttl = control['ttl']
  return [{ cachePoint: { type: 'default', ...(typeof ttl === 'string' ? { ttl } : {}) } }]
}

/** Only Claude takes reasoning back, and only what carries its signature. */
function thinking(blocks: readonly ThinkingBlock[], model: string): readonly Block[] {
  const family = modelFamily(model)
  if (family !== 'anthropic' && family !== 'unknown') return []
  return blocks.flatMap((block): readonly Block[] => {
    if (block.type === 'thinking' && block.signature != null)
      return [
        {
          reasoningContent: {
            reasoningText: { text: block.thinking ?? '', signature: block.signature },
          },
        },
      ]
    return block.type === 'redacted_thinking' && block.data !== undefined
      ? [{ reasoningContent: { redactedContent: block.data } }]
      : []
  })
}

function toolUse(call: ToolCall, path: string, { toolId }: Writing): Block {
  const { name, input } =
    call.custom === undefined
      ? {
          name: call.function?.name,
          input: readArguments(call.function?.arguments ?? '', `${path}.function.arguments`),
        }
      : { name: call.custom.name, input: { input: call.custom.input } }
  return { toolUse: { toolUseId: toolId(call.id), name, input } }
}

/** The arguments as an object; '' means none. Throws where they are anything else, because a call is not guessed. */
export function readArguments(text: string, path: string): Readonly<Record<string, unknown>> {
  if (text.trim() === '') return {}
  const value = ((): unknown => {
    try {
      return parseJson(text)
    } catch {
      return undefined
    }
  })()
  if (!isObject(value)) throw invalidRequest('Tool arguments must be a JSON object', path)
  return value
}

/** An empty result is an empty list, since a blank text is refused. */
function toolResult(message: Message, path: string, writing: Writing): readonly Block[] {
  const blocks = contentBlocks(message, path, writing)
  const content = blocks.filter((block) => !('cachePoint' in block))
  const points = blocks.filter((block) => 'cachePoint' in block)
  const toolUseId = writing.toolId(message.tool_call_id ?? '')
  return [{ toolResult: { toolUseId, content } }, ...points.slice(0, 1)]
}
