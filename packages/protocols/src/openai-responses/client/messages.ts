import {
  type ContentPart,
  GatewayError,
  invalidRequest,
  type Message,
  objectOf,
  type ThinkingBlock,
  type ToolCall,
} from '@sluice/contract'
import { argumentsText } from '../../call-arguments.ts'
import { withSignature } from '../../call-signature.ts'
import { plainId, withoutState } from '../../call-state.ts'
import { placed } from '../../interleaved.ts'
import type { Reports } from '../../native-target.ts'
import { serverToolText, textForm } from '../../server-tools.ts'
import { serverCallOf } from '../upstream/server-items.ts'
import { callersInput, callersResult, type CallersToolTypes, toolsOfCall } from './callers-tools.ts'
import { compactedMessage, summaryRequest } from './compaction.ts'
import { drawnImageUrl, messageContent, missing, spokenContent, toolOutput } from './content.ts'
import { isReference } from './history.ts'
import type { FlatNames } from './offered-tools.ts'
import { restoreReasoning } from './reasoning.ts'
import type { ContentItem, InputItem } from './schema.ts'
import { foundText } from './tool-search.ts'

/** The assistant's message of one turn, collected from its items. */
interface Turn {
  text: string | undefined
  /** The text describes what the provider's tools did; the model's own text may still follow. */
  isServers: boolean
  refusal: string | undefined
  readonly reasoning: string[]
  readonly blocks: ThinkingBlock[]
  readonly calls: ToolCall[]
}

/**
 * Translates input items into chat messages. The reasoning, text and calls of a response become one assistant message, because
 * a tool message must follow the message with its call. Paths in errors begin with `input`.
 */
export function messagesOf(
  input: string | readonly InputItem[],
  names: FlatNames,
  reports: Reports,
): readonly Message[] {
  if (typeof input === 'string') return [{ role: 'user', content: input }]
  const conversation: Conversation = {
    names,
    reports,
    messages: [],
    answered: new Set(),
    asked: new Set(),
    callsByItem: new Map(),
    turn: undefined,
    signatures: {},
    media: [],
  }
  for (const [index, item] of input.entries()) addItem(conversation, item, `input[${index}]`)
  endTurn(conversation)
  endOutputs(conversation)
  return withResultsFirst(conversation.messages)
}

/** In chat completions the results must directly follow their calls; in this format other items may come between. */
function withResultsFirst(messages: readonly Message[]): readonly Message[] {
  const calls = new Map<string, number>()
  const moved = messages.map((message, index) => {
    for (const { id } of message.tool_calls ?? []) calls.set(id, index)
    const at = message.role === 'tool' ? calls.get(message.tool_call_id ?? '') : undefined
    return { message, at: at ?? index, isResult: at !== undefined }
  })
  // The sort is stable: messages with the same place keep their order.
  return moved
    .toSorted((one, other) => one.at - other.at || Number(one.isResult) - Number(other.isResult))
    .map(({ message }) => message)
}

interface Conversation {
  readonly names: FlatNames
  readonly reports: Reports
  readonly messages: Message[]
  readonly answered: Set<string>
  readonly asked: Set<string>
  turn: Turn | undefined
  /** The ids of calls by those of their items, by which the results of a local shell name them. */
  readonly callsByItem: Map<string, string>
  /** Signatures of calls that follow (Gemini). */
  signatures: Readonly<Record<string, string>>
  /** Images and files that tools returned or the model generated. They follow the messages they came with. */
  media: ContentPart[]
}

