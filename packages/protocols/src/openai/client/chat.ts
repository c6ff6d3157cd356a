import {
  type ChatChunk,
  type ChatReply,
  type ChatRequest,
  type ContentPart,
  hasOnly,
  isObject,
  listOf,
  type Message,
  type OperationName,
  objectOf,
  type ResponseFormat,
  type ThinkingBlock,
  type Tool,
  type ToolCall,
} from '@sluice/contract'
import { argumentsText } from '../../call-arguments.ts'
import type { StreamWriter } from '../../client-format.ts'
import type { Reports } from '../../native-target.ts'
import { serverToolText } from '../../server-tools.ts'
import { pathsOfCallersTools } from '../../tools/callers-tools.ts'
import { pathOfServerTool } from '../../tools/offered-server-tools.ts'
import { isNamedSchema, namedSchema } from '../named-schema.ts'
import { readContent } from '../upstream/content.ts'
import { detailsBlock, readState } from '../message-state.ts'
import { shownMessages, withShownPictures } from './drawn-pictures.ts'
import {
  callsAsToolCalls,
  functionsAsTools,
  usesFunctions,
  withFunctionCalls,
  withFunctionDelta,
} from './functions.ts'
import { isCalled, offeredTools, pathOfSearchTool, serverTools } from './offered-tools.ts'
import type { ChatCompletionMessage, ChatCompletionRequest } from './schema.ts'
import { writeChunks } from './stream.ts'
import { reportUnreadFields } from './unread-fields.ts'
import { createChunkForm, writtenReply } from './written-message.ts'
import {
  amountOfThinking,
  hidesThinking,
  pathOfThinking,
  withoutThinking,
  withoutThinkingDelta,
} from './thinking-objects.ts'

/** Translates a chat completion request into the canonical form, in which everything is expressed in only one way. */
export function canonicalChat(request: ChatCompletionRequest, reports: Reports): ChatRequest {
  reportUnreadFields(request, reports)
  const {
    messages,
    stop,
    max_tokens: older,
    functions,
    function_call: choice,
    response_format: format,
    tools: given,
    reasoning: _reasoning,
    thinking: _thinking,
    // Not a field for callers: its content belongs among the tools.
    server_tools: unknown,
    ...rest
  }: ChatCompletionRequest & { readonly server_tools?: unknown } = request
  if (!usesFunctions(request))
    for (const [field, value] of Object.entries({ functions, function_call: choice }))
      if (value != null) reports.leftOut(field)
  const limit = rest.max_completion_tokens ?? older
  const { tools, search, server } = offeredTools(given ?? [], reports)
  if (unknown != null) reports.leftOut('server_tools')
  return {
    ...rest,
    ...amountOfThinking(request, reports),
    ...(tools.length === 0 ? {} : { tools: tools.map(withOuterCache) }),
    ...(search === undefined ? {} : { web_search_options: rest.web_search_options ?? search }),
    ...(server.length === 0 ? {} : { server_tools: server.map(({ tool }) => tool) }),
    // If the tools are only those that a provider runs, a choice cannot refer to any other.
    ...(given?.length && tools.length === 0 && pathsOfCallersTools(server, rest.model).length === 0
      ? { tool_choice: null, parallel_tool_calls: null }
      : {}),
    messages: callsAsToolCalls(
      withShownPictures(messages)
        .map((message) => withBlocks(withReasoning(withoutThinkingParts(message))))
        .map(withServerToolWords),
    ).map(plainMessage),
    ...(stop == null ? {} : { stop: stopList(stop) }),
    ...(limit == null ? {} : { max_completion_tokens: limit }),
    ...(format == null ? {} : { response_format: canonicalFormat(format) }),
    ...functionsAsTools(request),
  }
}

