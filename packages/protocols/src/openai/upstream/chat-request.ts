import {
  type ChatRequest,
  type ContentPart,
  type Fields,
  formatDataUrl,
  isObject,
  type Message,
  registeredDataUrl,
  type Tool,
  type ToolCall,
} from '@sluice/contract'
import { reportBetas } from '../../claude/betas.ts'
import { type Decisions, reportUnsupportedBreakpoints, withoutFields } from '../../decisions.ts'
import {
  type ChatFamily,
  chatFamily,
  openaiMaxima,
  unknownFamily,
} from '../../families/chat-models.ts'
import { withSignature } from '../../call-signature.ts'
import { pdfAsFile } from '../../file-types.ts'
import { fittedId, fittedUserIds } from '../../fitted-id.ts'
import { type KeptReasoning, reportLostReasoning } from '../../lost-reasoning.ts'
import { domainLists, reportUnsupportedDomains, withoutDomains } from '../../search-domains.ts'
import { withoutNull } from '../../neutral-values.ts'
import type { CodecContext } from '../../protocol.ts'
import { sentServerTools } from '../../tools/offered-server-tools.ts'
import { openaiChatDecisions } from '../../usual-decisions.ts'
import { objectDeclaration, wantsObject } from '../../tools/object-schema.ts'
import { asSearchSettings } from './search-settings.ts'
import { isClaudes, isDetails, returnedDetails, writtenThinking } from '../message-state.ts'
import { type ChatOptions, chatExtensions, servesOpenAIs } from './options.ts'
import { thinkingFields } from './thinking.ts'
import { withUsersMedia } from './users-media.ts'

const decisions: Decisions<'chat'> = {
  ...openaiChatDecisions,
  n: 'sent',
  stop: 'sent',
  presence_penalty: 'sent',
  frequency_penalty: 'sent',
  logit_bias: 'sent',
  seed: 'sent',
  modalities: 'sent',
  audio: 'sent',
  prediction: 'sent',
}

/** The canonical request as the body for an OpenAI-compatible upstream. Unknown fields are sent along; null counts as absent. */
export function chatBody(
  request: ChatRequest,
  context: CodecContext,
  options: ChatOptions = {},
): Record<string, unknown> {
  // A gateway's own model name says nothing about the model behind it.
  const family = context.isGateway === true ? unknownFamily : chatFamily(context.family)
  const knows = knownBy(options, family, context)
  const messages = request.messages.map((message, index) =>
    messageOut(message, { knows, context, path: `messages[${index}]` }),
  )
  if (!knows.has('cache_control')) reportUnsupportedBreakpoints(request, context)
  reportLostReasoning(request, keptReasoning(knows, context), context)
  reportBetas(context)
  const tools = toolsOut(
    request,
    { knows, takesCombined: takesCombined(options, context) },
    context,
  )
  const body: Record<string, unknown> = {
    ...request,
    model: context.model,
    messages: isOpenAIs(options, family, context) ? withUsersMedia(messages) : messages,
    tools,
    server_tools: null,
    ...streaming(request),
    ...thinkingFields(request, { family, knowsBudget: knows.has('thinking_budget'), context }),
    ...fittedUserIds(request),
  }
  if (tools.length === 0) withoutTools(body)
  // OpenAI accepts metadata only for completions that it stores, and otherwise responds with 400.
  const notes = request.store === true ? [] : ['metadata']
  const own = Object.entries(decisions).flatMap(([field, decision]) =>
    decision === 'sent' || knows.has(field) ? [] : [field],
  )
  const lacks = [...notes, ...own, ...(options.lacks ?? []), ...family.lacks]
  const kept = withoutFields(body, lacks, context)
  return withoutNull(searching(kept, knows, context))
}

/** Whether OpenAI answers. A server of one's own that has OpenAI's models by their names is most likely a proxy before them. */
function isOpenAIs(
  options: ChatOptions,
  family: ChatFamily,
  { isGateway }: Pick<CodecContext, 'isGateway'>,
): boolean {
  if (isGateway === true || !servesOpenAIs(options)) return false
  return options.takesAnything !== true || family.isOpenAIs === true
}

