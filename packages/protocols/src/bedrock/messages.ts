import type { ChatRequest, ContentPart, Message, ThinkingBlock, ToolCall } from '@sluice/contract'
import { readArguments } from '../call-arguments.ts'
import { createToolIds, type ToolIds } from '../claude/tool-ids.ts'
import { interleaved } from '../interleaved.ts'
import { reportUnsupportedPrefill } from '../prefill.ts'
import type { CodecContext } from '../protocol.ts'
import type { CachePoints } from './cache-points.ts'
import { type Block, createDocumentNames, mediaBlock } from './media.ts'
import { modelFamily, takesPrefill } from './model-family.ts'

interface Turn {
  readonly role: 'user' | 'assistant'
  readonly content: Block[]
}

interface Writing {
  readonly context: CodecContext
  readonly ids: ToolIds
  readonly documentName: (filename: string) => string
  readonly cachePoint: CachePoints
}

/** A placeholder where Converse requires a user message or text and the caller has none. */
const noWords = '.'

/**
 * Converts a conversation for Converse: leading system texts are separate, user and assistant alternate (adjacent messages of
 * a role are joined), all results of parallel calls come first in one user message, there are no blank texts, and the first
 * message is the user's. Later system texts stay in place, in `<system>` tags in the user's turn.
 */
export function encodeMessages(
  { messages }: ChatRequest,
  context: CodecContext,
  cachePoint: CachePoints,
): { readonly system: readonly Block[]; readonly turns: readonly Turn[] } {
  const writing: Writing = {
    context,
    ids: converseToolIds(context.model),
    documentName: createDocumentNames(),
    cachePoint,
  }
  const opening = messages.findIndex((message) => !isSystem(message))
  const systemEnd = opening < 0 ? messages.length : opening
  const system: Block[] = []
  const turns: Turn[] = []
  for (const [index, message] of messages.entries()) {
    const blocks = blocksOf(message, `messages[${index}]`, writing)
    if (!isSystem(message))
      append(turns, message.role === 'assistant' ? 'assistant' : 'user', blocks)
    else if (index < systemEnd) system.push(...blocks)
    else append(turns, 'user', blocks.map(markSystem))
  }
  if (turns[0]?.role !== 'user') turns.unshift({ role: 'user', content: [{ text: noWords }] })
  for (const turn of turns) accompanyDocuments(turn)
  if (turns.at(-1)?.role === 'assistant' && !takesPrefill(context.model)) {
    reportUnsupportedPrefill(messages, context)
    turns.push({ role: 'user', content: [{ text: noWords }] })
  }
  trimPrefill(turns)
  return { system, turns }
}

/** A message with a document must contain a text too (Amazon Bedrock API reference, Message). */
function accompanyDocuments({ content }: Turn): void {
  if (content.some((block) => 'document' in block) && !content.some((block) => 'text' in block))
    content.push({ text: noWords })
}

function isSystem({ role }: Message): boolean {
  return role === 'system' || role === 'developer'
}

function markSystem(block: Block): Block {
  return 'text' in block ? { text: `<system>\n${String(block['text'])}\n</system>` } : block
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
  switch (message.role) {
    case 'tool':
      return toolResult(message, path, writing)
    case 'user':
      return named(message, contentBlocks(message, path, writing))
    case 'assistant':
      if (message.audio != null) writing.context.unsupported(`${path}.audio`)
      return interleaved(
        thoughts(message.thinking_blocks ?? [], writing.context.model),
        [
          ...contentBlocks(message, path, writing),
          ...(message.refusal == null ? [] : textBlock(message.refusal)),
        ],
        (message.tool_calls ?? []).map((call, index) => [
          toolUse(call, `${path}.tool_calls[${index}]`, writing),
        ]),
      )
    default:
      return contentBlocks(message, path, writing)
  }
}

/** Adds the name of a user; Converse has no field for it. */
function named({ name }: Message, blocks: readonly Block[]): readonly Block[] {
  const [first, ...rest] = blocks
  if (name == null || name === '' || first === undefined) return blocks
  return 'text' in first
    ? [{ text: `${name}: ${String(first['text'])}` }, ...rest]
    : [{ text: `${name}:` }, ...blocks]
}

