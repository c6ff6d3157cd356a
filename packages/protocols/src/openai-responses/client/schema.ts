import {
  AnyObject,
  type Fields,
  invalidRequest,
  isObject,
  missingParameter,
  objectOf,
  oneOf,
  optional,
  reasoningEfforts,
  Type,
} from '@sluice/contract'
import type { Static } from 'typebox'

/** A part of an input message, of a tool's output or of the response (OpenAI API, InputContent and OutputContent). */
const ContentItem = Type.Object({
  type: Type.String(),
  text: optional(Type.String()),
  refusal: optional(Type.String()),
  image_url: optional(Type.String()),
  detail: optional(oneOf(['low', 'high', 'auto', 'original'])),
  file_id: optional(Type.String()),
  file_data: optional(Type.String()),
  file_url: optional(Type.String()),
  filename: optional(Type.String()),
  input_audio: optional(Type.Object({ data: Type.String(), format: oneOf(['wav', 'mp3']) })),
})
export type ContentItem = Static<typeof ContentItem>

/** The output of a computer (OpenAI API, ComputerScreenshotImage). */
const Screenshot = Type.Object({
  type: oneOf(['computer_screenshot']),
  image_url: optional(Type.String()),
  file_id: optional(Type.String()),
})

/** The output of one command of a shell (OpenAI API, FunctionShellCallOutputContent). */
const CommandOutput = Type.Object({
  type: Type.Optional(Type.Never()),
  stdout: Type.String(),
  stderr: Type.String(),
  outcome: optional(AnyObject),
  created_by: optional(Type.String()),
})

/** Further fields of the items of tools that OpenAI defined and the caller runs. */
const callersFields = {
  actions: optional(Type.Array(AnyObject)),
  operation: optional(AnyObject),
  environment: optional(AnyObject),
  max_output_length: optional(Type.Integer()),
  pending_safety_checks: optional(Type.Array(AnyObject)),
}

/** Further fields of the items of OpenAI's own tools. */
const serverFields = {
  action: optional(AnyObject),
  code: optional(Type.String()),
  container_id: optional(Type.String()),
  outputs: optional(Type.Array(AnyObject)),
  queries: optional(Type.Array(Type.String())),
  results: optional(Type.Array(AnyObject)),
  server_label: optional(Type.String()),
  error: optional(Type.Union([Type.String(), AnyObject])),
}

/** One item of the input. A message may omit its `type` (OpenAI API, InputItem). */
export const InputItem = Type.Object({
  type: optional(Type.String()),
  id: optional(Type.String()),
  role: optional(oneOf(['user', 'assistant', 'system', 'developer'])),
  content: optional(Type.Union([Type.String(), Type.Array(ContentItem)])),
  call_id: optional(Type.String()),
  name: optional(Type.String()),
  namespace: optional(Type.String()),
  /** An object in a search for tools. */
  arguments: optional(Type.Union([Type.String(), AnyObject])),
  execution: optional(Type.String()),
  tools: optional(Type.Array(AnyObject)),
  input: optional(Type.String()),
  output: optional(
    Type.Union([Type.String(), Type.Array(Type.Union([ContentItem, CommandOutput])), Screenshot]),
  ),
  ...serverFields,
  ...callersFields,
  summary: optional(Type.Array(Type.Object({ type: Type.String(), text: Type.String() }))),
  encrypted_content: optional(Type.String()),
  status: optional(Type.String()),
  result: optional(Type.String()),
  output_format: optional(Type.String()),
})
export type InputItem = Static<typeof InputItem>

const toolFields = {
  type: Type.String(),
  name: Type.Optional(Type.String()),
  description: optional(Type.String()),
  parameters: optional(AnyObject),
  strict: optional(Type.Boolean()),
  format: optional(AnyObject),
}

/** A tool of the caller, a namespace of such tools, or web search; other tools run at OpenAI itself. */
const ResponseTool = Type.Object({
  ...toolFields,
  tools: optional(Type.Array(Type.Object(toolFields))),
  execution: optional(Type.String()),
  /** Where a shell is, and whose computer it is. */
  environment: optional(Type.Union([Type.String(), AnyObject])),
  display_width: optional(Type.Integer()),
  display_height: optional(Type.Integer()),
  allowed_callers: optional(Type.Array(Type.String())),
  search_context_size: optional(Type.String()),
  user_location: optional(AnyObject),
  external_web_access: optional(Type.Boolean()),
  filters: optional(AnyObject),
  /** The field that holds a function in chat completions. */
  function: optional(AnyObject),
})

