import {
  type AnswerMessage,
  type ChatReply,
  chatUsage,
  countOf,
  type Fields,
  GatewayError,
  isObject,
  listOf,
  matches,
  noUsage,
  objectOf,
  ServerToolCall,
  someText,
  type ToolCall,
  textOf,
} from '@sluice/contract'
import { boundedList, assertBounded } from '../../bounded.ts'
import { argumentsText } from '../../call-arguments.ts'
import type { Annotation } from '../../citations.ts'
import { bodyOf } from '../../failure.ts'
import type { CodecContext, Decoded, Received } from '../../protocol.ts'
import { readInput } from '../../server-tools.ts'
import { detailsBlock, isThinkingBlock, readState } from '../message-state.ts'
import {
  logprobsOf,
  readAnnotations,
  readArguments,
  readContent,
  readReasoning,
} from './content.ts'
import { executedKind, usageOfAnswer } from './executed-tools.ts'
import { failureOf, finishReasonOf } from './finish-reasons.ts'
import { madeByChat } from './named.ts'

/** Reads a whole chat completion of OpenAI or of a compatible upstream. */
export function decodeChat(received: Received, context: CodecContext): Decoded<'chat'> {
  const body = bodyOf(received)
  const choices = boundedList(body['choices'], 'choices').filter(isObject)
  if (choices.length === 0)
    throw new GatewayError('upstream_garbled', 'The upstream answered without a choice')
  const usage = usageOfAnswer(body)
  const annotations = readAnnotations(body)
  // Each choice has them all.
  assertBounded(annotations.length * choices.length, 'citations')
  const reply: ChatReply = {
    id: someText(body['id']) ?? context.newId('chatcmpl-'),
    object: 'chat.completion',
    created: createdOf(body, context),
    model: context.publicModel,
    choices: choices.map((choice, position) =>
      choiceOf(choice, { position, annotations, context }),
    ),
    usage: chatUsage(usage ?? noUsage),
    system_fingerprint: someText(body['system_fingerprint']) ?? null,
    ...tierOf(body),
  }
  const made = madeByChat(choices)
  return { reply, ...(usage && { usage }), ...(made.length > 0 && { made }) }
}

/** In seconds since the epoch. */
export function createdOf(body: Fields, context: CodecContext): number {
  return countOf(body['created']) || Math.floor(context.now() / 1000)
}

export function tierOf(body: Fields): { readonly service_tier?: string } {
  const tier = someText(body['service_tier'])
  return tier === undefined ? {} : { service_tier: tier }
}

interface ChoicePlace {
  readonly position: number
  readonly annotations: readonly Annotation[]
  readonly context: CodecContext
}

function choiceOf(choice: Fields, place: ChoicePlace): ChatReply['choices'][number] {
  const failure = failureOf(choice['finish_reason'])
  if (failure !== undefined) throw failure
  const message = messageOf(objectOf(choice['message']), place)
  const stopped = finishReasonOf(choice['finish_reason'], message.tool_calls !== undefined)
  return {
    index: countOf(choice['index']) ?? place.position,
    message,
    finish_reason: stopped ?? (message.tool_calls === undefined ? 'stop' : 'tool_calls'),
    logprobs: logprobsOf(choice['logprobs']),
  }
}

function messageOf(message: Fields, place: ChoicePlace): AnswerMessage {
  const { text, reasoning, annotations: cited, unread } = readContent(message['content'])
  const thought = readReasoning(message) || reasoning
  const calls = callsOf(message, place.context)
  const annotations = [...givenAnnotations(message), ...cited, ...place.annotations]
  const silent = text === '' && (calls.length > 0 || message['content'] == null)
  return {
    role: 'assistant',
    content: silent ? null : text,
    refusal: someText(message['refusal']) ?? null,
    ...(thought === '' ? {} : { reasoning_content: thought }),
    ...blocksOf(message),
    ...(calls.length === 0 ? {} : { tool_calls: calls }),
    ...(annotations.length === 0 ? {} : { annotations }),
    ...serverCallsOf(message, unread),
    ...mediaOf(message),
  }
}