/** Converse refuses blank texts. */
function textBlock(text: string): readonly Block[] {
  return text.trim() === '' ? [] : [{ text }]
}

function contentBlocks(message: Message, path: string, writing: Writing): readonly Block[] {
  const { role, content } = message
  if (content == null) return []
  if (typeof content === 'string') return textBlock(content)
  const written: Block[] = []
  for (const [index, part] of content.entries())
    for (const block of partBlocks(part, `${path}.content[${index}]`, writing)) {
      const place = role === 'tool' ? 'result' : cachedAfter(block)
      const before = cachedAfter(written.at(-1))
      const { cache_control: control } = part
      if (place !== undefined) written.push(block, ...writing.cachePoint(control, place))
      else if (before !== undefined) written.push(...writing.cachePoint(control, before), block)
      else written.push(block)
    }
  return written
}

/** Bedrock returns 400 for a cache point after a document or video: "There is nothing available to cache". */
function cachedAfter(block: Block = {}): 'text' | 'media' | undefined {
  if ('text' in block) return 'text'
  return 'image' in block ? 'media' : undefined
}

function partBlocks(part: ContentPart, path: string, writing: Writing): readonly Block[] {
  if (part.type === 'text') return textBlock(part.text ?? '')
  if (part.type === 'refusal') return textBlock(part.refusal ?? '')
  const block = mediaBlock(part, path, writing.context, writing.documentName)
  return block === undefined ? [] : [block]
}

/** Only Claude accepts reasoning, and only with its signature. */
function thoughts(blocks: readonly ThinkingBlock[], model: string) {
  const family = modelFamily(model)
  if (family !== 'anthropic' && family !== 'unknown') return []
  return blocks.map((block) => ({ ...block, pieces: reasoningContent(block) }))
}

function reasoningContent({ type, thinking, signature, data }: ThinkingBlock): readonly Block[] {
  if (type === 'thinking' && signature != null)
    return [{ reasoningContent: { reasoningText: { text: thinking ?? '', signature } } }]
  return type === 'redacted_thinking' && data !== undefined
    ? [{ reasoningContent: { redactedContent: data } }]
    : []
}

function toolUse(call: ToolCall, path: string, { ids }: Writing): Block {
  const { name, arguments: text = '' } = call.function ?? {}
  const input = readArguments(text, `${path}.function.arguments`)
  return { toolUse: { toolUseId: ids.call(call.id), name, input } }
}

/** An empty result becomes an empty list, because blank texts are refused. */
function toolResult(message: Message, path: string, writing: Writing): readonly Block[] {
  const blocks = contentBlocks(message, path, writing)
  const content = blocks.filter((block) => !('cachePoint' in block))
  const points = blocks.filter((block) => 'cachePoint' in block)
  const toolUseId = writing.ids.result(message.tool_call_id ?? '')
  return [{ toolResult: { toolUseId, content } }, ...points.slice(0, 1)]
}

/** The maximum length of a toolUseId in Converse. */
const idCharactersMax = 64

/**
 * Makes call ids valid for Converse: [a-zA-Z0-9_-], at most 64 characters, unique; for Mistral models exactly nine letters and
 * digits. Valid ids are kept. A result belongs to the last call with its id.
 */
function converseToolIds(model: string): ToolIds {
  const plain = createToolIds()
  const mistral = modelFamily(model) === 'mistral'
  const fits = mistral ? /^[a-zA-Z0-9]{9}$/ : /^.{1,64}$/
  const last = new Map<string, string>()
  let count = 0
  return {
    call(id) {
      const given = plain.call(id)
      if (fits.test(given)) {
        last.set(id, given)
        return given
      }
      count += 1
      const made = mistral
        ? `call${String(count).padStart(5, '0')}`
        : `${given.slice(0, idCharactersMax - 7)}_${String(count).padStart(6, '0')}`
      last.set(id, made)
      return made
    },
    result: (id) => last.get(id) ?? plain.result(id),
  }
}
