import { AnyObject, oneOf, optional, Type } from '@sluice/contract'
import type { Static } from 'typebox'

/** A block inside of what a block holds. Its fields are checked when it is read. */
const Innermost = Type.Object({
  type: Type.Optional(Type.Unknown()),
  text: Type.Optional(Type.Unknown()),
  source: Type.Optional(Type.Unknown()),
  title: Type.Optional(Type.Unknown()),
  context: Type.Optional(Type.Unknown()),
  content: Type.Optional(Type.Unknown()),
  citations: Type.Optional(Type.Unknown()),
  cache_control: Type.Optional(Type.Unknown()),
})

/** The source of an image or document: `base64`, `url`, `text`, `content` or `file`. */
const Source = Type.Object({
  type: Type.String(),
  media_type: Type.Optional(Type.String()),
  data: Type.Optional(Type.String()),
  url: Type.Optional(Type.String()),
  file_id: Type.Optional(Type.String()),
  content: Type.Optional(Type.Union([Type.String(), Type.Array(Innermost)])),
})

const blockFields = {
  type: Type.String({ minLength: 1 }),
  text: Type.Optional(Type.String()),
  source: Type.Optional(Type.Union([Type.String(), Source])),
  id: Type.Optional(Type.String({ minLength: 1 })),
  name: Type.Optional(Type.String({ minLength: 1 })),
  input: Type.Optional(AnyObject),
  tool_use_id: Type.Optional(Type.String()),
  is_error: optional(Type.Boolean()),
  thinking: Type.Optional(Type.String()),
  signature: optional(Type.String()),
  data: Type.Optional(Type.String()),
  tool_name: optional(Type.String()),
  /** The toolset of a call, and of its result. */
  toolset_name: optional(Type.String()),
  tabs: optional(Type.Array(AnyObject)),
  state_changes: optional(Type.Array(AnyObject)),
  title: optional(Type.String()),
  context: optional(Type.String()),
  citations: optional(Type.Union([AnyObject, Type.Array(AnyObject)])),
  cache_control: optional(AnyObject),
}

const InnerBlock = Type.Object({
  ...blockFields,
  content: Type.Optional(Type.Union([Type.String(), Type.Array(Innermost), AnyObject])),
})

/**
 * A content block of any kind. The fields of each kind are checked when it is read, because an upstream of this format may
 * support kinds unknown to the gateway.
 */
export const Block = Type.Object({
  ...blockFields,
  content: Type.Optional(Type.Union([Type.String(), Type.Array(InnerBlock), AnyObject])),
})
export type Block = Static<typeof Block>

/** Only some models support `system` inside a conversation; the gateway accepts it for all upstreams. */
const Message = Type.Object({
  role: oneOf(['user', 'assistant', 'system']),
  content: Type.Union([Type.String(), Type.Array(Block)]),
})
export type Message = Static<typeof Message>

const SystemText = Type.Object({
  type: Type.Literal('text'),
  text: Type.String(),
  cache_control: optional(AnyObject),
})

/** A tool of the caller (`custom` or no type), or one of Anthropic's own, identified by a dated type. */
const Tool = Type.Object({
  type: optional(Type.String()),
  name: Type.Optional(Type.String({ minLength: 1, maxLength: 128 })),
  description: optional(Type.String()),
  input_schema: optional(AnyObject),
  strict: optional(Type.Boolean()),
  defer_loading: optional(Type.Boolean()),
  input_examples: optional(Type.Array(Type.Unknown())),
  allowed_callers: optional(Type.Array(Type.String())),
  cache_control: optional(AnyObject),
  /** For Anthropic's web search. */
  max_uses: optional(Type.Integer()),
  allowed_domains: optional(Type.Array(Type.String())),
  blocked_domains: optional(Type.Array(Type.String())),
  user_location: optional(AnyObject),
  /** For Anthropic's text editor and computer. */
  max_characters: optional(Type.Integer()),
  display_width_px: optional(Type.Integer()),
  display_height_px: optional(Type.Integer()),
  display_number: optional(Type.Integer()),
  enable_zoom: optional(Type.Boolean()),
  /** For Anthropic's toolsets. */
  configs: optional(AnyObject),
})
export type Tool = Static<typeof Tool>

const ToolChoice = Type.Object({
  type: oneOf(['auto', 'any', 'tool', 'none']),
  name: Type.Optional(Type.String()),
  disable_parallel_tool_use: optional(Type.Boolean()),
})