const Input = Type.Union([Type.String(), Type.Array(InputItem)])

/** OpenAI API, CreateResponse. */
export const ResponsesRequest = Type.Object({
  model: Type.String({ minLength: 1 }),
  /** May be absent where something stored takes its place (`checkInput`). */
  input: optional(Input),
  instructions: optional(Type.String()),
  previous_response_id: optional(Type.String()),
  conversation: optional(Type.Union([Type.String(), AnyObject])),
  background: optional(Type.Boolean()),
  background_options: optional(Type.Unknown()),
  access_programs: optional(Type.Unknown()),
  /** Default true: the response can be retrieved and continued. */
  store: optional(Type.Boolean()),
  stream: optional(Type.Boolean()),
  stream_options: optional(Type.Object({ include_obfuscation: optional(Type.Boolean()) })),
  include: optional(Type.Array(Type.String())),
  max_output_tokens: optional(Type.Integer({ minimum: 1 })),
  max_tool_calls: optional(Type.Integer({ minimum: 1 })),
  metadata: optional(AnyObject),
  parallel_tool_calls: optional(Type.Boolean()),
  prompt: optional(AnyObject),
  prompt_cache_key: optional(Type.String()),
  prompt_cache_options: optional(Type.Unknown()),
  prompt_cache_retention: optional(Type.String()),
  /** How images of the conversation are kept. */
  image: optional(Type.Unknown()),
  reasoning: optional(
    Type.Object({
      effort: optional(oneOf(reasoningEfforts)),
      summary: optional(oneOf(['auto', 'concise', 'detailed'])),
      generate_summary: optional(oneOf(['auto', 'concise', 'detailed'])),
    }),
  ),
  safety_identifier: optional(Type.String()),
  service_tier: optional(Type.String()),
  temperature: optional(Type.Number({ minimum: 0, maximum: 2 })),
  text: optional(
    Type.Object({
      format: optional(AnyObject),
      verbosity: optional(oneOf(['low', 'medium', 'high'])),
    }),
  ),
  tool_choice: optional(Type.Union([oneOf(['none', 'auto', 'required']), AnyObject])),
  tools: optional(Type.Array(ResponseTool, { maxItems: 128 })),
  top_logprobs: optional(Type.Integer({ minimum: 0, maximum: 20 })),
  top_p: optional(Type.Number({ minimum: 0, maximum: 1 })),
  truncation: optional(oneOf(['auto', 'disabled'])),
  context_management: optional(Type.Unknown()),
  moderation: optional(Type.Unknown()),
  user: optional(Type.String()),
})
/** A request with its input, which is empty where there is none. */
export type ResponsesRequest = Omit<Static<typeof ResponsesRequest>, 'input'> & {
  readonly input: Static<typeof Input>
}

/** A request as the schema has accepted it. */
export function withInput(request: Fields): ResponsesRequest {
  const given = request as Static<typeof ResponsesRequest>
  return given.input == null ? { ...given, input: [] } : (given as ResponsesRequest)
}

/** Refuses a request that has no input and nothing stored in its place (OpenAI API, CreateResponse). */
export function checkInput(request: Fields): void {
  const { input, prompt, conversation, previous_response_id: previous } = request
  conversationIn(request)
  if (conversation != null && previous != null)
    throw invalidRequest(
      "'conversation' cannot be used with 'previous_response_id'",
      'conversation',
    )
  if ([input, prompt, conversation, previous].every((field) => field == null))
    throw missingParameter('input')
}

/** The id of the conversation that a request of Responses names; undefined if it names none. */
export function conversationIn(request: unknown): string | undefined {
  const { conversation } = objectOf(request)
  const id = isObject(conversation) ? conversation['id'] : conversation
  if (typeof id === 'string' && id !== '') return id
  if (isObject(conversation)) throw missingParameter('conversation.id')
  return undefined
}

const {
  model,
  instructions,
  previous_response_id,
  conversation,
  prompt_cache_key,
  prompt_cache_options,
  prompt_cache_retention,
  image,
  service_tier,
  tools,
  tool_choice,
  parallel_tool_calls,
  reasoning,
  text,
  truncation,
} = ResponsesRequest.properties

