import {
  type AnswerMessage,
  type ChatRequest,
  type Fields,
  formatDataUrl,
  formatJson,
  GatewayError,
  isObject,
  listOf,
  objectOf,
  type ServerToolCall,
  someText,
  type ThinkingBlock,
  type ToolCall,
  textOf,
} from '@sluice/contract'
import { assertBounded } from '../bounded.ts'
import { answerMessage, chatReply } from '../chat-reply.ts'
import type { Annotation } from '../citations.ts'
import { placed } from '../interleaved.ts'
import type { CodecContext, Decoded, Received } from '../protocol.ts'
import { TextPlaces } from '../text-places.ts'
import { unreadContent } from '../unread-content.ts'
import { annotationsOf } from './citations.ts'
import { finishReason, stopSequenceOf } from './finish-reasons.ts'
import { BlockFees } from './block-fees.ts'
import { answersByTool, jsonToolName } from './tools.ts'
import { readUsage } from './usage.ts'

/** Decodes a whole response of Converse. */
export function decodeChat(
  received: Received,
  context: CodecContext,
  request: ChatRequest,
): Decoded<'chat'> {
  const body = objectOf(received.json())
  const { message } = objectOf(body['output'])
  if (!isObject(message))
    throw new GatewayError('upstream_garbled', 'Bedrock answered without output.message')
  const answer = readMessage(listOf(message['content']), answersByTool(request))
  const fees = new BlockFees()
  for (const block of listOf(message['content']).filter(isObject)) fees.see(block)
  const usage = fees.in(readUsage(body))
  const stopSequence = stopSequenceOf(body['additionalModelResponseFields'])
  const tier = someText(objectOf(body['serviceTier'])['type'])
  const choice = {
    index: 0,
    message: answer,
    finish_reason: finishReason(body['stopReason'], answer.tool_calls !== undefined),
    logprobs: null,
    ...(stopSequence === undefined ? {} : { stop_sequence: stopSequence }),
  }
  return chatReply([choice], { usage, tier }, context)
}

function readMessage(content: readonly unknown[], byTool: boolean): AnswerMessage {
  let text: string | undefined
  const textPlaces = new TextPlaces()
  const reasoning: string[] = []
  const blocks: ThinkingBlock[] = []
  const calls: ToolCall[] = []
  const images: string[] = []
  const annotations: Annotation[] = []
  const serverCalls: ServerToolCall[] = []
  for (const item of content) {
    const block = objectOf(item)
    const { toolUse } = block
    if (typeof block['text'] === 'string') {
      text ??= ''
      if (block['text'] !== '') textPlaces.note(text.length, calls.length)
      text += block['text']
    } else if (isObject(block['citationsContent'])) {
      const start = text?.length ?? 0
      textPlaces.note(start, calls.length)
      const { content: parts, citations } = block['citationsContent']
      for (const part of listOf(parts)) text = (text ?? '') + textOf(objectOf(part)['text'])
      const end = text?.length ?? 0
      for (const cited of annotationsOf(citations, { start, end })) annotations.push(cited)
      assertBounded(annotations.length, 'citations')
    } else if (isObject(block['reasoningContent'])) {
      const hasText = text !== undefined
      readReasoning(block['reasoningContent'], reasoning, (read) =>
        blocks.push(placed(read, { hasText, calls: calls.length })),
      )
    } else if (isObject(block['image'])) images.push(imageUrl(block['image']))
    else if (isObject(toolUse) && byTool && toolUse['name'] === jsonToolName)
      text = (text ?? '') + formatJson(toolUse['input'] ?? {})
    else if (isObject(toolUse) && someText(toolUse['name']) !== undefined)
      calls.push(toolCall(toolUse))
    else serverCalls.push(...unreadBlock(block))
  }
  return answerMessage({
    content: text ?? (calls.length > 0 ? null : ''),
    reasoning: reasoning.join(''),
    blocks,
    calls,
    annotations,
    serverCalls,
    textPlaces,
    images: images.map((url) => ({ type: 'image_url', image_url: { url } })),
  })
}

/** The kinds of blocks that are read. */
const readKinds: ReadonlySet<string> = new Set([
  'text',
  'citationsContent',
  'reasoningContent',
  'image',
  'toolUse',
])

/** The kind of a block that is not read, such as a video or the result of a tool that Bedrock ran. */
export function unreadKind(block: Fields): string | undefined {
  return Object.keys(block).find((kind) => !readKinds.has(kind))
}

function unreadBlock(block: Fields): readonly ServerToolCall[] {
  const kind = unreadKind(block)
  return kind === undefined ? [] : [unreadContent(kind, block[kind])]
}

function readReasoning(
  content: Fields,
  reasoning: string[],
  add: (block: ThinkingBlock) => void,
): void {
  const { text, signature } = objectOf(content['reasoningText'])
  const redacted = someText(content['redactedContent'])
  if (typeof text === 'string') reasoning.push(text)
  if (typeof signature === 'string') add({ type: 'thinking', thinking: textOf(text), signature })
  if (redacted !== undefined) add({ type: 'redacted_thinking', data: redacted })
}

function imageUrl(image: Fields): string {
  const bytes = textOf(objectOf(image['source'])['bytes'])
  return formatDataUrl(`image/${textOf(image['format']) || 'png'}`, bytes)
}

function toolCall(toolUse: Fields): ToolCall {
  return {
    id: textOf(toolUse['toolUseId']),
    type: 'function',
    function: { name: textOf(toolUse['name']), arguments: formatJson(toolUse['input'] ?? {}) },
  }
}