/** OpenAI's annotations, and the other citations of a gateway like this one. */
export function givenAnnotations(message: Fields): readonly Annotation[] {
  return ['annotations', 'file_citations'].flatMap((field) =>
    boundedList(message[field], 'citations').filter(isObject),
  )
}

/** Audio and images keep their form, but only if it is the expected one. */
function mediaOf(message: Fields): Pick<AnswerMessage, 'audio' | 'images'> {
  const { audio, images } = message
  return {
    ...(isObject(audio) && someText(audio['id']) !== undefined
      ? {
          audio: {
            id: textOf(audio['id']),
            expires_at: countOf(audio['expires_at']) ?? 0,
            data: textOf(audio['data']),
            transcript: textOf(audio['transcript']),
          },
        }
      : {}),
    ...(Array.isArray(images) && images.length > 0 ? { images: imagesOf(images) } : {}),
  }
}

/** Images that a model made (OpenRouter's form). */
export function imagesOf(images: readonly unknown[]): NonNullable<AnswerMessage['images']> {
  return images.flatMap((image) => {
    const url = someText(objectOf(objectOf(image)['image_url'])['url'])
    return url === undefined ? [] : [{ type: 'image_url' as const, image_url: { url } }]
  })
}

function blocksOf(message: Fields): Pick<AnswerMessage, 'thinking_blocks'> {
  const thinking = listOf(message['thinking_blocks']).filter(isThinkingBlock)
  const { blocks: read, details } = readState(message, thinking)
  const blocks = [...read, ...detailsBlock(details)]
  return blocks.length === 0 ? {} : { thinking_blocks: blocks }
}

/**
 * Calls of the provider's tools: this gateway's own form, and Groq's (`executed_tools`; Groq docs, compound systems). `unread` is
 * content of kinds that are not read.
 */
export function serverCallsOf(
  message: Fields,
  unread: readonly ServerToolCall[],
): Pick<AnswerMessage, 'server_tool_calls'> {
  const own = listOf(message['server_tool_calls']).filter((call) => matches(ServerToolCall, call))
  const executed = listOf(message['executed_tools']).filter(isObject).map(executedTool)
  const calls = [...own, ...executed, ...unread]
  return calls.length === 0 ? {} : { server_tool_calls: calls }
}

function executedTool({ index, type, arguments: text, output, ...rest }: Fields): ServerToolCall {
  const found = objectOf(rest['search_results'])['results']
  return {
    id: `executed_${countOf(index) ?? 0}`,
    type: executedKind(type),
    input: { ...readInput(text) },
    ...(found === undefined && output == null ? {} : { output: found ?? output }),
  }
}

/** Some upstreams still respond with OpenAI's deprecated `function_call`. */
function callsOf(message: Fields, context: CodecContext): ToolCall[] {
  const { function_call: older } = message
  const calls = listOf(message['tool_calls']).filter(isObject)
  const isNamed = isObject(older) && someText(older['name']) !== undefined
  return [...calls, ...(isNamed ? [{ function: older }] : [])].flatMap((call) =>
    callOf(call, context),
  )
}

/** Nobody can respond to a call without a name, so it is dropped. */
function callOf(call: Fields, context: CodecContext): readonly ToolCall[] {
  const id = someText(call['id']) ?? context.newId('call_')
  const extra = isObject(call['extra_content']) ? { extra_content: call['extra_content'] } : {}
  if (isObject(call['custom'])) {
    const { name, input } = call['custom']
    const custom = { name: textOf(name), input: readArguments(input) }
    return custom.name === '' ? [] : [{ id, type: 'custom', custom, ...extra }]
  }
  const { name, arguments: args } = objectOf(call['function'])
  const named = { name: textOf(name), arguments: argumentsText(readArguments(args)) }
  return named.name === '' ? [] : [{ id, type: 'function', function: named, ...extra }]
}
