import { reportUnsupported } from '@sluice/protocols/report-unsupported.ts'
import { allowedTools } from '@sluice/protocols/tools/tool-choice.ts'
import { type ChatRequest, invalidRequest, objectOf, textOf } from '@sluice/contract'
import { applyDecisions, asksFor, type Decisions } from '@sluice/protocols/decisions.ts'
import { reportLostReasoning } from '@sluice/protocols/lost-reasoning.ts'
import { withCallersFunctions } from '@sluice/protocols/tools/callers-tools.ts'
import { usualChat } from '@sluice/protocols/usual-decisions.ts'
import type { AiSdkContext } from './context.ts'
import type { CallOptions, UrlPatterns } from './model.ts'
import { keptReasoning, pathOfPlainReasoning, promptOf } from './prompt.ts'

/** Which request fields the specification can express. */
const decisions: Decisions<'chat'> = {
  ...usualChat,
  n: 'refused',
  presence_penalty: 'sent',
  frequency_penalty: 'sent',
  logprobs: 'refused',
  top_logprobs: 'refused',
  user: 'hint',
  safety_identifier: 'hint',
  parallel_tool_calls: 'hint',
  seed: 'sent',
  modalities: 'refused',
  audio: 'refused',
  web_search_options: 'refused',
  server_tools: 'refused',
  service_tier: 'hint',
  thinking_budget: 'hint',
  cache_control: 'hint',
}

/** A chat request as call options of a language model. */
export async function callOptions(
  given: ChatRequest,
  urls: UrlPatterns,
  context: AiSdkContext,
): Promise<CallOptions> {
  const request = withCallersFunctions(given, () => false, context)
  applyDecisions('chat', request, decisions, context)
  reportLostReasoning(request, keptReasoning, context)
  const options = {
    maxOutputTokens: request.max_completion_tokens,
    temperature: request.temperature,
    topP: request.top_p,
    topK: asksFor(request, 'top_k') ? request.top_k : null,
    presencePenalty: asksFor(request, 'presence_penalty') ? request.presence_penalty : null,
    frequencyPenalty: asksFor(request, 'frequency_penalty') ? request.frequency_penalty : null,
    seed: request.seed,
    stopSequences: request.stop?.length ? request.stop : null,
    reasoning: request.reasoning_effort,
    responseFormat: responseFormat(request),
    ...toolOptions(request),
  }
  return {
    prompt: await promptOf(request, urls, context),
    abortSignal: context.signal,
    ...Object.fromEntries(Object.entries(options).filter(([, value]) => value != null)),
  }
}

function responseFormat({ response_format: format }: ChatRequest): object | null {
  if (format == null || format.type === 'text') return null
  if (format.type === 'json_object') return { type: 'json' }
  const { schema, name, description } = format.json_schema
  return { type: 'json', schema, name, ...(description == null ? {} : { description }) }
}

function toolOptions(request: ChatRequest): object {
  const { tool_choice: choice } = request
  const allowed = allowedTools(choice)
  const tools = (request.tools ?? []).flatMap((tool) => {
    if (tool.function === undefined) return []
    const { name, description, parameters, strict } = tool.function
    if (allowed !== undefined && !allowed.has(name)) return []
    return [
      {
        type: 'function',
        name,
        ...(description == null ? {} : { description }),
        inputSchema: parameters ?? { type: 'object', properties: {} },
        ...(strict == null ? {} : { strict }),
      },
    ]
  })
  return tools.length === 0 ? {} : { tools, toolChoice: toolChoice(choice) }
}

function toolChoice(choice: ChatRequest['tool_choice']): object | null {
  if (choice == null) return null
  if (typeof choice === 'string') return { type: choice }
  if (choice.type === 'allowed_tools') return { type: choice.allowed_tools?.mode ?? 'auto' }
  const name = (choice.function ?? choice.custom)?.name
  if (name === undefined) throw invalidRequest('tool_choice names no tool', 'tool_choice')
  return { type: 'tool', toolName: name }
}

/** This gateway's names of the features that models warn about. */
const features: Readonly<Record<string, keyof ChatRequest>> = {
  maxOutputTokens: 'max_completion_tokens',
  temperature: 'temperature',
  topP: 'top_p',
  topK: 'top_k',
  presencePenalty: 'presence_penalty',
  frequencyPenalty: 'frequency_penalty',
  seed: 'seed',
  stopSequences: 'stop',
  responseFormat: 'response_format',
  reasoning: 'reasoning_effort',
  toolChoice: 'tool_choice',
}

/**
 * Reports what a model left out of the request as unsupported. A package learns this only during the call, so a refusal may
 * come after it.
 */
export function refuseWarned(
  warnings: readonly unknown[],
  request: ChatRequest,
  context: AiSdkContext,
): void {
  for (const warning of warnings) {
    const { type, feature, details, message } = objectOf(warning)
    if (type === 'other') reportPlainReasoning(request, context, textOf(message))
    if (type !== 'unsupported' || typeof feature !== 'string') continue
    const field = features[feature]
    const reason = typeof details === 'string' ? details : undefined
    if (field === undefined) context.unsupported(feature, reason)
    else reportUnsupported(field, request[field], context, reason)
  }
}

/** Packages say in words alone that they leave out the reasoning of another provider, so any such warning counts as that. */
function reportPlainReasoning(
  request: ChatRequest,
  { leftOut }: Pick<AiSdkContext, 'leftOut'>,
  reason: string,
): void {
  const path = pathOfPlainReasoning(request)
  if (path !== undefined) leftOut(path, reason)
}
