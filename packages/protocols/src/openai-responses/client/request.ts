import { type ChatRequest, type Fields, type Message, objectOf, type Tool } from '@sluice/contract'
import { applyFormatDecisions, type FormatDecisions } from '../../decisions.ts'
import type { Reports } from '../../native-target.ts'
import { withoutNull } from '../../neutral-values.ts'
import { pathOfSearch } from '../../search-domains.ts'
import { pathOfServerTool } from '../../tools/offered-server-tools.ts'
import { wrappedChoice, wrappedFormat } from '../tools.ts'
import { asksForCompaction } from './compaction.ts'
import { responseNotFound } from './history.ts'
import { messagesOf } from './messages.ts'
import {
  createFlatNames,
  type FlatNames,
  offeredTools,
  pathOfTool,
  searchPath,
  serverTools,
} from './offered-tools.ts'
import { type ResponsesRequest, ResponsesRequest as ResponsesSchema } from './schema.ts'

const decisions: FormatDecisions<ResponsesRequest> = {
  model: 'sent',
  input: 'sent',
  instructions: 'sent',
  previous_response_id: 'gateway',
  conversation: 'refused',
  background: 'refused',
  background_options: 'hint',
  // Which of an organization's special accesses OpenAI's models answer under.
  access_programs: 'hint',
  store: 'gateway',
  stream: 'sent',
  stream_options: 'gateway',
  include: 'sent',
  max_output_tokens: 'sent',
  // It limits the calls of OpenAI's own tools; chat has no such limit.
  max_tool_calls: 'hint',
  metadata: 'sent',
  parallel_tool_calls: 'sent',
  prompt: 'refused',
  prompt_cache_key: 'sent',
  prompt_cache_options: 'hint',
  prompt_cache_retention: 'hint',
  image: 'hint',
  reasoning: 'sent',
  safety_identifier: 'sent',
  service_tier: 'sent',
  temperature: 'sent',
  text: 'sent',
  tool_choice: 'sent',
  tools: 'sent',
  top_logprobs: 'sent',
  top_p: 'sent',
  truncation: 'hint',
  context_management: 'refused',
  moderation: 'refused',
  user: 'sent',
}

/** Only a schema has further fields. */
function reportFormatFields(format: unknown, { leftOut }: Reports): void {
  for (const [name, value] of Object.entries(objectOf(format)))
    if (name !== 'type' && value != null) leftOut(`text.format.${name}`)
}

const noBackground =
  'This gateway does not run responses in the background: what one costs would be known only after its call. Send it without background'

/** A Responses request as the canonical chat request. Throws if it asks for something that chat cannot express. */
export function canonicalOf(request: ResponsesRequest, context: Reports): ChatRequest {
  if (request.background === true) context.unsupported('background', noBackground)
  applyFormatDecisions(ResponsesSchema, request, decisions, context)
  // A known previous response was already replaced by its conversation, so an id that is left is unknown.
  if (request.previous_response_id != null) throw responseNotFound(request.previous_response_id)
  nameIncludes(request, context)
  nameChoiceFields(request, context)
  const { instructions, reasoning, text } = request
  const names = createFlatNames(request)
  const { tools, search, server } = offeredTools(request, context)
  const head = instructions == null ? [] : [{ role: 'system' as const, content: instructions }]
  const format = text?.format == null ? undefined : wrappedFormat(text.format)
  if (format?.type !== 'json_schema') reportFormatFields(text?.format, context)
  const isCompaction = asksForCompaction(request)
  if (isCompaction && format !== undefined) context.leftOut('text.format', 'a summary is a text')
  const messages: Message[] = [...head, ...messagesOf(request.input, names, context)]
  const fields = withoutNull({
    tools: tools.length > 0 ? tools : null,
    web_search_options: isCompaction ? null : search,
    server_tools: isCompaction || server.length === 0 ? null : server.map(({ tool }) => tool),
    tool_choice: isCompaction ? silence(tools) : choiceOf(request, names),
    parallel_tool_calls: request.parallel_tool_calls,
    response_format: isCompaction ? null : format,
    verbosity: text?.verbosity,
    reasoning_effort: reasoning?.effort,
    max_completion_tokens: request.max_output_tokens,
    temperature: request.temperature,
    top_p: request.top_p,
    ...logprobs(request),
    stream: request.stream,
    user: request.user,
    safety_identifier: request.safety_identifier,
    prompt_cache_key: request.prompt_cache_key,
    service_tier: request.service_tier,
    metadata: request.metadata,
  })
  return { ...fields, model: request.model, messages }
}

const choiceFields: ReadonlySet<string> = new Set([
  'type',
  'namespace',
  'mode',
  'tools',
  'function',
  'name',
])

function nameChoiceFields(
  { tool_choice: choice }: ResponsesRequest,
  { leftOut }: Pick<Reports, 'leftOut'>,
): void {
  for (const [name, value] of Object.entries(objectOf(choice)))
    if (!choiceFields.has(name) && value != null) leftOut(`tool_choice.${name}`)
}

function choiceOf({ tool_choice: choice }: ResponsesRequest, names: FlatNames) {
  return choice == null ? null : wrappedChoice(choice, names)
}

/** Tools stay in a request for a summary, because earlier calls need them and the prompt can then be read from the cache. */
function silence(tools: readonly Tool[]) {
  return tools.length > 0 ? 'none' : null
}

const logprobsWanted = 'message.output_text.logprobs'

/** What `include` can ask for: logprobs, and reasoning that can be continued from, which is always included. */
const includable: ReadonlySet<string> = new Set([logprobsWanted, 'reasoning.encrypted_content'])

function nameIncludes({ include }: ResponsesRequest, { leftOut }: Pick<Reports, 'leftOut'>): void {
  for (const [index, word] of (include ?? []).entries())
    if (!includable.has(word)) leftOut(`include[${index}]`)
}

function logprobs({ include, top_logprobs: top }: ResponsesRequest): Fields {
  if (include?.includes(logprobsWanted) !== true) return {}
  return { logprobs: true, top_logprobs: top }
}

/** This format's names of chat's fields. Fields without a counterpart came from the input. */
const params: Readonly<Record<string, string>> = {
  max_completion_tokens: 'max_output_tokens',
  reasoning_effort: 'reasoning.effort',
  verbosity: 'text.verbosity',
  response_format: 'text.format',
  logprobs: 'include',
  messages: 'input',
}

/** The path in this format for a canonical field. Messages are assembled from items, so their indices are not kept. */
export function paramOf(canonical: string, request: ResponsesRequest): string {
  const name = /^[a-z_]+/.exec(canonical)?.[0] ?? canonical
  if (name === 'messages') return 'input'
  const server = pathOfServerTool(canonical, () => serverTools(request))
  if (server !== undefined) return server
  const search = pathOfSearch(canonical, () => searchPath(request))
  if (search !== undefined) return search
  const rest = canonical.slice(name.length)
  // Tools of namespaces are put into one list. A path in this format is kept.
  const tool =
    /^\[(\d+)\](?!\.(?:tools|type|filters|external))(?:\.(?:function|custom)(?=\.))?(.*)$/.exec(
      rest,
    )
  if (name === 'tools' && tool !== null)
    return pathOfTool(request, Number(tool[1])) + (tool[2] ?? '')
  if (name === 'tool_choice')
    return (
      name + rest.replace('.allowed_tools', '').replace(/\.(?:function|custom)\.name$/, '.name')
    )
  if (name === 'response_format') return `text.format${rest.replace('.json_schema', '')}`
  return `${params[name] ?? name}${rest}`
}