function addItem(conversation: Conversation, item: InputItem, path: string): void {
  if (isReference(item))
    throw invalidRequest(`There is no item ${item.id ?? ''} to refer to`, `${path}.id`)
  const types = toolsOfCall(item.type ?? '')
  if (types !== undefined) return addCallers(conversation, item, { types, path })
  switch (item.type ?? 'message') {
    case 'message':
      return addMessage(conversation, item, path)
    case 'reasoning':
      return addReasoning(conversation, item)
    case 'function_call':
    case 'custom_tool_call':
      return addCall(conversation, item, path)
    case 'function_call_output':
    case 'custom_tool_call_output':
      return addOutput(conversation, item, path)
    case 'tool_search_call':
      return addSearch(conversation, item, path)
    case 'tool_search_output':
      return addFound(conversation, item, path)
    // The tools that it adds are read with the others.
    case 'additional_tools':
      return
    case 'image_generation_call':
      return addPicture(conversation, item, path)
    case 'compaction':
    case 'compaction_summary':
      return addOther(conversation, compactedMessage(item, path, conversation.reports))
    case 'compaction_trigger':
      return addOther(conversation, summaryRequest)
    case 'web_search_call':
    case 'file_search_call':
    case 'code_interpreter_call':
    case 'mcp_call':
      return addServerCall(conversation, item)
    default:
      // Refused whatever `unsupported` says: an item is content, without which the conversation would be another.
      throw new GatewayError(
        'unsupported_parameter',
        `Items of type ${item.type} reach only an upstream that speaks this format itself`,
        { param: `${path}.type` },
      )
  }
}

/** Adds a message that is not from the assistant. */
function addOther(conversation: Conversation, message: Message | undefined): void {
  endTurn(conversation)
  endOutputs(conversation)
  if (message !== undefined) conversation.messages.push(message)
}

function addMessage(conversation: Conversation, item: InputItem, path: string): void {
  const { role, content } = item
  if (role == null) throw missing(`${path}.role`)
  if (content == null) throw missing(`${path}.content`)
  if (role !== 'assistant')
    return addOther(conversation, { role, content: messageContent(content, `${path}.content`) })
  endOutputs(conversation)
  addAnswer(conversation, item, path)
}

function addAnswer(conversation: Conversation, { content }: InputItem, path: string): void {
  const { text, refusal } = spokenContent(content, `${path}.content`)
  const hasText = conversation.turn?.text !== undefined || conversation.turn?.refusal !== undefined
  // A second message of one response becomes a message of its own, unless calls wait for their results.
  if (hasText && conversation.turn?.calls.length === 0 && !conversation.turn.isServers)
    endTurn(conversation)
  const turn = openTurn(conversation)
  if (text !== undefined) turn.text = joined(turn.text, text)
  turn.isServers = false
  if (refusal !== undefined) turn.refusal = refusal
}

function addReasoning(conversation: Conversation, item: InputItem): void {
  endOutputs(conversation)
  const { text, blocks, signatures } = restoreReasoning(item)
  conversation.signatures = { ...conversation.signatures, ...signatures }
  const late = blocks.some(({ type }) => type === 'thought')
  // Reasoning begins the next response; only Gemini signs a text after it.
  if (
    conversation.turn?.text !== undefined &&
    conversation.turn.calls.length === 0 &&
    !conversation.turn.isServers &&
    !late &&
    signatures === undefined
  )
    endTurn(conversation)
  const turn = openTurn(conversation)
  if (text !== '') turn.reasoning.push(text)
  const before = { hasText: turn.text !== undefined, calls: turn.calls.length }
  turn.blocks.push(...blocks.map((block) => placed(block, before)))
}

function addCall(conversation: Conversation, item: InputItem, path: string): void {
  const { call_id: id, name: own, namespace } = item
  if (id == null) throw missing(`${path}.call_id`)
  if (own == null) throw missing(`${path}.name`)
  const name = conversation.names.flat(own, namespace)
  endOutputs(conversation)
  const { call, blocks } = withoutState(callOf(item, { id, name }))
  conversation.asked.add(call.id)
  const signature = conversation.signatures[call.id]
  const turn = openTurn(conversation)
  turn.blocks.push(...blocks)
  turn.calls.push(signature === undefined ? call : { ...call, ...withSignature(signature) })
}

function callOf(
  item: InputItem,
  { id, name }: { readonly id: string; readonly name: string },
): ToolCall {
  if (item.type === 'custom_tool_call')
    return { id, type: 'custom', custom: { name, input: item.input ?? '' } }
  const text = argumentsText(textForm(item.arguments ?? ''))
  return { id, type: 'function', function: { name, arguments: text } }
}

