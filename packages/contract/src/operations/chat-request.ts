import { type Static, Type } from 'typebox'
import { Message, ResponseFormat, ServerTool, Tool, ToolChoice } from './chat-message.ts'
import { AnyObject, oneOf, optional, StopSequences } from './schema.ts'

export const reasoningEfforts = [
  'none',
  'minimal',
  'low',
  'medium',
  'high',
  'xhigh',
  'max',
] as const

/** A web search (OpenAI API, chat; `filters` are those of a Responses tool). */
const WebSearchOptions = Type.Object({
  search_context_size: Type.Optional(Type.Unknown()),
  user_location: optional(
    Type.Object({
      type: Type.Optional(Type.Unknown()),
      approximate: Type.Optional(Type.Unknown()),
    }),
  ),
  filters: optional(
    Type.Object({
      allowed_domains: Type.Optional(Type.Unknown()),
      blocked_domains: Type.Optional(Type.Unknown()),
    }),
  ),
})

/**
 * A chat request in the canonical form: OpenAI's, with one name for each thing. Names that OpenAI has replaced are read by its
 * own client format.
 */
export const ChatRequest = Type.Object({
  model: Type.String({ minLength: 1 }),
  messages: Type.Array(Message, { minItems: 1 }),
  temperature: optional(Type.Number({ minimum: 0, maximum: 2 })),
  top_p: optional(Type.Number({ minimum: 0, maximum: 1 })),
  top_k: optional(Type.Integer({ minimum: 0 })),
  n: optional(Type.Integer({ minimum: 1, maximum: 128 })),
  stream: optional(Type.Boolean()),
  stream_options: optional(
    Type.Object({
      include_usage: optional(Type.Boolean()),
      include_obfuscation: optional(Type.Boolean()),
    }),
  ),
  stop: optional(StopSequences),
  max_completion_tokens: optional(Type.Integer({ minimum: 1 })),
  presence_penalty: optional(Type.Number({ minimum: -2, maximum: 2 })),
  frequency_penalty: optional(Type.Number({ minimum: -2, maximum: 2 })),
  logit_bias: optional(Type.Record(Type.String(), Type.Number({ minimum: -100, maximum: 100 }))),
  logprobs: optional(Type.Boolean()),
  top_logprobs: optional(Type.Integer({ minimum: 0, maximum: 20 })),
  user: optional(Type.String()),
  safety_identifier: optional(Type.String()),
  prompt_cache_key: optional(Type.String()),
  tools: optional(Type.Array(Tool, { maxItems: 128 })),
  /** Filled by client formats with the tools that a provider runs; a caller writes them in `tools`. */
  server_tools: optional(Type.Array(ServerTool, { maxItems: 128 })),
  tool_choice: optional(ToolChoice),
  parallel_tool_calls: optional(Type.Boolean()),
  response_format: optional(ResponseFormat),
  seed: optional(Type.Integer()),
  reasoning_effort: optional(oneOf(reasoningEfforts)),
  verbosity: optional(oneOf(['low', 'medium', 'high'])),
  modalities: optional(Type.Array(oneOf(['text', 'audio', 'image']))),
  audio: optional(
    Type.Object({
      voice: optional(Type.Union([Type.String(), Type.Object({ id: Type.String() })])),
      format: optional(oneOf(['wav', 'aac', 'mp3', 'flac', 'opus', 'pcm16'])),
    }),
  ),
  prediction: optional(AnyObject),
  web_search_options: optional(WebSearchOptions),
  service_tier: optional(Type.String()),
  store: optional(Type.Boolean()),
  metadata: optional(AnyObject),
  /**
   * Anthropic's and Gemini's thinking budget, set by their client formats: in tokens; 0 means off, -1 means the model's
   * choice.
   */
  thinking_budget: optional(Type.Integer({ minimum: -1 })),
})
export type ChatRequest = Static<typeof ChatRequest>
