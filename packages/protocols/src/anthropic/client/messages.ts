import {
  type ContentPart,
  formatDataUrl,
  formatJson,
  GatewayError,
  invalidRequest,
  listOf,
  type Message,
  objectOf,
  type ServerToolCall,
  type ToolCall,
  textOf,
} from '@sluice/contract'
import { plainId, withoutState } from '../../call-state.ts'
import { documentText } from '../../file-types.ts'
import { missingParameter } from '../../missing-parameter.ts'
import { serverToolText } from '../../server-tools.ts'
import { pictureIn } from '../blocks.ts'
import { flatName } from '../toolsets.ts'
import { ServerTools } from '../upstream/server-tools.ts'
import type { Block, Message as ClientMessage } from './schema.ts'
import { isThinking, readThinking, signCall } from './thinking.ts'

/** Converts a message of the Messages API to canonical messages: one, or several if it contains tool results. */
export function canonicalMessages(message: ClientMessage, path: string): readonly Message[] {
  const { role, content } = message
  if (typeof content === 'string') return [{ role, content }]
  if (role === 'assistant') return assistantMessage(content, `${path}.content`)
  const results = content.flatMap((block, index) =>
    block.type === 'tool_result' ? [toolResult(block, `${path}.content[${index}]`)] : [],
  )
  const parts = [
    ...results.flatMap(({ media }) => media),
    ...content.flatMap((block, index) =>
      block.type === 'tool_result' ? [] : partsOf(block, `${path}.content[${index}]`),
    ),
  ]
  if (parts.length === 0 && results.length === 0)
    throw invalidRequest('A message must have content', `${path}.content`)
  return [
    ...results.map(({ message: result }) => result),
    ...(parts.length > 0 ? [{ role, content: plain(parts) }] : []),
  ]
}

/** A block in a message or in a tool result; the latter contain no tool results. */
type PartBlock = Omit<Block, 'content'> & { readonly content?: unknown }

/** A single text without a cache breakpoint is written as a string, which every upstream accepts. */
function plain(parts: ContentPart[]): string | ContentPart[] {
  const [only] = parts
  return parts.length === 1 && only?.type === 'text' && only.cache_control == null
    ? (only.text ?? '')
    : parts
}

function partsOf(block: PartBlock, path: string): readonly ContentPart[] {
  const cache = block.cache_control == null ? {} : { cache_control: block.cache_control }
  switch (block.type) {
    case 'text':
      return [{ type: 'text', text: needed(block.text, `${path}.text`), ...cache }]
    case 'image':
      return [{ type: 'image_url', image_url: { url: imageUrl(block, path) }, ...cache }]
    case 'document':
      return documentParts(block, path).map((part) => ({ ...part, ...cache }))
    // A tool found by the client's own tool search; it is already in `tools`.
    case 'tool_reference':
      return [{ type: 'text', text: `The tool ${block.tool_name ?? ''} is available.` }]
    // What a tool of the browser did to its tabs.
    case 'browser_state':
      return [
        { type: 'text', text: formatJson({ tabs: block.tabs, changes: block.state_changes }) },
      ]
    case 'search_result':
      return [{ type: 'text', text: searchResult(block, `${path}.content`), ...cache }]
    default:
      throw unknownBlock(block.type, path)
  }
}

function unknownBlock(type: unknown, path: string): GatewayError {
  return unsupported(`${path}.type`, `Blocks of type ${String(type)} reach only Anthropic itself`)
}

function needed(value: string | undefined, param: string): string {
  if (value === undefined) throw missingParameter(param)
  return value
}

function unsupported(param: string, message: string): GatewayError {
  return new GatewayError('unsupported_parameter', message, { param })
}

function imageUrl({ source }: PartBlock, path: string): string {
  if (typeof source === 'object' && source.type === 'base64')
    return formatDataUrl(
      needed(source.media_type, `${path}.source.media_type`),
      needed(source.data, `${path}.source.data`),
    )
  if (typeof source === 'object' && source.type === 'url')
    return needed(source.url, `${path}.source.url`)
  throw unsupported(`${path}.source`, 'Image sources must be of type base64 or url')
}

/** PDFs stay files. Text documents become text under their title, which every model can read. */
function documentParts(block: PartBlock, path: string): readonly ContentPart[] {
  const { source, title, context, citations } = block
  if (citations != null && !Array.isArray(citations) && citations['enabled'] === true)
    throw unsupported(`${path}.citations`, 'Only Anthropic itself cites documents')
  const about: ContentPart[] = context == null ? [] : [{ type: 'text', text: context }]
  if (typeof source !== 'object')
    throw unsupported(`${path}.source`, 'A document needs a source object')
  const filename = title ?? 'document.pdf'
  const type = source.media_type ?? 'application/pdf'
  switch (source.type) {
    case 'base64': {
      const file_data = formatDataUrl(type, needed(source.data, `${path}.source.data`))
      return [...about, { type: 'file', file: { filename, file_data } }]
    }
    case 'url': {
      const file_data = needed(source.url, `${path}.source.url`)
      return [...about, { type: 'file', file: { filename, file_data } }]
    }
    case 'text':
      return [...about, titled(title, needed(source.data, `${path}.source.data`))]
    case 'content':
      if (typeof source.content === 'string') return [...about, titled(title, source.content)]
      return [...about, titled(title, textsIn(source.content, `${path}.source.content`))]
    default:
      throw unsupported(`${path}.source`, 'Files by id belong to the provider they came from')
  }
}

function titled(title: string | null | undefined, text: string): ContentPart {
  return { type: 'text', text: documentText(title, text) }
}