function knownBy(
  options: ChatOptions,
  family: ChatFamily,
  context: CodecContext,
): ReadonlySet<string> {
  if (context.isGateway === true) return new Set(chatExtensions)
  return new Set(isOpenAIs(options, family, context) ? [] : options.knows)
}

const textFields = ['reasoning_content', 'reasoning', 'thinking_parts'] as const

/** Of blocks, a gateway like this one takes all. */
function keptReasoning(knows: ReadonlySet<string>, { isGateway }: CodecContext): KeptReasoning {
  const takesText = textFields.some((name) => knows.has(name))
  return {
    text: () => takesText,
    block: (block) =>
      isGateway === true ||
      (isClaudes(block) && knows.has('thinking_blocks')) ||
      (isDetails(block) && knows.has('reasoning_details')) ||
      (block.type === 'thought' && knows.has('extra_content')),
    attached: () => knows.has('extra_content'),
  }
}

/** Without a search's domain lists, which most chat completions cannot express. */
function searching(body: Fields, knows: ReadonlySet<string>, context: CodecContext): Fields {
  if (knows.has('search_settings')) return asSearchSettings(body, context)
  const { web_search_options: options } = body
  if (knows.has('search_domains')) return body
  if (!isObject(options) || options['filters'] === undefined) return body
  reportUnsupportedDomains(options, domainLists, context)
  return { ...body, web_search_options: withoutDomains(options) }
}

/** At OpenAI, a choice about tools is an error if there are none. */
function withoutTools(body: Record<string, unknown>): void {
  delete body['tools']
  if (body['tool_choice'] === 'none' || body['tool_choice'] === 'auto') delete body['tool_choice']
  if (body['parallel_tool_calls'] === true) delete body['parallel_tool_calls']
}

/** The usage is requested in every stream, because it is counted whether the caller wants to see it or not. */
function streaming({ stream, stream_options: options }: ChatRequest): Record<string, unknown> {
  return { stream_options: stream === true ? { ...options, include_usage: true } : undefined }
}

/** A gateway's id may carry what it needs back. */
function callIdOut(id: string, { context }: MessageContext): string {
  return context.isGateway === true ? id : fittedId(id, openaiMaxima.callIdCharacters)
}

interface MessageContext {
  readonly knows: ReadonlySet<string>
  readonly context: CodecContext
  readonly path: string
}

function messageOut(message: Message, place: MessageContext): Fields {
  const { path } = place
  const { content, tool_calls: calls } = message
  const out: Record<string, unknown> = { ...message }
  if (message.tool_call_id != null) out['tool_call_id'] = callIdOut(message.tool_call_id, place)
  // OpenAI requires text in an assistant message without calls.
  if (content == null && message.refusal != null && !calls?.length) {
    out['content'] = message.refusal
    delete out['refusal']
  }
  delete out['reasoning_content']
  delete out['thinking_blocks']
  Object.assign(out, reasoningOut(message, place))
  if (Array.isArray(content))
    out['content'] = content.flatMap((part, index) =>
      partOut(part, { ...place, path: `${path}.content[${index}]` }),
    )
  if (calls === null || calls?.length === 0) delete out['tool_calls']
  else if (calls !== undefined) out['tool_calls'] = calls.map((call) => callOut(call, place))
  return out
}

/** Clients that assemble a stream keep the `index` of its pieces, which OpenAI rejects. */
function callOut(call: ToolCall & { readonly index?: unknown }, place: MessageContext): Fields {
  const { id, type, extra_content: extra, index: _, ...rest } = call
  return {
    ...rest,
    id: callIdOut(id, place),
    type: type ?? 'function',
    ...(place.knows.has('extra_content') && extra != null ? { extra_content: extra } : {}),
  }
}

