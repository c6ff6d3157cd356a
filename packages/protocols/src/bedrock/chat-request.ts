import { type ChatRequest, type Fields, isObject, objectOf } from '@sluice/contract'
import { askedBetas, reportBetas, takenBetas, thinksBetweenCalls } from '../claude/betas.ts'
import { closedSchema } from '../claude/closed-schema.ts'
import { encodeThinking, mayForceCall, outputLimit } from '../claude/thinking.ts'
import { type ClaudeCall, claudeSampling } from '../claude/sampling.ts'
import { applyDecisions, asksFor, type Decisions } from '../decisions.ts'
import { reportUnsupported } from '../report-unsupported.ts'
import { claudeModel } from '../families/claude.ts'
import { reportLostReasoning } from '../lost-reasoning.ts'
import type { CodecContext } from '../protocol.ts'
import { usualChat } from '../usual-decisions.ts'
import { createCachePoints } from './cache-points.ts'
import { answersByTool } from './json-answer.ts'
import { encodeMessages, keptReasoning } from './messages.ts'
import { isReasoningNova, modelFamily } from './model-family.ts'
import { encodeTools } from './tools.ts'

const decisions: Decisions<'chat'> = {
  ...usualChat,
  n: 'gateway',
  presence_penalty: 'hint',
  frequency_penalty: 'hint',
  logprobs: 'refused',
  top_logprobs: 'refused',
  user: 'hint',
  safety_identifier: 'hint',
  parallel_tool_calls: 'sent',
  seed: 'hint',
  modalities: 'refused',
  audio: 'refused',
  web_search_options: 'refused',
  server_tools: 'refused',
  service_tier: 'sent',
  thinking_budget: 'sent',
  cache_control: 'sent',
}

/** Encodes a chat request as the body of Converse. */
export function chatBody(request: ChatRequest, context: CodecContext): object {
  applyDecisions('chat', request, decisions, context)
  reportLostReasoning(request, keptReasoning(context.family), context)
  const reasoning = encodeReasoning(request, context)
  const writing = { reasoning, context }
  const cachePoint = createCachePoints(context)
  const { toolConfig, additional: choice } = encodeTools(request, context, cachePoint)
  const answer = heldAnswer(request, toolConfig, writing)
  const { system, turns } = encodeMessages(request, context, cachePoint)
  const sampling = samplingOf(request, writing)
  const inference = inferenceConfig(request, sampling, writing)
  const additional = {
    ...reasoning.fields,
    ...choice,
    ...answer.fields,
    ...topK(sampling, context),
  }
  return {
    ...(system.length > 0 ? { system } : {}),
    messages: turns,
    ...(Object.keys(inference).length > 0 ? { inferenceConfig: inference } : {}),
    ...(answer.toolConfig === undefined ? {} : { toolConfig: answer.toolConfig }),
    ...(Object.keys(additional).length > 0 ? { additionalModelRequestFields: additional } : {}),
    ...(asksFor(request, 'service_tier') ? { serviceTier: { type: request.service_tier } } : {}),
    // Requested only where it is useful; other models ignore the path.
    ...(asksFor(request, 'stop') && reasoning.claude !== undefined
      ? { additionalModelResponseFieldPaths: ['/delta/stop_sequence'] }
      : {}),
  }
}

interface Writing {
  readonly reasoning: Reasoning
  readonly context: CodecContext
}

function inferenceConfig(request: ChatRequest, sampling: Sampling, writing: Writing): object {
  const { temperature, top_p: topP } = sampling
  const { max_completion_tokens: asked, stop: stops } = request
  return {
    ...(asked == null ? {} : { maxTokens: maxTokens(request, asked, writing.reasoning) }),
    ...(temperature == null ? {} : { temperature }),
    ...(topP == null ? {} : { topP }),
    ...(stops?.length ? { stopSequences: stops } : {}),
  }
}

function maxTokens(request: ChatRequest, asked: number, { claude, betas }: Reasoning): number {
  if (thinksBetweenCalls(request, betas ?? [])) return asked
  const budget = claude?.thinking.thinking?.budget_tokens
  return claude === undefined || budget === undefined ? asked : outputLimit(asked, budget, claude)
}

type Sampling = Pick<ChatRequest, 'temperature' | 'top_p' | 'top_k'>

function samplingOf(request: ChatRequest, { reasoning, context }: Writing): Sampling {
  if (reasoning.claude !== undefined) return claudeSampling(request, reasoning.claude)
  const { temperature, top_p: topP, top_k: topK } = request
  const tooHot = temperature != null && temperature > 1
  if (tooHot) context.leftOut('temperature', 'Bedrock takes 0 to 1')
  return {
    temperature: tooHot ? null : (temperature ?? null),
    top_p: topP ?? null,
    top_k: asksFor(request, 'top_k') ? (topK ?? null) : null,
  }
}

