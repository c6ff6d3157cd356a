import { type ChatRequest, type Fields, type Message, objectOf } from '@sluice/contract'
import { reportBetas } from '../../claude/betas.ts'
import { applyDecisions, type Decisions, withoutFields } from '../../decisions.ts'
import { type ChatFamily, chatFamily, unknownFamily } from '../../families/chat-models.ts'
import { fittedUserIds } from '../../fitted-id.ts'
import { thinkingFields } from '../../openai/upstream/thinking.ts'
import { withoutNull } from '../../neutral-values.ts'
import { reportLostReasoning } from '../../lost-reasoning.ts'
import type { CodecContext } from '../../protocol.ts'
import { sentServerTools } from '../../tools/offered-server-tools.ts'
import { objectDeclaration } from '../../tools/object-schema.ts'
import { openaiChatDecisions } from '../../usual-decisions.ts'
import { flatChoice, flatFormat, flatTool } from '../tools.ts'
import { encodeMessages, keptReasoning } from './messages.ts'

/** The fields that Responses supports and those that it does not. */
const decisions: Decisions<'chat'> = {
  ...openaiChatDecisions,
  web_search_options: 'passed',
  n: 'gateway',
  stop: 'gateway',
  presence_penalty: 'hint',
  frequency_penalty: 'hint',
  logit_bias: 'refused',
  seed: 'hint',
  modalities: 'refused',
  audio: 'refused',
  prediction: 'hint',
}

/**
 * The canonical request as the body of POST /responses. The upstream stores nothing unless the caller asks for it (`store`),
 * so reasoning comes back encrypted and is sent along with the conversation.
 */
export function responsesBody(given: ChatRequest, context: CodecContext): Fields {
  applyDecisions('chat', given, decisions, context)
  reportLostReasoning(given, keptReasoning, context)
  reportBetas(context)
  const family = context.isGateway === true ? unknownFamily : chatFamily(context.family)
  const lacks = ofModels.filter((field) => family.lacks.includes(field))
  // None of these fields is required, so the result is still a request.
  const request = withoutFields(given, lacks, context) as ChatRequest
  const { instructions, messages, first } = splitInstructions(request.messages)
  const include = includes(request, context.family)
  return withoutNull({
    model: context.model,
    instructions,
    input: encodeMessages(messages, first, context),
    ...toolFields(request, context),
    text: textFields(request),
    reasoning: reasoningFields(request, family, context),
    include: include.length > 0 ? include : undefined,
    store: request.store ?? false,
    max_output_tokens: outputLimit(request, context),
    temperature: request.temperature,
    top_p: request.top_p,
    top_logprobs: request.logprobs === true ? request.top_logprobs : undefined,
    stream: request.stream === true ? true : undefined,
    ...streamOptions(request),
    ...fittedUserIds(request),
    service_tier: request.service_tier,
    metadata: request.metadata,
  })
}

/** A system message at the beginning becomes `instructions`. All others keep their places in the input. */
function splitInstructions(messages: readonly Message[]): {
  readonly instructions?: string
  readonly messages: readonly Message[]
  readonly first: number
} {
  const [head, ...rest] = messages
  if (head?.role !== 'system' || rest.length === 0) return { messages, first: 0 }
  const { content } = head
  if (typeof content !== 'string') return { messages, first: 0 }
  return { instructions: content, messages: rest, first: 1 }
}

function toolFields(request: ChatRequest, context: CodecContext): Fields {
  const {
    tools,
    tool_choice: choice,
    parallel_tool_calls: parallel,
    web_search_options: web,
  } = request
  const search = web == null ? [] : [searchTool(web)]
  const own = (tools ?? []).map((tool, index) =>
    objectDeclaration(flatTool(tool), `tools[${index}]`, {
      leftOut: (path, reason) =>
        context.leftOut(path.replace(/(?<=^tools\[\d+\])/, '.function'), reason),
    }),
  )
  const all = [...own, ...search, ...serverTools(request, context)]
  if (all.length === 0) return {}
  return {
    tools: all,
    tool_choice: choice == null ? undefined : flatChoice(choice),
    parallel_tool_calls: parallel,
  }
}