const Thinking = Type.Object({
  type: oneOf(['enabled', 'disabled', 'adaptive', 'between_tools']),
  budget_tokens: Type.Optional(Type.Integer({ minimum: 1024 })),
  display: optional(oneOf(['summarized', 'omitted'])),
})

const promptFields = {
  model: Type.String({ minLength: 1 }),
  /** Empty only if a thread goes on where it stopped. */
  messages: Type.Array(Message, { maxItems: 100_000 }),
  system: optional(Type.Union([Type.String(), Type.Array(SystemText)])),
  tools: optional(Type.Array(Tool)),
  tool_choice: optional(ToolChoice),
  thinking: optional(Thinking),
  output_config: optional(
    Type.Object({
      effort: optional(oneOf(['low', 'medium', 'high', 'xhigh', 'max'])),
      format: optional(Type.Object({ type: Type.Literal('json_schema'), schema: AnyObject })),
    }),
  ),
  /** The name of `output_config.format` during its beta. */
  output_format: optional(AnyObject),
  mcp_servers: optional(Type.Array(Type.Unknown())),
  /** A conversation that Anthropic keeps (beta message-threads-2026-08-12). */
  thread: optional(Type.Unknown()),
  /** Who pays, and where (betas of the Messages API). */
  billing_policy: optional(Type.Unknown()),
  speed: optional(Type.String()),
  cache_control: optional(AnyObject),
  context_management: optional(Type.Unknown()),
  compaction: optional(Type.Unknown()),
}

/** The body of `POST /v1/messages` (Messages API reference, Create a Message). */
export const MessagesRequest = Type.Object({
  ...promptFields,
  /** 0 only fills the prompt cache, which only upstreams of this format support. */
  max_tokens: Type.Integer({ minimum: 0 }),
  temperature: optional(Type.Number({ minimum: 0, maximum: 1 })),
  top_p: optional(Type.Number({ minimum: 0, maximum: 1 })),
  top_k: optional(Type.Integer({ minimum: 0 })),
  stop_sequences: optional(Type.Array(Type.String())),
  stream: optional(Type.Boolean()),
  metadata: optional(Type.Object({ user_id: optional(Type.String()) })),
  service_tier: optional(oneOf(['auto', 'standard_only'])),
  container: optional(Type.Union([Type.String(), AnyObject])),
  inference_geo: optional(Type.String()),
  diagnostics: optional(Type.Unknown()),
  fallbacks: optional(Type.Unknown()),
  fallback_credit_token: optional(Type.Unknown()),
})
export type MessagesRequest = Static<typeof MessagesRequest>

/** The body of `POST /v1/messages/count_tokens` (Messages API reference, Count tokens in a Message). */
export const CountTokensRequest = Type.Object(promptFields)
export type CountTokensRequest = Static<typeof CountTokensRequest>

/** The response of `POST /v1/messages/count_tokens`. */
export const CountTokensReply = Type.Object({ input_tokens: Type.Integer() })

/** The response of `POST /v1/messages` (Messages API reference, Message). */
export const MessagesReply = Type.Object({
  id: Type.String(),
  type: Type.Literal('message'),
  role: Type.Literal('assistant'),
  model: Type.String(),
  content: Type.Array(Type.Object({ type: Type.String() })),
  stop_reason: Type.Union([
    oneOf(['end_turn', 'max_tokens', 'stop_sequence', 'tool_use', 'refusal']),
    Type.Null(),
  ]),
  stop_sequence: Type.Union([Type.String(), Type.Null()]),
  stop_details: Type.Union([AnyObject, Type.Null()]),
  usage: Type.Object({
    /** Without tokens read from or written to the cache. */
    input_tokens: Type.Integer(),
    cache_creation_input_tokens: Type.Integer(),
    /** By retention time; absent if nothing was written. */
    cache_creation: Type.Optional(
      Type.Object({
        ephemeral_5m_input_tokens: Type.Integer(),
        ephemeral_1h_input_tokens: Type.Integer(),
      }),
    ),
    cache_read_input_tokens: Type.Integer(),
    /** Includes thinking. */
    output_tokens: Type.Integer(),
    output_tokens_details: Type.Optional(Type.Object({ thinking_tokens: Type.Integer() })),
    service_tier: Type.Optional(Type.String()),
  }),
})