/** Nova has its own place for it; other vendors' models use their own field. */
function topK({ top_k: topK }: Sampling, { family: model }: CodecContext): object {
  if (topK == null) return {}
  return modelFamily(model) === 'nova' ? { inferenceConfig: { topK } } : { top_k: topK }
}

interface HeldAnswer {
  readonly toolConfig?: Fields | undefined
  readonly fields?: Fields
}

/**
 * Some models cannot be forced to call a tool: Claude with a thinking budget, and its newest generation. For these a schema is
 * passed to the model itself if it supports schemas, and a forced choice is refused.
 */
function heldAnswer(
  request: ChatRequest,
  toolConfig: Fields | undefined,
  writing: Writing,
): HeldAnswer {
  const { reasoning, context } = writing
  const { claude } = reasoning
  if (claude === undefined || mayForce(claude) || !isForced(toolConfig)) return { toolConfig }
  if (!answersByTool(request)) {
    context.unsupported('tool_choice', 'this model cannot be made to call a tool here')
    return { toolConfig: { tools: toolConfig?.['tools'] } }
  }
  // Tools come first in a prompt, so their breakpoints are counted the same.
  const plain = { ...request, response_format: null }
  const { toolConfig: own } = encodeTools(plain, context, createCachePoints(context))
  const schema = claude.model.structured
    ? closedSchema(schemaOf(request), 'response_format.json_schema.schema', context.leftOut)
    : undefined
  if (schema !== undefined) {
    const config = objectOf(reasoning.fields['output_config'])
    const format = { type: 'json_schema', schema }
    return { toolConfig: own, fields: { output_config: { ...config, format } } }
  }
  context.unsupported('response_format', 'this model cannot be held to this format here')
  return { toolConfig: own }
}

/** On Bedrock, Claude before 4.8 cannot be forced while it thinks at all (langchain-ai/langchain-aws#1141, #1151). */
function mayForce({ context, model, thinking }: NonNullable<Reasoning['claude']>): boolean {
  if (!mayForceCall(model, thinking)) return false
  return thinking.thinking?.type !== 'adaptive' || !/(opus|sonnet)-4-[67]/.test(context.family)
}

function isForced(toolConfig: Fields | undefined): boolean {
  const choice = toolConfig?.['toolChoice']
  return isObject(choice) && !('auto' in choice)
}

/** An arbitrary object if only JSON is requested. */
function schemaOf({ response_format: format }: ChatRequest): Fields {
  return format?.type === 'json_schema' ? format.json_schema.schema : { type: 'object' }
}

/** The reasoning fields of the model's vendor, and their consequences for the rest of the request. */
interface Reasoning {
  readonly fields: Fields
  /** Claude's betas. */
  readonly betas?: readonly string[]
  /** Present for Claude models, whose rules then apply. */
  readonly claude?: ClaudeCall
}

const nothing: Reasoning = { fields: {} }

/** Claude's `thinking` and `output_config.effort`, Nova's `reasoningConfig`, OpenAI's `reasoning_effort`. */
function encodeReasoning(request: ChatRequest, context: CodecContext): Reasoning {
  const family = modelFamily(context.family)
  if (family === 'anthropic') return claudeReasoning(request, context)
  reportBetas(context)
  reportUnsupported('thinking_budget', request.thinking_budget, context)
  if (family === 'openai' && request.reasoning_effort != null)
    return { fields: { reasoning_effort: request.reasoning_effort } }
  if (!asksFor(request, 'reasoning_effort')) return nothing
  if (family === 'nova' && isReasoningNova(context.family)) {
    const reasoningConfig = { type: 'enabled', maxReasoningEffort: novaEffort(request) }
    return { fields: { reasoningConfig } }
  }
  context.leftOut('reasoning_effort')
  return nothing
}

function novaEffort({ reasoning_effort: effort }: ChatRequest): string {
  if (effort === 'minimal' || effort === 'low') return 'low'
  return effort === 'medium' ? 'medium' : 'high'
}

function claudeReasoning(request: ChatRequest, context: CodecContext): Reasoning {
  const model = claudeModel(context.family)
  const thinking = encodeThinking(request, model, context)
  const betas = takenBetas(askedBetas(context), 'bedrock', context.leftOut)
  return {
    betas,
    fields: {
      ...(betas.length === 0 ? {} : { anthropic_beta: betas }),
      ...(thinking.thinking === undefined ? {} : { thinking: thinking.thinking }),
      ...(thinking.effort === undefined ? {} : { output_config: { effort: thinking.effort } }),
    },
    claude: { context, model, thinking },
  }
}