/**
 * OpenAI API, CompactResponseMethodPublicBody, and the fields that Codex adds from the request whose conversation is
 * compacted.
 */
export const CompactRequest = Type.Object({
  model,
  input: optional(Input),
  instructions,
  previous_response_id,
  prompt_cache_key,
  prompt_cache_retention,
  prompt_cache_options,
  image,
  service_tier,
  tools,
  parallel_tool_calls,
  reasoning,
  text,
})
export type CompactRequest = Static<typeof CompactRequest>

/** OpenAI API, TokenCountsBody. */
export const InputTokensRequest = Type.Object({
  model,
  input: optional(Input),
  instructions,
  previous_response_id,
  conversation,
  tools,
  tool_choice,
  parallel_tool_calls,
  reasoning,
  text,
  truncation,
  /** A style of OpenAI's own models. */
  personality: optional(Type.String()),
})

/** OpenAI API, TokenCountsResource. */
export const InputTokensReply = Type.Object({
  object: Type.Literal('response.input_tokens'),
  input_tokens: Type.Integer(),
})
export type InputTokensReply = Static<typeof InputTokensReply>

const OutputItem = Type.Intersect([
  Type.Object({ id: Type.String(), type: Type.String() }),
  AnyObject,
])
export type OutputItem = { readonly id: string; readonly type: string } & Readonly<
  Record<string, unknown>
>

const nullable = <S extends Parameters<typeof Type.Union>[0][number]>(schema: S) =>
  Type.Union([schema, Type.Null()])

const ResponseUsage = Type.Object({
  input_tokens: Type.Integer(),
  input_tokens_details: Type.Object({
    cached_tokens: Type.Integer(),
    cache_write_tokens: Type.Optional(Type.Integer()),
  }),
  output_tokens: Type.Integer(),
  output_tokens_details: Type.Object({ reasoning_tokens: Type.Integer() }),
  total_tokens: Type.Integer(),
})

/** The Response object (OpenAI API, Response). All keys are present; null means that a key does not apply. */
export const ResponseObject = Type.Object({
  id: Type.String(),
  object: Type.Literal('response'),
  /** In seconds since the epoch. */
  created_at: Type.Integer(),
  completed_at: nullable(Type.Integer()),
  status: oneOf(['completed', 'failed', 'in_progress', 'incomplete']),
  background: Type.Boolean(),
  error: nullable(Type.Object({ code: Type.String(), message: Type.String() })),
  incomplete_details: nullable(
    Type.Object({ reason: oneOf(['max_output_tokens', 'content_filter']) }),
  ),
  instructions: nullable(Type.String()),
  max_output_tokens: nullable(Type.Integer()),
  max_tool_calls: nullable(Type.Integer()),
  model: Type.String(),
  output: Type.Array(Type.Unsafe<OutputItem>(OutputItem)),
  parallel_tool_calls: Type.Boolean(),
  previous_response_id: nullable(Type.String()),
  /** Absent if it belongs to none. */
  conversation: Type.Optional(Type.Object({ id: Type.String() })),
  prompt_cache_key: nullable(Type.String()),
  prompt_cache_retention: nullable(Type.String()),
  reasoning: Type.Object({ effort: nullable(Type.String()), summary: nullable(Type.String()) }),
  safety_identifier: nullable(Type.String()),
  service_tier: nullable(Type.String()),
  store: Type.Boolean(),
  temperature: nullable(Type.Number()),
  text: Type.Object({ format: AnyObject, verbosity: Type.String() }),
  tool_choice: Type.Union([Type.String(), AnyObject]),
  tools: Type.Array(AnyObject),
  top_logprobs: Type.Integer(),
  top_p: nullable(Type.Number()),
  truncation: Type.String(),
  usage: nullable(ResponseUsage),
  user: nullable(Type.String()),
  metadata: AnyObject,
})
export type ResponseObject = Static<typeof ResponseObject>

/** OpenAI API, CompactResource. */
export const CompactReply = Type.Object({
  id: Type.String(),
  object: Type.Literal('response.compaction'),
  /** In seconds since the epoch. */
  created_at: Type.Integer(),
  output: Type.Array(Type.Unsafe<OutputItem>(OutputItem)),
  usage: ResponseUsage,
})
export type CompactReply = Static<typeof CompactReply>
