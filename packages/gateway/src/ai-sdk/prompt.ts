import {
  assertDepth,
  type ChatRequest,
  type ContentPart,
  type Fields,
  invalidRequest,
  isObject,
  type Message,
  objectOf,
  parseDataUrl,
  parseJson,
  type ThinkingBlock,
  type ToolCall,
  textOf,
} from '@sluice/contract'
import { restore } from '@sluice/protocols/carried-reasoning.ts'
import type { KeptReasoning } from '@sluice/protocols/lost-reasoning.ts'
import { reportUnsupportedDetail } from '@sluice/protocols/neutral-values.ts'
import type { AiSdkContext } from './context.ts'
import type { Part, PromptMessage, UrlPatterns } from './model.ts'

/** The largest file that is downloaded for a model that cannot read addresses. */
const mediaBytesMax = 50 * 1024 * 1024

interface Writing {
  readonly context: AiSdkContext
  readonly urls: UrlPatterns
  /** The tool of each call; results in OpenAI's form do not name it. */
  readonly toolNames: ReadonlyMap<string, string>
}

/** Converts a conversation to a prompt of the specification; results of parallel calls become one message. */
export async function promptOf(
  { messages }: ChatRequest,
  urls: UrlPatterns,
  context: AiSdkContext,
): Promise<readonly PromptMessage[]> {
  const calls = messages.flatMap((message) => message.tool_calls ?? [])
  const toolNames = new Map(calls.map((call) => [call.id, nameOf(call)]))
  const writing = { context, urls, toolNames }
  const prompt: PromptMessage[] = []
  for (const [index, message] of messages.entries()) {
    const written = await promptMessage(message, `messages[${index}]`, writing)
    const last = prompt.at(-1)
    if (written?.role === 'tool' && last?.role === 'tool')
      prompt[prompt.length - 1] = { role: 'tool', content: [...last.content, ...written.content] }
    else if (written !== undefined) prompt.push(written)
  }
  return prompt
}

function nameOf({ function: called, custom }: ToolCall): string {
  return (called ?? custom)?.name ?? ''
}

async function promptMessage(
  message: Message,
  path: string,
  writing: Writing,
): Promise<PromptMessage | undefined> {
  switch (message.role) {
    case 'system':
    case 'developer':
      return { role: 'system', content: plainText(message) }
    case 'user': {
      const content = await userParts(message, path, writing)
      return content.length === 0 ? undefined : { role: 'user', content }
    }
    case 'tool':
      return { role: 'tool', content: [toolResult(message, path, writing)] }
    case 'assistant': {
      const content = assistantParts(message, path, writing)
      return content.length === 0 ? undefined : { role: 'assistant', content }
    }
  }
}

function plainText({ content }: Message): string {
  if (content == null || typeof content === 'string') return content ?? ''
  return content.map((part) => part.text ?? part.refusal ?? '').join('\n')
}

function toolResult(message: Message, path: string, { context, toolNames }: Writing): Part {
  const { content } = message
  for (const [index, { type }] of (Array.isArray(content) ? content : []).entries())
    if (type !== 'text') context.unsupported(`${path}.content[${index}].type`)
  const toolCallId = message.tool_call_id ?? ''
  return {
    type: 'tool-result',
    toolCallId,
    toolName: toolNames.get(toolCallId) ?? '',
    output: { type: 'text', value: plainText(message) },
  }
}

function assistantParts(message: Message, path: string, { context }: Writing): readonly Part[] {
  if (message.audio != null) context.unsupported(`${path}.audio`)
  const text = saidText(message)
  const attached = attachedIn(message)
  return [
    ...reasoningParts(message),
    ...(text === '' ? [] : [{ type: 'text' as const, text }]),
    ...(message.tool_calls ?? []).map((call, index) =>
      toolCall(call, attached.get(call.id), `${path}.tool_calls[${index}]`),
    ),
  ]
}

/** Of reasoning, a package gets its text, and the data that a provider attached if it came from a package. */
export const keptReasoning: KeptReasoning = {
  text: isSaid,
  block: (block) => kinds.has(carriedIn(block)['kind']),
  attached: (extra) => 'ai_sdk' in extra,
}

function saidText(message: Message): string {
  return plainText(message) || (message.refusal ?? '')
}

/** Models refuse an answer of nothing but reasoning that is not theirs. */
function isSaid(message: Message): boolean {
  return saidText(message) !== '' || (message.tool_calls ?? []).length > 0
}

function reasoningParts(message: Message): readonly Part[] {
  const attached = (message.thinking_blocks ?? []).flatMap(reasoningPart)
  const text = message.reasoning_content ?? ''
  if (attached.length > 0 || text === '' || !isSaid(message)) return attached
  return [{ type: 'reasoning', text }]
}