/** Mistral puts reasoning among the parts of a message. Without them, the message has OpenAI's form. */
function withoutThinkingParts(message: GivenMessage): ChatCompletionMessage {
  const { content: given } = message
  if (!Array.isArray(given) || !given.some(isThinkingPart))
    // Without such parts the types are the same.
    return message as ChatCompletionMessage
  const { content: _, ...rest } = message
  const { text, reasoning } = readContent(given)
  const blocks = given.flatMap(signedThought)
  const signed = blocks.length === 0 ? {} : { thinking_blocks: blocks }
  const others = given.filter(isContentPart)
  const content = others.every(isOnlyText) ? text : others
  return { reasoning_content: reasoning, ...signed, ...rest, content }
}

function isOnlyText(part: ContentPart): boolean {
  return part.type === 'text' && hasOnly(part, textFields)
}

const textFields: ReadonlySet<string> = new Set(['type', 'text'])

/** A thought among the parts, as Claude writes it. Its signature must be sent back. */
function signedThought(part: unknown): readonly ThinkingBlock[] {
  const { type, thinking, signature } = objectOf(part)
  return type === 'thinking' && typeof thinking === 'string' && typeof signature === 'string'
    ? [{ type, thinking, signature }]
    : []
}

/** The reasoning of OpenRouter's, vLLM's and other models, under their name for it. */
function withReasoning(message: ChatCompletionMessage): ChatCompletionMessage {
  if (typeof message.reasoning !== 'string') return message
  const { reasoning, ...rest } = message
  // Null for what is absent says nothing, but some servers demand a `content`.
  return {
    ...withoutNullFields({ reasoning_content: reasoning, ...rest }),
    ...(rest.content === null && { content: null }),
  }
}

/** Besides `thinking`, the schema allows the canonical parts, with null for what is absent. */
function isContentPart(part: { readonly type: string }): part is ContentPart {
  return !isThinkingPart(part)
}

/** Reasoning in the fields that other programs defined, as blocks. */
function withBlocks(message: ChatCompletionMessage): ChatCompletionMessage {
  if (!stateFields.some((field) => field in message)) return message
  const { extra_content: _, reasoning_details: __, file_citations: ___, ...rest } = message
  const { blocks: read, details } = readState(message, message.thinking_blocks ?? [])
  const blocks = [...read, ...detailsBlock(details)]
  return blocks.length === 0 ? rest : { ...rest, thinking_blocks: blocks }
}

const stateFields = ['extra_content', 'reasoning_details', 'file_citations'] as const

function isThinkingPart({ type }: { readonly type: string }): boolean {
  return type === 'thinking'
}

/** Describes what the provider's tools did for an earlier response before its text. */
function withServerToolWords(message: ChatCompletionMessage): ChatCompletionMessage {
  if (!('server_tool_calls' in message)) return message
  const { server_tool_calls: calls, ...rest } = message
  if (!calls?.length) return rest
  const text = calls.map(serverToolText).join('\n')
  const { content } = rest
  if (Array.isArray(content)) return { ...rest, content: [{ type: 'text', text }, ...content] }
  return { ...rest, content: content == null || content === '' ? text : `${text}\n\n${content}` }
}

/** Removes null in parts and calls, where it has no meaning, and puts a message's cache breakpoint on its last part. */
function plainMessage(message: Message): Message {
  if (isPlain(message)) return message
  const { content, tool_calls: calls, ...rest } = message
  const { cache_control: cache, ...others } = rest as typeof rest & Pick<Tool, 'cache_control'>
  return {
    ...others,
    ...(content === undefined
      ? {}
      : { content: saysNothing(message) ? '' : contentOf(content, cache) }),
    ...(calls === undefined
      ? {}
      : { tool_calls: calls && calls.map(withoutNullFields).map(withArguments) }),
  }
}

/** For a tool without parameters, models write no arguments, or `null`. */
function withArguments(call: ToolCall): ToolCall {
  const { function: called } = call
  if (called === undefined) return call
  return { ...call, function: { ...called, arguments: argumentsText(called.arguments) } }
}

/** Most messages need no change; they are not copied, because there may be thousands. */
function isPlain(message: Message): boolean {
  const { content, tool_calls: calls } = message
  const isText = typeof content === 'string' && content !== ''
  return isText && calls === undefined && !('cache_control' in message)
}

