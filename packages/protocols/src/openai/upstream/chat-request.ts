import {
  type ChatRequest,
  type ContentPart,
  type Fields,
  formatDataUrl,
  isObject,
  type Message,
  registeredDataUrl,
  type Tool,
} from '@sluice/contract'
import { type Decisions, reportUnsupportedBreakpoints, withoutFields } from '../../decisions.ts'
import { chatFamily, openaiMaxima, unknownFamily } from '../../families/chat-models.ts'
import { pdfAsFile } from '../../file-types.ts'
import { fittedId, fittedUserIds } from '../../fitted-id.ts'
import { domainLists, reportUnsupportedDomains } from '../../search-domains.ts'
import { withoutNull } from '../../neutral-values.ts'
import type { CodecContext } from '../../protocol.ts'
import { sentServerTools } from '../../tools/offered-server-tools.ts'
import { openaiChatDecisions } from '../../usual-decisions.ts'
import { asSearchSettings } from './search-settings.ts'
import { returnedDetails } from '../message-state.ts'
import { type ChatOptions, chatExtensions } from './options.ts'
import { thinkingFields } from './thinking.ts'

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
  const knows: ReadonlySet<string> = new Set(
    context.isGateway === true ? chatExtensions : options.knows,
  )
  const { messages } = request
  if (!knows.has('cache_control')) reportUnsupportedBreakpoints(request, context)
  const tools = toolsOut(request, knows, context)
  // A gateway's own model name says nothing about the model behind it.
  const family = context.isGateway === true ? unknownFamily : chatFamily(context.model)
  const body: Record<string, unknown> = {
    ...request,
    model: context.model,
    messages: messages.map((message, index) =>
      messageOut(message, { knows, context, path: `messages[${index}]` }),
    ),
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

/** Without a search's domain lists, which most chat completions cannot express. */
function searching(body: Fields, knows: ReadonlySet<string>, context: CodecContext): Fields {
  if (knows.has('search_settings')) return asSearchSettings(body, context)
  const { web_search_options: options } = body
  if (knows.has('search_domains')) return body
  if (!isObject(options) || options['filters'] === undefined) return body
  reportUnsupportedDomains(options, domainLists, context)
  const { filters: _, ...rest } = options
  return { ...body, web_search_options: rest }
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

function messageOut(message: Message, place: MessageContext): unknown {
  const { knows, context, path } = place
  const { content, tool_calls: calls } = message
  const out: Record<string, unknown> = { ...message }
  if (message.tool_call_id != null) out['tool_call_id'] = callIdOut(message.tool_call_id, place)
  // OpenAI requires text in an assistant message without calls.
  if (content == null && message.refusal != null && !calls?.length) {
    out['content'] = message.refusal
    delete out['refusal']
  }
  // A gateway like this one reads blocks of every kind.
  for (const name of ['reasoning_content', 'thinking_blocks'] as const)
    if (!knows.has(name) || out[name] === null) delete out[name]
  const isOpenRouter = knows.has('reasoning_details') && context.isGateway !== true
  const details = isOpenRouter ? returnedDetails(message.thinking_blocks) : []
  if (details.length > 0) out['reasoning_details'] = details
  if (Array.isArray(content))
    out['content'] = content.flatMap((part, index) =>
      partOut(part, { ...place, path: `${path}.content[${index}]` }),
    )
  if (calls === null || calls?.length === 0) delete out['tool_calls']
  else if (calls !== undefined)
    // No other fields: clients that assemble a stream keep the `index` of its pieces, which OpenAI rejects.
    out['tool_calls'] = calls.map(
      ({ id, type, function: called, custom, extra_content: extra }) => ({
        id: callIdOut(id, place),
        type: type ?? 'function',
        ...(called && { function: called }),
        ...(custom && { custom }),
        ...(knows.has('extra_content') && extra != null ? { extra_content: extra } : {}),
      }),
    )
  return out
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

/** A gateway like this one accepts a provider's tools in each provider's own form. */
function toolsOut(
  request: ChatRequest,
  knows: ReadonlySet<string>,
  context: CodecContext,
): readonly unknown[] {
  const server =
    context.isGateway === true
      ? (request.server_tools ?? []).map(({ tool }) => tool)
      : sentServerTools(request, { api: 'chat' }, context)
  return [...(request.tools ?? []).map((tool) => toolOut(tool, knows)), ...server]
}

function toolOut(tool: Tool, knows: ReadonlySet<string>): unknown {
  if (tool.cache_control === undefined || knows.has('cache_control')) return tool
  const { cache_control: _, ...rest } = tool
  return rest
}