/** A message's reasoning in the fields that the upstream has for it. */
function reasoningOut(message: Message, { knows, context }: MessageContext): Fields {
  const { reasoning_content: text, thinking_blocks: blocks } = message
  // A gateway like this one reads blocks of every kind.
  if (context.isGateway === true)
    return {
      ...(text == null ? {} : { reasoning_content: text }),
      ...(blocks == null ? {} : { thinking_blocks: blocks }),
    }
  const details = knows.has('reasoning_details') ? returnedDetails(blocks) : []
  const claudes = knows.has('thinking_blocks') ? (blocks ?? []).filter(isClaudes) : []
  const signature = knows.has('extra_content')
    ? blocks?.findLast(({ type }) => type === 'thought')?.signature
    : undefined
  const takesText = knows.has('reasoning_content') || knows.has('thinking_parts')
  return {
    ...(text != null && takesText ? { reasoning_content: text } : {}),
    ...(text != null && !takesText && knows.has('reasoning') && details.length === 0
      ? { reasoning: text }
      : {}),
    ...(claudes.length === 0 ? {} : { thinking_blocks: claudes.map(writtenThinking) }),
    ...(details.length === 0 ? {} : { reasoning_details: details }),
    ...(signature == null ? {} : withSignature(signature)),
  }
}

function partOut(part: ContentPart, { knows, context, path }: MessageContext): readonly unknown[] {
  if (part.type === 'video_url' && !knows.has('video_url')) {
    context.unsupported(`${path}.video_url`)
    return []
  }
  const { cache_control: cache, ...rest } = withFileData(
    pdfAsFile(part) ?? registered(part),
    context,
  )
  return [cache != null && knows.has('cache_control') ? { ...rest, cache_control: cache } : rest]
}

/** An image's type under its registered name. */
function registered(part: ContentPart): ContentPart {
  const { image_url: image } = part
  if (image === undefined) return part
  return { ...part, image_url: { ...image, url: registeredDataUrl(image.url) } }
}

/** OpenAI's chat completions fetch images themselves but accept files only inside the request. */
export function fileAddresses(request: ChatRequest) {
  return request.messages.flatMap(({ content }, message) =>
    (Array.isArray(content) ? content : []).flatMap((part, index) => {
      const url = part.file?.file_data
      const param = `messages[${message}].content[${index}].file.file_data`
      return url != null && isAddress(url) ? [{ url, param }] : []
    }),
  )
}

function isAddress(text: string): boolean {
  return /^https?:\/\//i.test(text)
}

function withFileData(part: ContentPart, context: CodecContext): ContentPart {
  const { file } = part
  const fetched = file?.file_data == null ? undefined : context.media.get(file.file_data)
  if (file === undefined || fetched === undefined) return part
  const data = formatDataUrl(fetched.contentType, Buffer.from(fetched.bytes).toString('base64'))
  return { ...part, file: { filename: 'file', ...file, file_data: data } }
}

interface ToolPlace {
  readonly knows: ReadonlySet<string>
  /** Whether schemas may be alternatives. */
  readonly takesCombined: boolean
}

function takesCombined(options: ChatOptions, { isGateway, family }: CodecContext): boolean {
  if (isGateway === true) return true
  return !wantsObject(family) && (options.knows !== undefined || options.lacks !== undefined)
}

/** A gateway like this one accepts a provider's tools in each provider's own form. */
function toolsOut(
  request: ChatRequest,
  upstream: ToolPlace,
  context: CodecContext,
): readonly unknown[] {
  const server =
    context.isGateway === true
      ? (request.server_tools ?? []).map(({ tool }) => tool)
      : sentServerTools(request, { api: 'chat' }, context)
  const own = (request.tools ?? []).map((tool, index) => {
    const out = toolOut(tool, upstream.knows)
    if (upstream.takesCombined || out.function === undefined) return out
    return {
      ...out,
      function: objectDeclaration(out.function, `tools[${index}].function`, context),
    }
  })
  return [...own, ...server]
}

function toolOut(tool: Tool, knows: ReadonlySet<string>): Tool {
  if (tool.cache_control === undefined || knows.has('cache_control')) return tool
  const { cache_control: _, ...rest } = tool
  return rest
}