/** A message or a result without any content. */
function saysNothing({ content, role, tool_calls: calls, refusal, audio }: Message): boolean {
  if (content !== null && content?.length !== 0) return false
  return role === 'tool' || (!calls?.length && refusal == null && audio == null)
}

function contentOf(
  content: NonNullable<Message['content']> | null,
  cache: Tool['cache_control'],
): NonNullable<Message['content']> | null {
  if (typeof content === 'string' && content !== '' && cache != null)
    return [{ type: 'text', text: content, cache_control: cache }]
  if (!Array.isArray(content)) return content
  if (content.length === 0) return null
  const parts = content.map(withoutNullFields)
  const last = parts.at(-1)
  if (cache == null || last === undefined) return parts
  return [...parts.slice(0, -1), { cache_control: cache, ...last }]
}

/** Moves a cache breakpoint inside the function to the tool. */
function withOuterCache(tool: Tool): Tool {
  const { function: called, ...rest } = tool
  const { cache_control: cache, ...inner } = (called ?? {}) as Tool
  if (called === undefined || cache == null) return tool
  // Everything but the breakpoint belongs to the function.
  return { cache_control: cache, ...rest, function: inner as unknown as typeof called }
}

function withoutNullFields<T extends object>(value: T): T {
  const fields = Object.entries(value)
  if (fields.every(([, field]) => field !== null)) return value
  // For the type, absent is the same as null.
  return Object.fromEntries(fields.filter(([, field]) => field !== null)) as T
}

/** Stop sequences as a list. A single one may be given without a list, and empty ones are dropped. */
export function stopList(stop: string | string[]): string[] {
  return (typeof stop === 'string' ? [stop] : stop).filter((text) => text !== '')
}

function canonicalFormat({
  type,
  json_schema: schema,
  ...rest
}: NonNullable<ChatCompletionRequest['response_format']>): ResponseFormat {
  // Together, Fireworks and llama.cpp use this name for the same thing.
  const { schema: beside, ...others } = rest as typeof rest & { readonly schema?: unknown }
  if (type === 'json_object' && isObject(beside))
    return { ...others, type: 'json_schema', json_schema: namedSchema({ schema: beside }) }
  return type === 'json_schema'
    ? { ...rest, type, json_schema: namedSchema(objectOf(schema)) }
    : { ...rest, type }
}

/** The path of a canonical field in the caller's request; undefined for what the caller did not write. */
export function paramOfChat(canonical: string, request: ChatCompletionRequest): string | undefined {
  const field = /^[a-z_]+/.exec(canonical)?.[0] ?? canonical
  const rest = canonical.slice(field.length)
  const older = usesFunctions(request)
  switch (field) {
    case 'tools':
      return older ? `functions${rest.replace('.function', '')}` : field + givenPlace(request, rest)
    case 'server_tools':
      return pathOfServerTool(canonical, () => serverTools(request.tools ?? []))
    case 'web_search_options':
      return pathOfSearchTool(canonical, request) ?? canonical
    case 'tool_choice':
      return older ? `function_call${rest.replace('.function', '')}` : canonical
    case 'reasoning_effort':
    case 'thinking_budget':
      return request[field] == null ? pathOfThinking(field, request) : canonical
    case 'parallel_tool_calls':
      return older ? undefined : canonical
    case 'stop':
      return typeof request.stop === 'string' ? field : canonical
    case 'max_completion_tokens':
      return request.max_completion_tokens == null ? 'max_tokens' : canonical
    case 'response_format': {
      const isNamed = isNamedSchema(objectOf(request.response_format?.json_schema))
      return isNamed ? canonical : field + rest.replace('.json_schema.schema', '.json_schema')
    }
    case 'messages': {
      const place = givenMessage(request, rest)
      return place === undefined ? undefined : field + place
    }
    default:
      return canonical
  }
}