/** The path of the first reasoning that a package gets without anything that its provider attached. */
export function pathOfPlainReasoning({ messages }: ChatRequest): string | undefined {
  const at = messages.findIndex(
    (message) =>
      message.role === 'assistant' &&
      reasoningParts(message).some((part) => !('providerOptions' in part)),
  )
  return at < 0 ? undefined : `messages[${at}].reasoning_content`
}

/** What this gateway packs for packages: their reasoning, and what was attached to a call. */
const kinds: ReadonlySet<unknown> = new Set(['ai_sdk', 'ai_sdk_call'])

function carriedIn({ encrypted_content: carried }: ThinkingBlock): Fields {
  return objectOf(carried == null ? undefined : restore(carried))
}

function reasoningPart(block: ThinkingBlock): readonly Part[] {
  const { kind, text, metadata } = carriedIn(block)
  if (kind !== 'ai_sdk') return []
  return [{ type: 'reasoning', text: textOf(text), providerOptions: objectOf(metadata) }]
}

/** The data that the provider attached to calls, by id. Earlier versions of this gateway wrote it with the call. */
function attachedIn({ thinking_blocks: blocks, tool_calls: calls }: Message) {
  const carried = (blocks ?? []).map(carriedIn)
  return new Map<unknown, unknown>([
    ...(calls ?? []).map(
      ({ id, extra_content: extra }) => [id, objectOf(extra)['ai_sdk']] as const,
    ),
    ...carried.flatMap(({ kind, call, metadata }) =>
      kind === 'ai_sdk_call' ? [[call, metadata] as const] : [],
    ),
  ])
}

function toolCall(call: ToolCall, metadata: unknown, path: string): Part {
  return {
    type: 'tool-call',
    toolCallId: call.id,
    toolName: nameOf(call),
    input: parsedArguments(call.function?.arguments ?? '', `${path}.function.arguments`),
    ...(isObject(metadata) ? { providerOptions: metadata } : {}),
  }
}

function parsedArguments(text: string, path: string): unknown {
  if (text.trim() === '') return {}
  let value: unknown
  try {
    value = parseJson(text)
  } catch {
    throw invalidRequest('Tool arguments must be JSON', path)
  }
  assertDepth(value, path)
  return value
}

async function userParts(
  { content }: Message,
  path: string,
  writing: Writing,
): Promise<readonly Part[]> {
  if (content == null) return []
  if (typeof content === 'string') return [{ type: 'text', text: content }]
  const parts = await Promise.all(
    content.map((part, index) => userPart(part, `${path}.content[${index}]`, writing)),
  )
  return parts.flatMap((part) => part ?? [])
}

async function userPart(
  part: ContentPart,
  path: string,
  writing: Writing,
): Promise<Part | undefined> {
  switch (part.type) {
    case 'text':
    case 'refusal':
      return { type: 'text', text: part.text ?? part.refusal ?? '' }
    case 'image_url':
      reportUnsupportedDetail(part, path, writing.context)
      return filePart(part.image_url?.url ?? '', `${path}.image_url.url`, 'image', writing)
    case 'video_url':
      return filePart(part.video_url?.url ?? '', `${path}.video_url.url`, 'video', writing)
    case 'input_audio': {
      const { format, data = '' } = part.input_audio ?? {}
      const mediaType = format === 'mp3' ? 'audio/mpeg' : 'audio/wav'
      return { type: 'file', mediaType, data: { type: 'data', data } }
    }
    case 'file': {
      const data = part.file?.file_data
      if (data == null) {
        writing.context.unsupported(`${path}.file.file_id`)
        return undefined
      }
      const file = await filePart(data, `${path}.file.file_data`, 'application', writing)
      return part.file?.filename == null ? file : { ...file, filename: part.file.filename }
    }
  }
}

type FilePart = Extract<Part, { type: 'file' }>

/** A data: URL as its bytes, a URL that the model reads itself unchanged, any other downloaded. */
async function filePart(
  url: string,
  path: string,
  kind: string,
  { urls, context }: Writing,
): Promise<FilePart> {
  const data = parseDataUrl(url)
  if (data !== undefined)
    return { type: 'file', mediaType: data.contentType, data: { type: 'data', data: data.base64 } }
  if (!/^https?:/i.test(url)) throw invalidRequest('Expected a data URL or an http(s) URL', path)
  if (isReadable(url, kind, urls))
    return { type: 'file', mediaType: `${kind}/*`, data: { type: 'url', url: new URL(url) } }
  const { bytes, contentType } = await context.fetchMedia(url, {
    bytesMax: mediaBytesMax,
    param: path,
  })
  return {
    type: 'file',
    mediaType: contentType ?? `${kind}/*`,
    data: { type: 'data', data: Buffer.from(bytes).toString('base64') },
  }
}

function isReadable(url: string, kind: string, urls: UrlPatterns): boolean {
  return Object.entries(urls).some(
    ([mediaType, patterns]) =>
      (mediaType === '*' || mediaType === '*/*' || mediaType.startsWith(`${kind}/`)) &&
      patterns.some((pattern) => pattern.test(url)),
  )
}
