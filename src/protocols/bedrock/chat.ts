import { GatewayError } from '../../core/errors.ts'
import type { AnswerMessage, ChatReply, ChatRequest } from '../../operations/chat.ts'
import type { ThinkingBlock, ToolCall } from '../../operations/chat-message.ts'
import { chatUsage } from '../../operations/usage-shape.ts'
import { formatDataUrl } from '../../wire/data-url.ts'
import { formatJson } from '../../wire/json.ts'
import { isObject, listOf, objectOf, someText, textOf } from '../openai/reading.ts'
import type { Codec, CodecContext, Decoded, Received } from '../protocol.ts'
import { asksFor, refuseFields } from '../unsupported-fields.ts'
import { chatStream } from './chat-stream.ts'
import { finishReason, stopSequenceOf } from './finish-reasons.ts'
import { mediaUrls } from './media.ts'
import { encodeMessages } from './messages.ts'
import { claudeGeneration, modelFamily } from './model-family.ts'
import { encodeReasoning, thinks } from './reasoning.ts'
import { answersByTool, encodeTools, jsonToolName } from './tools.ts'
import { readUsage } from './usage.ts'

/**
 * Converse and ConverseStream (Amazon Bedrock API reference). The model stands in the path, percent-encoded; fields
 * of one maker's models travel as `additionalModelRequestFields`; structured output is a tool the model must call.
 */
export const chat: Codec<'chat'> = {
  encode(request, context) {
    const verb = request.stream === true ? 'converse-stream' : 'converse'
    return {
      method: 'POST',
      path: `/model/${encodeURIComponent(context.model)}/${verb}`,
      body: { kind: 'json', value: encodeBody(request, context) },
    }
  },
  decode,
  singleChoice: true,
  media: mediaUrls,
  stream: chatStream,
}

function encodeBody(request: ChatRequest, context: CodecContext): object {
  refuseFields(request, unsupported, context)
  const { system, turns } = encodeMessages(request, context)
  const reasoning = encodeReasoning(request, context)
  const thinking = thinks(reasoning)
  const format = thinking ? thinkingFormat(request, reasoning, context) : undefined
  const tools = encodeTools(thinking ? { ...request, response_format: null } : request, context)
  const forced = thinking && isForced(tools.toolConfig)
  if (forced) context.unsupported('tool_choice', 'a thinking Claude cannot be made to call a tool')
  const inference = inferenceConfig(request, context, thinking)
  const additional = {
    ...reasoning,
    ...tools.additional,
    ...format,
    ...topK(request, context),
  }
  const tier = request.service_tier
  return {
    ...(system.length > 0 ? { system } : {}),
    messages: turns,
    ...(Object.keys(inference).length > 0 ? { inferenceConfig: inference } : {}),
    ...(tools.toolConfig === undefined
      ? {}
      : { toolConfig: forced ? { tools: tools.toolConfig['tools'] } : tools.toolConfig }),
    ...(Object.keys(additional).length > 0 ? { additionalModelRequestFields: additional } : {}),
    ...(tier != null && tier !== 'auto' ? { serviceTier: { type: tier } } : {}),
    // Asked for only where it can matter; other models ignore the path.
    ...(asksFor(request, 'stop') && modelFamily(context.model) === 'anthropic'
      ? { additionalModelResponseFieldPaths: ['/delta/stop_sequence'] }
      : {}),
  }
}

const unsupported = [
  'presence_penalty',
  'frequency_penalty',
  'logit_bias',
  'logprobs',
  'top_logprobs',
  'seed',
  'functions',
  'function_call',
  'verbosity',
  'modalities',
  'audio',
  'web_search_options',
] as const

function inferenceConfig(request: ChatRequest, context: CodecContext, thinking: boolean): object {
  const { temperature, top_p: topP, stop } = request
  const maxTokens = request.max_completion_tokens ?? request.max_tokens
  const stopSequences = typeof stop === 'string' ? [stop] : (stop ?? [])
  const tooHot = temperature != null && (temperature > 1 || (thinking && temperature !== 1))
  if (tooHot)
    context.unsupported(
      'temperature',
      thinking ? 'Claude thinks at temperature 1 only' : 'Bedrock takes 0 to 1',
    )
  return {
    ...(maxTokens == null ? {} : { maxTokens }),
    ...(temperature == null || tooHot ? {} : { temperature }),
    ...(topP == null ? {} : { topP }),
    ...(stopSequences.length > 0 ? { stopSequences } : {}),
  }
}

function topK(request: ChatRequest, { model }: CodecContext): object {
  if (!asksFor(request, 'top_k')) return {}
  return modelFamily(model) === 'nova'
    ? { inferenceConfig: { topK: request.top_k } }
    : { top_k: request.top_k }
}