type GivenMessage = ChatCompletionRequest['messages'][number]

/** The place in the caller's list for the tool at this index among its own tools and those of a provider that it runs. */
function givenPlace({ tools, model }: ChatCompletionRequest, rest: string): string {
  const own = (tools ?? []).flatMap((tool, index) => (isCalled(tool) ? [`tools[${index}]`] : []))
  const places = [...own, ...pathsOfCallersTools(serverTools(tools ?? []), model)]
  return rest.replace(/^\[(\d+)\]/, (whole, place: string) =>
    (places[Number(place)] ?? whole).replace(/^tools/, ''),
  )
}

type Shown = ReturnType<typeof shownMessages>

/** Cached per list of messages, because a request with thousands of messages may have thousands of paths. */
const knownShown = new WeakMap<readonly GivenMessage[], Shown>()

function shownOf(messages: readonly GivenMessage[]): Shown {
  const shown = knownShown.get(messages) ?? shownMessages(messages)
  knownShown.set(messages, shown)
  return shown
}

/** The caller's path for a place in the messages. Images may be in a message of their own. */
function givenMessage({ messages }: ChatCompletionRequest, rest: string): string | undefined {
  const [, index = '', inner = ''] = /^\[(\d+)\](.*)$/.exec(rest) ?? []
  const found = shownOf(messages)[Number(index)]
  if (index === '' || found === undefined) return rest
  const { drawn, given } = found
  const original = messages[given]
  const path = `[${given}]`
  if (reasoningInner.test(inner)) {
    const own = pathOfReasoning(inner, original)
    return own === undefined ? undefined : path + own
  }
  if (drawn) return path + inner.replace(/^\.content/, '.images')
  return (
    path + (original?.function_call == null ? inner : inner.replace(toolCall, '.function_call'))
  )
}

const reasoningInner =
  /^\.(?:reasoning_content|thinking_blocks)$|^\.tool_calls\[\d+\]\.extra_content$/

/** The caller's own field for the reasoning of a message; undefined for what is hidden in the ids of its calls. */
function pathOfReasoning(inner: string, message: GivenMessage | undefined): string | undefined {
  const given = objectOf(message)
  const call = /^\.tool_calls\[(\d+)\]/.exec(inner)?.[1]
  if (call !== undefined)
    return objectOf(listOf(given['tool_calls'])[Number(call)])['extra_content'] == null
      ? undefined
      : inner
  const names =
    inner === '.thinking_blocks'
      ? ['thinking_blocks', 'reasoning_details', 'extra_content']
      : ['reasoning_content', 'reasoning']
  const name = names.find((one) => given[one] != null)
  if (name !== undefined) return `.${name}`
  const part = listOf(given['content']).findIndex((one) => objectOf(one)['type'] === 'thinking')
  return part < 0 ? undefined : `.content[${part}]`
}

const toolCall = /\.tool_calls\[0\](\.function)?/

/** The response in the form that the caller reads. */
export function chatAnswer(reply: ChatReply, request: ChatCompletionRequest): object {
  const shown = hidesThinking(request) ? withoutThinking(reply) : reply
  return writtenReply(usesFunctions(request) ? withFunctionCalls(shown) : shown)
}

/** Writes a streamed response in the form that the caller reads. */
export function writeChat(request: ChatCompletionRequest): StreamWriter<OperationName> {
  // Most streams are passed on, and nothing of them is written.
  let said: ReturnType<typeof createSaid> | undefined
  return writeChunks(request, (chunk) => {
    said ??= createSaid(request)
    return said(chunk)
  })
}

function createSaid(request: ChatCompletionRequest): (chunk: ChatChunk) => object | undefined {
  const hides = hidesThinking(request)
  const hasFunctions = usesFunctions(request)
  const form = createChunkForm()
  return (chunk) => {
    const shown = hides ? withoutThinkingDelta(chunk) : chunk
    const written = shown && (hasFunctions ? withFunctionDelta(shown) : shown)
    return written && form(written)
  }
}
