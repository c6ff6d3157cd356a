import {
  type AnswerMessage,
  type ChatReply,
  chatUsage,
  countOf,
  type Fields,
  type FinishReason,
  formatDataUrl,
  formatJson,
  GatewayError,
  isObject,
  listOf,
  objectOf,
  someText,
  type ThinkingBlock,
  type ToolCall,
  textOf,
  type Usage,
} from '@sluice/contract'
import { argumentsText } from '@sluice/protocols/call-arguments.ts'
import { carry } from '@sluice/protocols/carried-reasoning.ts'
import { answerMessage } from '@sluice/protocols/chat-reply.ts'
import { fileCitation, noRange, urlCitation } from '@sluice/protocols/citations.ts'
import type { AiSdkContext } from './context.ts'

const reasons: Readonly<Record<string, FinishReason>> = {
  stop: 'stop',
  length: 'length',
  'content-filter': 'content_filter',
  'tool-calls': 'tool_calls',
  other: 'stop',
}

/**
 * The finish reason {unified, raw}. Throws `upstream_cut` if the provider gave none: a model whose connection broke only
 * reports `other`.
 */
export function finishReason(value: unknown, hasCalls: boolean): FinishReason {
  const { unified, raw } = objectOf(value)
  if (unified === 'error')
    throw new GatewayError('upstream_unavailable', 'The provider failed to answer')
  if (unified === 'interrupted' || (unified === 'other' && raw === undefined))
    throw new GatewayError('upstream_cut', 'The provider’s response ended without a finish reason')
  const reason = reasons[textOf(unified)] ?? 'stop'
  return reason === 'stop' && hasCalls ? 'tool_calls' : reason
}

/** {inputTokens: {total, cacheRead, cacheWrite}, outputTokens: {total, reasoning}}; undefined if nothing is reported. */
export function readUsage(value: unknown): Usage | undefined {
  const { inputTokens, outputTokens } = objectOf(value)
  const input = objectOf(inputTokens)
  const output = objectOf(outputTokens)
  const total = countOf(input['total'])
  const made = countOf(output['total'])
  if (total === undefined && made === undefined) return undefined
  const details: readonly (readonly [keyof Usage, number | undefined])[] = [
    ['cachedInputTokens', countOf(input['cacheRead'])],
    ['cacheWriteTokens', countOf(input['cacheWrite'])],
    ['reasoningTokens', countOf(output['reasoning'])],
  ]
  return {
    inputTokens: total ?? 0,
    outputTokens: made ?? 0,
    ...Object.fromEntries(details.filter(([, count]) => count !== undefined)),
  }
}

/** What a model generated, as a chat completion. */
export function chatReply(result: unknown, context: AiSdkContext): ChatReply {
  const { content, finishReason: reason, usage } = objectOf(result)
  const message = readMessage(listOf(content).map(objectOf))
  return {
    id: context.newId('chatcmpl-'),
    object: 'chat.completion',
    created: Math.floor(context.now() / 1000),
    model: context.model,
    choices: [
      {
        index: 0,
        message,
        finish_reason: finishReason(reason, message.tool_calls !== undefined),
        logprobs: null,
      },
    ],
    usage: chatUsage(readUsage(usage) ?? { inputTokens: 0, outputTokens: 0 }),
    system_fingerprint: null,
  }
}

function readMessage(parts: readonly Fields[]): AnswerMessage {
  const of = (type: string) => parts.filter((part) => part['type'] === type)
  const text = of('text')
    .map((part) => textOf(part['text']))
    .join('')
  const reasoning = of('reasoning')
    .map((part) => textOf(part['text']))
    .join('')
  const called = of('tool-call').filter(isOurs)
  const blocks = [
    ...of('reasoning').flatMap((part) =>
      thinkingBlock(textOf(part['text']), part['providerMetadata']),
    ),
    ...called.flatMap((part, index) =>
      callBlock(part).map((block) => ({ ...block, place: index + 2 })),
    ),
  ]
  const calls = called.map(readCall)
  const images = of('file').flatMap(imageOf)
  const annotations = of('source').flatMap(annotationOf)
  const content = text === '' && calls.length > 0 ? null : text
  return answerMessage({ content, reasoning, blocks, calls, images, annotations })
}

/** Tools that the provider runs itself are not shown to the caller. */
export function isOurs(part: Fields): boolean {
  return part['providerExecuted'] !== true
}

/** Reasoning with data attached by the provider, such as a signature; passed on whole. */
export function thinkingBlock(text: string, metadata: unknown): readonly ThinkingBlock[] {
  if (!isObject(metadata) || Object.keys(metadata).length === 0) return []
  return [
    {
      type: 'reasoning',
      id: 'ai_sdk',
      summary: text === '' ? [] : [text],
      encrypted_content: carry({ kind: 'ai_sdk', text, metadata }),
    },
  ]
}

/** The data that a provider attached to a call, as a block after the call. */
export function callBlock(part: Fields): readonly ThinkingBlock[] {
  const { toolCallId: call, providerMetadata: metadata } = part
  if (!isObject(metadata) || Object.keys(metadata).length === 0) return []
  const carried = carry({ kind: 'ai_sdk_call', call, metadata })
  return [{ type: 'reasoning', id: 'ai_sdk_call', summary: [], encrypted_content: carried }]
}

export function readCall(part: Fields): ToolCall {
  const { input } = part
  return {
    id: textOf(part['toolCallId']),
    type: 'function',
    function: {
      name: textOf(part['toolName']),
      arguments: argumentsText(typeof input === 'string' ? input : formatJson(input ?? {})),
    },
  }
}

export function imageOf(part: Fields): NonNullable<AnswerMessage['images']> {
  const mediaType = textOf(part['mediaType'])
  const { type, data, url } = objectOf(part['data'])
  if (!mediaType.startsWith('image/')) return []
  const address =
    type === 'url'
      ? String(url)
      : formatDataUrl(
          mediaType,
          data instanceof Uint8Array ? Buffer.from(data).toString('base64') : textOf(data),
        )
  return [{ type: 'image_url', image_url: { url: address } }]
}

/** A page or a document (AI SDK, LanguageModelV3Source). Its position in the text is not reported. */
export function annotationOf(part: Fields): readonly Record<string, unknown>[] {
  const { id, url, title, filename } = part
  const page = someText(url)
  if (page !== undefined) return [urlCitation(noRange, { url: page, title: textOf(title) })]
  return [fileCitation(noRange, { file_id: id, filename: filename ?? title, title })]
}