const made = { code_execution: { type: 'code_interpreter', container: { type: 'auto' } } }

/** Requests for approval are not supported, because in another format nobody could respond to them. */
function serverTools(request: ChatRequest, context: CodecContext): readonly Fields[] {
  for (const [index, { api, type, tool }] of (request.server_tools ?? []).entries())
    if (api === 'responses' && type === 'mcp' && tool['require_approval'] !== 'never')
      context.unsupported(
        `server_tools[${index}].require_approval`,
        "Only 'never' can be had here: a call cannot be approved",
      )
  return sentServerTools(request, { api: 'responses', made }, context)
}

function searchTool(options: Fields): Fields {
  const { user_location: location, ...rest } = options
  const { approximate, ...others } = objectOf(location)
  const place =
    location == null
      ? {}
      : { user_location: { ...others, type: 'approximate', ...objectOf(approximate) } }
  return { type: 'web_search', ...rest, ...place }
}

function textFields({ response_format: format, verbosity }: ChatRequest): Fields | undefined {
  if (format == null && verbosity == null) return undefined
  return withoutNull({
    format: format == null ? undefined : flatFormat(format),
    verbosity,
  })
}

/**
 * Fields that a model rejects here as it does in chat completions. The other unsupported fields of its family concern only
 * chat completions.
 */
const ofModels = ['temperature', 'top_p', 'logprobs', 'top_logprobs', 'verbosity'] as const

/** A caller that sets a thinking budget wants to see the thinking. The effort of chat completions alone never shows it. */
function reasoningFields(
  request: ChatRequest,
  family: ChatFamily,
  context: CodecContext,
): Fields | undefined {
  // Here, every model accepts tools together with an effort.
  const place = { family: { ...family, toolsWithoutEffort: false }, context }
  const { reasoning_effort: effort } = thinkingFields(request, place)
  const { thinking_budget: budget } = request
  const visible = budget != null && budget !== 0 && family.efforts?.length !== 0
  if (effort === undefined && !visible) return undefined
  return withoutNull({ effort, summary: visible ? 'auto' : undefined })
}

function includes(request: ChatRequest, model: string): readonly string[] {
  const blocks = request.messages.some(({ thinking_blocks: kept }) =>
    kept?.some(({ type }) => type === 'reasoning'),
  )
  const { reasoning_effort: effort, thinking_budget: budget } = request
  const asked = (effort != null && effort !== 'none') || (budget != null && budget !== 0)
  return [
    ...(blocks || asked || reasons(model) ? ['reasoning.encrypted_content'] : []),
    ...(request.logprobs === true ? ['message.output_text.logprobs'] : []),
    ...resultsOf(request, 'code_execution', 'code_interpreter_call.outputs'),
    ...resultsOf(request, 'file_search', 'file_search_call.results'),
  ]
}

/** The output of a tool is returned only if the request includes it. */
function resultsOf({ server_tools: tools }: ChatRequest, type: string, include: string): string[] {
  return tools?.some((tool) => tool.type === type) === true ? [include] : []
}

/** Models that reason accept a request for encrypted reasoning; all others respond with 400 (OpenAI, reasoning guide). */
function reasons(model: string): boolean {
  return /^(o[1-9]|gpt-([5-9]|\d\d)(?!.*-chat))|codex/.test(model)
}

const outputTokensMin = 16

function outputLimit(request: ChatRequest, context: CodecContext): number | undefined {
  const { max_completion_tokens: limit } = request
  if (limit == null || limit >= outputTokensMin) return limit ?? undefined
  context.unsupported('max_completion_tokens', `at least ${outputTokensMin} is needed here`)
  return undefined
}

function streamOptions({ stream, stream_options: options }: ChatRequest): Fields {
  const obfuscation = options?.include_obfuscation
  if (stream !== true || obfuscation == null) return {}
  return { stream_options: { include_obfuscation: obfuscation } }
}
