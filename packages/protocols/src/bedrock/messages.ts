import type { ChatRequest, ContentPart, Message, ThinkingBlock, ToolCall } from '@sluice/contract'
import { readArguments } from '../call-arguments.ts'
import { createToolIds, type ToolIds } from '../claude/tool-ids.ts'
import { claudeModel } from '../families/claude.ts'
import { interleaved } from '../interleaved.ts'
import { type KeptReasoning, noReasoning } from '../lost-reasoning.ts'
import type { CodecContext } from '../protocol.ts'
import { endTurns, named, noWords, type Turn, turnsOf } from '../turns.ts'
import type { CachePoints } from './cache-points.ts'
import { type Block, createDocumentNames, mediaBlock } from './media.ts'
import { modelFamily } from './model-family.ts'

interface Writing {
  readonly context: CodecContext
  readonly ids: ToolIds
  readonly documentName: (filename: string) => string
  readonly cachePoint: CachePoints
}

/**
 * Converts a conversation for Converse: leading system texts are separate, user and assistant alternate (adjacent messages of
 * a role are joined), all results of parallel calls come first in one user message, there are no blank texts, and the first
 * message is the user's. Later system texts stay in place, in `<system>` tags in the user's turn.
 */
export function encodeMessages(
  { messages }: ChatRequest,
  context: CodecContext,
  cachePoint: CachePoints,
): { readonly system: readonly Block[]; readonly turns: readonly Turn<Block>[] } {
  const writing: Writing = {
    context,
    ids: converseToolIds(context.family),
    documentName: createDocumentNames(),
    cachePoint,
  }
  const blocks = (message: Message, path: string) => blocksOf(message, path, writing)
  const { system, turns } = turnsOf(messages, blocks, textBlock)
  for (const turn of turns) accompanyDocuments(turn)
  endTurns(turns, messages, { context, takesPrefill: takesPrefill(context.family), textBlock })
  return { system, turns }
}

/** A message with a document must contain a text too (Amazon Bedrock API reference, Message). */
function accompanyDocuments({ content }: Turn<Block>): void {
  if (content.some((block) => 'document' in block) && !content.some((block) => 'text' in block))
    content.push(textBlock(noWords))
}

function blocksOf(message: Message, path: string, writing: Writing): readonly Block[] {
  switch (message.role) {
    case 'tool':
      return toolResult(message, path, writing)
    case 'user':
      return named(message, contentBlocks(message, path, writing), textBlock)
    case 'assistant':
      if (message.audio != null) writing.context.unsupported(`${path}.audio`)
      return interleaved(
        thoughts(message.thinking_blocks ?? [], writing.context.family),
        [
          ...contentBlocks(message, path, writing),
          ...(message.refusal == null ? [] : textBlocks(message.refusal)),
        ],
        (message.tool_calls ?? []).map((call, index) => [
          toolUse(call, `${path}.tool_calls[${index}]`, writing),
        ]),
      )
    default:
      return contentBlocks(message, path, writing)
  }
}

function textBlock(text: string): Block {
  return { text }
}

/** Converse refuses blank texts. */
function textBlocks(text: string): readonly Block[] {
  return text.trim() === '' ? [] : [textBlock(text)]
}

function contentBlocks(message: Message, path: string, writing: Writing): readonly Block[] {
  const { role, content } = message
  if (content == null) return []
  if (typeof content === 'string') return textBlocks(content)
  const placeAfter = (block: Block | undefined) =>
    role === 'tool' && block !== undefined ? 'result' : cachedAfter(block)
  const written: Block[] = []
  for (const [index, part] of content.entries()) {
    const { cache_control: control } = part
    const block = partBlock(part, `${path}.content[${index}]`, writing)
    const place = placeAfter(block)
    const point = place ?? placeAfter(written.at(-1))
    if (point === undefined && control != null) writing.context.leftOut('cache_control')
    const points = point === undefined ? [] : writing.cachePoint(control, point)
    if (block === undefined) written.push(...points)
    else written.push(...(place === undefined ? [...points, block] : [block, ...points]))
  }
  return written
}

/** Bedrock returns 400 for a cache point after a document or video: "There is nothing available to cache". */
function cachedAfter(block: Block = {}): 'text' | 'media' | undefined {
  if ('text' in block) return 'text'
  return 'image' in block ? 'media' : undefined
}

/** Undefined for a part that says nothing. */
function partBlock(part: ContentPart, path: string, writing: Writing): Block | undefined {
  if (part.type === 'text' || part.type === 'refusal') return textBlocks(part[part.type] ?? '')[0]
  return mediaBlock(part, path, writing.context, writing.documentName)
}

export function keptReasoning(model: string): KeptReasoning {
  if (!takesReasoning(model)) return noReasoning
  return { ...noReasoning, block: (block) => reasoningContent(block).length > 0 }
}

function takesReasoning(model: string): boolean {
  const family = modelFamily(model)
  return family === 'anthropic' || family === 'unknown'
}

/** Only Claude accepts reasoning, and only with its signature. */
function thoughts(blocks: readonly ThinkingBlock[], model: string) {
  if (!takesReasoning(model)) return []
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

/** Whether the model continues a last assistant message; for others Converse requires a user message. */
function takesPrefill(model: string): boolean {
  const family = modelFamily(model)
  return family === 'nova' || (family === 'anthropic' && claudeModel(model).prefill)
}