function isForced(toolConfig: Readonly<Record<string, unknown>> | undefined): boolean {
  const choice = toolConfig?.['toolChoice']
  return isObject(choice) && !('auto' in choice)
}

/** A thinking Claude cannot be made to call the JSON tool; from 4.5 on it takes the schema itself. */
function thinkingFormat(
  { response_format: format }: ChatRequest,
  reasoning: Readonly<Record<string, unknown>>,
  context: CodecContext,
): object | undefined {
  if (format == null || format.type === 'text') return undefined
  if (format.type === 'json_object' || (claudeGeneration(context.model) ?? 4.6) < 4.5) {
    context.unsupported('response_format', 'this model cannot think and keep to a schema')
    return undefined
  }
  const wrapper = objectOf(format.json_schema)
  const schema = isObject(wrapper['schema']) ? wrapper['schema'] : wrapper
  const config = objectOf(reasoning['output_config'])
  return { output_config: { ...config, format: { type: 'json_schema', schema } } }
}

function decode(received: Received, context: CodecContext, request: ChatRequest): Decoded<'chat'> {
  const body = objectOf(received.json())
  const { message } = objectOf(body['output'])
  if (!isObject(message))
    throw new GatewayError('upstream_garbled', 'Bedrock answered without output.message')
  const answer = readMessage(listOf(message['content']), answersByTool(request))
  const usage = readUsage(body['usage'])
  const stopSequence = stopSequenceOf(body['additionalModelResponseFields'])
  const tier = someText(objectOf(body['serviceTier'])['type'])
  const reply: ChatReply = {
    id: context.newId('chatcmpl-'),
    object: 'chat.completion',
    created: Math.floor(context.now() / 1000),
    model: context.publicModel,
    choices: [
      {
        index: 0,
        message: answer,
        finish_reason: finishReason(body['stopReason'], answer.tool_calls !== undefined),
        logprobs: null,
        ...(stopSequence === undefined ? {} : { stop_sequence: stopSequence }),
      },
    ],
    usage: chatUsage(usage ?? { inputTokens: 0, outputTokens: 0 }),
    system_fingerprint: null,
    ...(tier === undefined ? {} : { service_tier: tier }),
  }
  return { reply, ...(usage === undefined ? {} : { usage }) }
}

function readMessage(content: readonly unknown[], byTool: boolean): AnswerMessage {
  const texts: string[] = []
  const reasoning: string[] = []
  const blocks: ThinkingBlock[] = []
  const calls: ToolCall[] = []
  const images: string[] = []
  for (const item of content) {
    const block = objectOf(item)
    const { toolUse } = block
    if (typeof block['text'] === 'string') texts.push(block['text'])
    else if (isObject(block['citationsContent']))
      texts.push(
        ...listOf(block['citationsContent']['content']).map((part) =>
          textOf(objectOf(part)['text']),
        ),
      )
    else if (isObject(block['reasoningContent']))
      readReasoning(block['reasoningContent'], reasoning, blocks)
    else if (isObject(block['image'])) images.push(imageUrl(block['image']))
    else if (isObject(toolUse) && byTool && toolUse['name'] === jsonToolName)
      texts.push(formatJson(toolUse['input'] ?? {}))
    else if (isObject(toolUse)) calls.push(toolCall(toolUse))
  }
  return {
    role: 'assistant',
    content: texts.length === 0 && calls.length > 0 ? null : texts.join(''),
    refusal: null,
    ...(reasoning.length > 0 ? { reasoning_content: reasoning.join('') } : {}),
    ...(blocks.length > 0 ? { thinking_blocks: blocks } : {}),
    ...(calls.length > 0 ? { tool_calls: calls } : {}),
    ...(images.length > 0
      ? { images: images.map((url) => ({ type: 'image_url', image_url: { url } })) }
      : {}),
  }
}

function readReasoning(
  content: Readonly<Record<string, unknown>>,
  reasoning: string[],
  blocks: ThinkingBlock[],
): void {
  const { text, signature } = objectOf(content['reasoningText'])
  const redacted = someText(content['redactedContent'])
  if (typeof text === 'string') reasoning.push(text)
  if (typeof signature === 'string')
    blocks.push({ type: 'thinking', thinking: textOf(text), signature })
  if (redacted !== undefined) blocks.push({ type: 'redacted_thinking', data: redacted })
}

function imageUrl(image: Readonly<Record<string, unknown>>): string {
  const bytes = textOf(objectOf(image['source'])['bytes'])
  return formatDataUrl(`image/${textOf(image['format']) || 'png'}`, bytes)
}

function toolCall(toolUse: Readonly<Record<string, unknown>>): ToolCall {
  return {
    id: textOf(toolUse['toolUseId']),
    type: 'function',
    function: { name: textOf(toolUse['name']), arguments: formatJson(toolUse['input'] ?? {}) },
  }
}
