import {
  type AnswerMessage,
  type ChatReply,
  type ChatRequest,
  chatUsage,
  formatDataUrl,
  formatJson,
  GatewayError,
  isObject,
  listOf,
  objectOf,
  someText,
  textOf,
  type ThinkingBlock,
  type ToolCall,
} from '@sluice/contract'
import { closedSchema } from '../claude/closed-schema.ts'
import { claudeModel } from '../claude/model-family.ts'
import { withFunctions } from '../function-answers.ts'
import { namedSchema } from '../named-schema.ts'
import type { Codec, CodecContext, Decoded, Received } from '../protocol.ts'
import { asksFor, refuseFields } from '../unsupported-fields.ts'
import { chatStream } from './chat-stream.ts'
import { finishReason, stopSequenceOf } from './finish-reasons.ts'
import { mediaUrls } from './media.ts'
import { encodeMessages } from './messages.ts'
import { modelFamily } from './model-family.ts'
import { encodeReasoning, type Reasoning } from './reasoning.ts'
import { answersByTool, encodeTools, jsonToolName } from './tools.ts'
import { readUsage } from './usage.ts'

/**
 * Converse and ConverseStream (Amazon Bedrock API reference). The model stands in the path, percent-encoded; fields
 * of one maker's models travel as `additionalModelRequestFields`; structured output is a tool the model must call.
 */
export const chat: Codec<'chat'> = withFunctions({
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
})

function encodeBody(request: ChatRequest, context: CodecContext): object {
  refuseFields(request, unsupported, context)
  const { system, turns } = encodeMessages(request, context)
  const reasoning = encodeReasoning(request, context)
  const { toolConfig, additional: choice } = encodeTools(request, context)
  const answer = heldAnswer(request, toolConfig, { reasoning, context })
  const inference = inferenceConfig(request, reasoning, context)
  const additional = {
    ...reasoning.fields,
    ...choice,
    ...answer.fields,
    ...topK(request, reasoning, context),
  }
  return {
    ...(system.length > 0 ? { system } : {}),
    messages: turns,
    ...(Object.keys(inference).length > 0 ? { inferenceConfig: inference } : {}),
    ...(answer.toolConfig === undefined ? {} : { toolConfig: answer.toolConfig }),
    ...(Object.keys(additional).length > 0 ? { additionalModelRequestFields: additional } : {}),
    ...(asksFor(request, 'service_tier') ? { serviceTier: { type: request.service_tier } } : {}),
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
  'verbosity',
  'modalities',
  'audio',
  'web_search_options',
] as const

interface Writing {
  readonly reasoning: Reasoning
  readonly context: CodecContext
}

type Fields = Readonly<Record<string, unknown>>

/** Claude takes temperature 0 to 1, only 1 while it thinks, and its newest models take the defaults alone. */
function sampling(request: ChatRequest, { reasoning, context }: Writing): Fields {
  const { temperature, top_p: topP } = request
  const claude = modelFamily(context.model) === 'anthropic' ? claudeModel(context.model) : undefined
  const fixed = claude !== undefined && (reasoning.on || claude.sampling === 'none')
  const tooHot = (temperature ?? 0) > 1
  const refused = tooHot || (fixed && asksFor(request, 'temperature'))
  if (refused)
    context.unsupported('temperature', tooHot ? 'Bedrock takes 0 to 1' : 'this model takes 1 here')
  const hasTemperature = temperature != null && !refused && !fixed
  const one = claude?.sampling === 'one' && hasTemperature
  if (topP != null && one && asksFor(request, 'top_p'))
    context.unsupported('top_p', 'this model takes temperature or top_p')
  return {
    ...(hasTemperature ? { temperature } : {}),
    ...(topP == null || one ? {} : { topP }),
  }
}

function inferenceConfig(
  request: ChatRequest,
  reasoning: Reasoning,
  context: CodecContext,
): object {
  const asked = request.max_completion_tokens ?? request.max_tokens
  const stopSequences = stopWords(request, context)
  return {
    ...(asked == null ? {} : { maxTokens: maxTokens(asked, reasoning, context) }),
    ...sampling(request, { reasoning, context }),
    ...(stopSequences.length > 0 ? { stopSequences } : {}),
  }
}

/** Claude does not stop at white space alone. */
function stopWords({ stop }: ChatRequest, context: CodecContext): readonly string[] {
  const words = typeof stop === 'string' ? [stop] : (stop ?? [])
  if (modelFamily(context.model) !== 'anthropic') return words
  return words.filter((word, index) => {
    const blank = word.trim() === ''
    if (blank && word !== '')
      context.unsupported(
        typeof stop === 'string' ? 'stop' : `stop[${index}]`,
        'Claude does not stop at white space',
      )
    return !blank
  })
}

/** Thinking counts as output, so a limit that its budget would use up is raised by the budget. */
function maxTokens(asked: number, { budget = 0 }: Reasoning, { model }: CodecContext): number {
  if (budget < asked) return asked
  return Math.max(budget + 1, Math.min(claudeModel(model).maxTokens, budget + asked))
}

function topK(request: ChatRequest, { on }: Reasoning, context: CodecContext): object {
  if (!asksFor(request, 'top_k')) return {}
  const family = modelFamily(context.model)
  if (family === 'nova') return { inferenceConfig: { topK: request.top_k } }
  if (family === 'anthropic' && (on || claudeModel(context.model).sampling === 'none')) {
    context.unsupported('top_k', 'this model takes only the default here')
    return {}
  }
  return { top_k: request.top_k }
}

interface HeldAnswer {
  readonly toolConfig?: Fields | undefined
  readonly fields?: Fields
}

/**
 * Some models cannot be made to call a tool: Claude while it thinks by a budget, and its newest generation. There a
 * schema goes to the model itself, where it knows schemas, and a forced choice is refused.
 */
function heldAnswer(
  request: ChatRequest,
  toolConfig: Fields | undefined,
  writing: Writing,
): HeldAnswer {
  const { reasoning, context } = writing
  const claude = modelFamily(context.model) === 'anthropic' ? claudeModel(context.model) : undefined
  const mayForce = claude === undefined || (claude.forcedTools && reasoning.budget === undefined)
  if (mayForce || !isForced(toolConfig)) return { toolConfig }
  if (!answersByTool(request)) {
    context.unsupported('tool_choice', 'this model cannot be made to call a tool here')
    return { toolConfig: { tools: toolConfig?.['tools'] } }
  }
  const { toolConfig: own } = encodeTools({ ...request, response_format: null }, context)
  const schema = claude?.structured === true ? closedSchema(schemaOf(request)) : undefined
  if (schema !== undefined) {
    const config = objectOf(reasoning.fields['output_config'])
    const format = { type: 'json_schema', schema }
    return { toolConfig: own, fields: { output_config: { ...config, format } } }
  }
  context.unsupported('response_format', 'this model cannot be held to this format here')
  return { toolConfig: own }
}

function isForced(toolConfig: Fields | undefined): boolean {
  const choice = toolConfig?.['toolChoice']
  return isObject(choice) && !('auto' in choice)
}

/** An object of any fields where JSON alone is asked for. */
function schemaOf({ response_format: format }: ChatRequest): Fields {
  if (format?.type !== 'json_schema') return { type: 'object' }
  return namedSchema(format).schema
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
