import { type ChatRequest, type Fields, isObject, objectOf } from '@sluice/contract'
import { closedSchema } from '../claude/closed-schema.ts'
import { claudeModel } from '../claude/model-family.ts'
import { namedSchema } from '../named-schema.ts'
import type { CodecContext } from '../protocol.ts'
import { asksFor, refuseFields } from '../unsupported-fields.ts'
import { encodeMessages } from './messages.ts'
import { modelFamily } from './model-family.ts'
import { encodeReasoning, type Reasoning } from './reasoning.ts'
import { answersByTool, encodeTools } from './tools.ts'

/** A chat request as the body of Converse. */
export function chatBody(request: ChatRequest, context: CodecContext): object {
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
