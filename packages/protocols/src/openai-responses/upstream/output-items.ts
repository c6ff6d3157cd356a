import {
  type AnswerMessage,
  type Fields,
  type FinishReason,
  GatewayError,
  isObject,
  listOf,
  objectOf,
  type ServerSentEvent,
  type ServerToolCall,
  someText,
  type ThinkingBlock,
  type ToolCall,
  textOf,
} from '@sluice/contract'
import { assertBounded, boundedList } from '../../bounded.ts'
import { argumentsText } from '../../call-arguments.ts'
import { type Annotation, shiftedAnnotation } from '../../citations.ts'
import { upstreamError } from '../../failure.ts'
import { unreadContent } from '../../server-tools.ts'
import { isServers } from './server-items.ts'

/** Reads a response and its output items in the terms of chat completions. */

/** Put between two messages of one response, such as a commentary and the final answer. */
export const messageGap = '\n\n'

export function callOf(item: Fields): ToolCall | undefined {
  const id = someText(item['call_id']) ?? someText(item['id'])
  const name = someText(item['name'])
  if (id === undefined || name === undefined || isServers(item)) return undefined
  if (item['type'] === 'custom_tool_call')
    return { id, type: 'custom', custom: { name, input: textOf(item['input']) } }
  if (item['type'] !== 'function_call') return undefined
  return { id, type: 'function', function: { name, arguments: textOf(item['arguments']) } }
}

/** The call in an item that is complete. */
export function wholeCallOf(item: Fields): ToolCall | undefined {
  const call = callOf(item)
  if (call?.function === undefined) return call
  const { name, arguments: text } = call.function
  return { ...call, function: { name, arguments: argumentsText(text) } }
}

/** The summary, or the reasoning itself if an upstream shows it (open models). */
export function reasoningText(item: Fields): string {
  return textsOf(item['summary']).join('\n\n') || textsOf(item['content']).join('\n\n')
}

/** The item that must be sent back; undefined without encrypted content, because nothing could be continued from it. */
export function reasoningBlock(item: Fields): ThinkingBlock | undefined {
  const encrypted = someText(item['encrypted_content'])
  if (encrypted === undefined) return undefined
  const id = someText(item['id'])
  return {
    type: 'reasoning',
    ...(id === undefined ? {} : { id }),
    summary: textsOf(item['summary']),
    encrypted_content: encrypted,
  }
}

/** Whether a message's part is text. */
export function isText({ type }: Fields): boolean {
  return type === 'output_text' || type === 'text'
}

/** The parts of a message that are neither text nor a refusal. */
export function unreadParts(parts: readonly Fields[]): readonly ServerToolCall[] {
  const unread = parts.filter((part) => !isText(part) && part['type'] !== 'refusal')
  assertBounded(unread.length, 'parts')
  return unread.map(({ type, ...content }) => unreadContent(textOf(type), content))
}

function textsOf(parts: unknown): string[] {
  return listOf(parts).flatMap((part) => someText(objectOf(part)['text']) ?? [])
}

/** An image that the image generation tool made. */
export function imageOf(item: Fields): NonNullable<AnswerMessage['images']> {
  const base64 = someText(item['result'])
  if (base64 === undefined) return []
  const format = someText(item['output_format']) ?? 'png'
  return [{ type: 'image_url', image_url: { url: `data:image/${format};base64,${base64}` } }]
}

/** `offset` is the number of characters in the response before this part. */
export function annotationsOf(annotations: unknown, offset: number): Annotation[] {
  return boundedList(annotations, 'citations')
    .filter(isObject)
    .map((annotation) => shiftedAnnotation(annotation, offset))
}

/** A response that was cut has `incomplete_details`. Whether it ends with calls is only visible from its items. */
export function finishOf(response: Fields, hasCalls: boolean): FinishReason {
  const reason = objectOf(response['incomplete_details'])['reason']
  if (reason === 'content_filter') return 'content_filter'
  if (reason != null || response['status'] === 'incomplete') return 'length'
  return hasCalls ? 'tool_calls' : 'stop'
}

/** The error of a response that failed or was cancelled. */
export function failureIn(response: Fields): GatewayError {
  const { error, status } = response
  if (error !== undefined && error !== null) return upstreamError(error)
  return new GatewayError('upstream_unavailable', `The upstream's response is ${String(status)}`, {
    upstreamCode: someText(status) ?? 'failed',
  })
}

/** The event's type, which is in the data, or for a few upstreams only in the event's name. */
export function typeOf(event: ServerSentEvent, data: Fields): string {
  return someText(data['type']) ?? event.event
}