function addOutput(conversation: Conversation, item: InputItem, path: string): void {
  const { call_id: given, output } = item
  if (given == null) throw missing(`${path}.call_id`)
  const id = plainId(given)
  if (output == null) throw missing(`${path}.output`)
  if (!conversation.asked.has(id) || conversation.answered.has(id))
    throw invalidRequest(
      `No tool call found for the function call output with call_id ${id}`,
      `${path}.call_id`,
    )
  conversation.answered.add(id)
  endTurn(conversation)
  const written = isContent(output) ? output : textForm(output)
  const { content, media } = toolOutput(written, `${path}.output`)
  conversation.messages.push({ role: 'tool', tool_call_id: id, content })
  conversation.media.push(...media)
}

/** Other lists, such as the outputs of commands, are told as JSON. */
function isContent(output: unknown): output is readonly ContentItem[] {
  return Array.isArray(output) && output.every((part) => typeof objectOf(part)['type'] === 'string')
}

/** A call or a result of a tool that OpenAI defined and the caller runs. */
function addCallers(
  conversation: Conversation,
  item: InputItem,
  { types, path }: { readonly types: CallersToolTypes; readonly path: string },
): void {
  const { callsByItem } = conversation
  const { type, name } = conversation.names.callers(types)
  if (!item.type?.endsWith('_output')) {
    if (item.id != null && item.call_id != null) callsByItem.set(item.id, item.call_id)
    const call = { type: 'function_call', name, namespace: null }
    return addCall(conversation, { ...item, ...call, arguments: callersInput(type, item) }, path)
  }
  const callId = item.call_id ?? callsByItem.get(item.id ?? '') ?? item.id ?? null
  const output = callersResult(type, item) ?? null
  addOutput(conversation, { ...item, call_id: callId, output }, path)
}

/** A search that OpenAI ran only found tools that are in the request. It is left out and reported. */
function addSearch(conversation: Conversation, item: InputItem, path: string): void {
  if (item.call_id == null) return conversation.reports.leftOut(path)
  addCall(conversation, { ...item, type: 'function_call', name: conversation.names.search }, path)
}

function addFound(conversation: Conversation, item: InputItem, path: string): void {
  if (item.call_id == null) return conversation.reports.leftOut(path)
  const output = foundText(item, conversation.names.flat)
  addOutput(conversation, { ...item, output }, path)
}

/** Adds a description of what a tool of the provider did. */
function addServerCall(conversation: Conversation, item: InputItem): void {
  const call = serverCallOf(item)
  if (call === undefined) return
  endOutputs(conversation)
  const turn = openTurn(conversation)
  turn.text = joined(turn.text, serverToolText(call))
  turn.isServers = true
}

function joined(before: string | undefined, text: string): string {
  return before === undefined ? text : `${before}\n\n${text}`
}

/**
 * Assistant messages of chat completions cannot contain images, so an image that the model generated is sent to it in a user
 * message.
 */
function addPicture(
  conversation: Conversation,
  { result, output_format: format }: InputItem,
  path: string,
): void {
  if (result == null) throw missing(`${path}.result`)
  endTurn(conversation)
  conversation.media.push({ type: 'image_url', image_url: { url: drawnImageUrl(result, format) } })
}

function openTurn(conversation: Conversation): Turn {
  conversation.turn ??= {
    text: undefined,
    isServers: false,
    refusal: undefined,
    reasoning: [],
    blocks: [],
    calls: [],
  }
  return conversation.turn
}

function endTurn(conversation: Conversation): void {
  const turn = conversation.turn
  conversation.turn = undefined
  if (turn !== undefined) conversation.messages.push(assistantMessage(turn))
}

function endOutputs(conversation: Conversation): void {
  if (conversation.media.length === 0) return
  conversation.messages.push({ role: 'user', content: conversation.media })
  conversation.media = []
}

function assistantMessage({ text, refusal, reasoning, blocks, calls }: Turn): Message {
  const silent = text === undefined && refusal === undefined && calls.length === 0
  return {
    role: 'assistant',
    content: text ?? (silent ? '' : null),
    ...(refusal === undefined ? {} : { refusal }),
    ...(reasoning.length === 0 ? {} : { reasoning_content: reasoning.join('\n\n') }),
    ...(blocks.length === 0 ? {} : { thinking_blocks: blocks }),
    ...(calls.length === 0 ? {} : { tool_calls: calls }),
  }
}