function searchResult({ title, source, content }: PartBlock, path: string): string {
  const words = typeof content === 'string' ? content : textsIn(content, path)
  return [title ?? '', typeof source === 'string' ? source : '', words]
    .filter((line) => line !== '')
    .join('\n')
}

/** The texts of blocks that become one text, in which nothing else has a place. */
function textsIn(blocks: unknown, path: string): string {
  const texts = listOf(blocks)
    .map(objectOf)
    .map(({ type, text }, index) => {
      if (type !== 'text' && type !== undefined) throw unknownBlock(type, `${path}[${index}]`)
      return textOf(text)
    })
  return texts.join('\n')
}

/**
 * Converts a tool result to a tool message. Tool messages hold only text, so images and documents follow in a user message.
 * OpenAI has no field for a failed call, so the text begins with `Error: `.
 */
function toolResult(
  block: Block,
  path: string,
): { readonly message: Message; readonly media: readonly ContentPart[] } {
  const inner = resultParts(block.content, path)
  const texts = inner.filter(({ type }) => type === 'text')
  const [first, ...rest] = texts.length > 0 ? texts : [{ type: 'text' as const, text: '' }]
  const marked = block.is_error === true ? markError(first?.text ?? '') : (first?.text ?? '')
  const parts: ContentPart[] = [{ ...first, type: 'text', text: marked }, ...rest]
  const last = parts.at(-1)
  if (block.cache_control != null && last !== undefined)
    parts[parts.length - 1] = { ...last, cache_control: block.cache_control }
  return {
    message: {
      role: 'tool',
      tool_call_id: plainId(needed(block.tool_use_id, `${path}.tool_use_id`)),
      content: plain(parts),
    },
    media: inner.filter(({ type }) => type !== 'text'),
  }
}

function resultParts(content: Block['content'], path: string): readonly ContentPart[] {
  if (content === undefined) return []
  if (typeof content === 'string') return [{ type: 'text', text: content }]
  if (!Array.isArray(content))
    return 'type' in content
      ? partsOf({ type: '', ...content }, `${path}.content`)
      : [{ type: 'text', text: formatJson(content) }]
  return content.flatMap((inner, index) => partsOf(inner, `${path}.content[${index}]`))
}

function markError(text: string): string {
  return /^error/i.test(text) ? text : `Error: ${text}`
}

/** A summary of the earlier conversation; null if compaction failed (Claude docs, compaction). */
function compacted(content: Block['content']): readonly ContentPart[] {
  if (typeof content !== 'string' || content === '') return []
  // Targets that join all parts to one text need the separator.
  return [{ type: 'text', text: `${content}\n\n` }]
}

function assistantMessage(content: readonly Block[], path: string): readonly Message[] {
  const { text: reasoning, blocks: thoughts, callSignatures } = readThinking(content)
  const blocks = [...thoughts]
  const parts: ContentPart[] = []
  const calls: ToolCall[] = []
  const serverTools = new ServerTools()
  for (const [index, block] of content.entries()) {
    if (isThinking(block)) continue
    if (block.type === 'text') parts.push(...partsOf(block, `${path}[${index}]`))
    else if (block.type === 'tool_use') {
      const { call, blocks: before } = withoutState(toolCall(block, `${path}[${index}]`))
      blocks.push(...before)
      calls.push(signCall(call, callSignatures))
    } else if (isServerTool(block)) parts.push(...serverTools.read(block).map(serverToolPart))
    // Replaces everything before it.
    else if (block.type === 'compaction') parts.push(...compacted(block.content))
    else throw unknownBlock(block.type, `${path}[${index}]`)
  }
  parts.push(...serverTools.rest().map(serverToolPart))
  // Nothing may come between calls and their results.
  const drawn = calls.length > 0 ? [] : parts.flatMap(drawnPicture)
  const parsed =
    drawn.length === 0 ? parts : parts.filter((part) => drawnPicture(part).length === 0)
  // An empty message: Anthropic allows it only as the last message, where it has no effect.
  if (parts.length === 0 && calls.length === 0) return []
  return [
    {
      role: 'assistant',
      content: parts.length === 0 ? null : parsed.length === 0 ? '' : plain(parsed),
      ...(reasoning === '' ? {} : { reasoning_content: reasoning }),
      ...(blocks.length === 0 ? {} : { thinking_blocks: blocks }),
      ...(calls.length === 0 ? {} : { tool_calls: calls }),
    },
    ...(drawn.length === 0 ? [] : [{ role: 'user' as const, content: drawn }]),
  ]
}

/** A call of a tool that the provider ran, or its result, of any tool. What a result is must be where every known one has it. */
function isServerTool({ type, tool_use_id: id, content, ...rest }: Block): boolean {
  if (!/._tool_(use|result)$/.test(type)) return false
  if (id === undefined || content !== undefined) return true
  return Object.keys(rest).every((name) => name === 'is_error' || name === 'cache_control')
}

/** Separated from surrounding text, because many targets join all text. */
function serverToolPart(call: ServerToolCall): ContentPart {
  return { type: 'text', text: `\n\n${serverToolText(call)}\n\n` }
}

/** An image generated by the model is sent as an image of the user, because models cannot read it as text. */
function drawnPicture({ text }: ContentPart): readonly ContentPart[] {
  const url = pictureIn(text ?? '')
  return url === undefined ? [] : [{ type: 'image_url', image_url: { url } }]
}

function toolCall(block: Block, path: string): ToolCall {
  return {
    id: needed(block.id, `${path}.id`),
    type: 'function',
    function: {
      name: flatName({ ...block, name: needed(block.name, `${path}.name`) }),
      arguments: formatJson(block.input ?? {}),
    },
  }
}
