import { type Static, Type } from 'typebox'
import { checkChat } from './chat-check.ts'
import { Message, ServerToolCall, ToolCall } from './chat-message.ts'
import { ChatRequest } from './chat-request.ts'
import { operation } from './operation.ts'
import { AnyObject, oneOf, optional } from './schema.ts'
import { ChatUsage } from './usage-shape.ts'

const TopLogprob = Type.Object({
  token: Type.String(),
  logprob: Type.Number(),
  bytes: Type.Union([Type.Array(Type.Integer()), Type.Null()]),
})
const TokenLogprob = Type.Object({
  ...TopLogprob.properties,
  top_logprobs: Type.Optional(Type.Array(TopLogprob)),
})
export type TokenLogprob = Static<typeof TokenLogprob>

export const ChoiceLogprobs = Type.Object({
  content: Type.Union([Type.Array(TokenLogprob), Type.Null()]),
  refusal: Type.Union([Type.Array(TokenLogprob), Type.Null()]),
})
export type ChoiceLogprobs = Static<typeof ChoiceLogprobs>

export const finishReasons = ['stop', 'length', 'tool_calls', 'content_filter'] as const
const FinishReason = oneOf(finishReasons)
export type FinishReason = Static<typeof FinishReason>

/** The assistant's message in a response, with OpenAI's required keys, and null for those that do not apply. */
export const AnswerMessage = Type.Object({
  role: Type.Literal('assistant'),
  content: Type.Union([Type.String(), Type.Null()]),
  refusal: Type.Union([Type.String(), Type.Null()]),
  reasoning_content: optional(Type.String()),
  thinking_blocks: Type.Optional(Message.properties.thinking_blocks),
  tool_calls: Type.Optional(Type.Array(ToolCall)),
  /**
   * Where the text continues after calls: from which character of `content`, and after how many of `tool_calls`. Absent if all
   * of the text comes before the calls. Chat completions themselves do not order the two, so their own clients do not get this
   * field.
   */
  text_places: Type.Optional(
    Type.Array(
      Type.Object({
        start: Type.Integer({ minimum: 0 }),
        calls: Type.Integer({ minimum: 1 }),
      }),
    ),
  ),
  annotations: Type.Optional(Type.Array(AnyObject)),
  server_tool_calls: Type.Optional(Type.Array(ServerToolCall)),
  audio: optional(
    Type.Object({
      id: Type.String(),
      expires_at: Type.Integer(),
      data: Type.String(),
      transcript: Type.String(),
    }),
  ),
  /** Images that a model made, as data URLs (OpenRouter's form). */
  images: Type.Optional(
    Type.Array(
      Type.Object({
        type: Type.Literal('image_url'),
        image_url: Type.Object({ url: Type.String() }),
      }),
    ),
  ),
})
export type AnswerMessage = Static<typeof AnswerMessage>

export const ChatReply = Type.Object({
  id: Type.String(),
  object: Type.Literal('chat.completion'),
  created: Type.Integer(),
  model: Type.String(),
  choices: Type.Array(
    Type.Object({
      index: Type.Integer(),
      message: AnswerMessage,
      finish_reason: FinishReason,
      logprobs: Type.Union([ChoiceLogprobs, Type.Null()]),
      /** The sequence that stopped the model, if the upstream reports it (Anthropic). */
      stop_sequence: optional(Type.String()),
    }),
  ),
  usage: ChatUsage,
  system_fingerprint: Type.Union([Type.String(), Type.Null()]),
  service_tier: optional(Type.String()),
})
export type ChatReply = Static<typeof ChatReply>

/** A piece of a tool call. `index` is its slot; the first piece carries id, type and name. */
export const ToolCallDelta = Type.Object({
  index: Type.Integer(),
  id: Type.Optional(Type.String()),
  type: Type.Optional(oneOf(['function', 'custom'])),
  function: Type.Optional(
    Type.Object({
      name: Type.Optional(Type.String()),
      arguments: Type.Optional(Type.String()),
    }),
  ),
  custom: Type.Optional(
    Type.Object({ name: Type.Optional(Type.String()), input: Type.Optional(Type.String()) }),
  ),
  extra_content: optional(AnyObject),
})
export type ToolCallDelta = Static<typeof ToolCallDelta>

export const ChatDelta = Type.Object({
  role: Type.Optional(Type.Literal('assistant')),
  content: optional(Type.String()),
  refusal: optional(Type.String()),
  reasoning_content: optional(Type.String()),
  /** Complete blocks, each sent once; their text was sent as reasoning_content before. */
  thinking_blocks: Type.Optional(Message.properties.thinking_blocks),
  tool_calls: Type.Optional(Type.Array(ToolCallDelta)),
  audio: Type.Optional(AnyObject),
  images: AnswerMessage.properties.images,
  annotations: Type.Optional(Type.Array(AnyObject)),
  /** Complete calls, each sent once when its result is known. */
  server_tool_calls: AnswerMessage.properties.server_tool_calls,
})
export type ChatDelta = Static<typeof ChatDelta>

/** One streamed chunk (OpenAI API, CreateChatCompletionStreamResponse). The usage is sent separately, as a Step. */
export const ChatChunk = Type.Object({
  id: Type.String(),
  object: Type.Literal('chat.completion.chunk'),
  created: Type.Integer(),
  model: Type.String(),
  choices: Type.Array(
    Type.Object({
      index: Type.Integer(),
      delta: ChatDelta,
      finish_reason: Type.Union([FinishReason, Type.Null()]),
      logprobs: optional(ChoiceLogprobs),
      stop_sequence: optional(Type.String()),
    }),
  ),
  system_fingerprint: optional(Type.String()),
  service_tier: optional(Type.String()),
  usage: optional(ChatUsage),
})
export type ChatChunk = Static<typeof ChatChunk>

export const chat = operation({
  summary: 'Create a chat completion',
  tag: 'Chat',
  method: 'POST',
  paths: ['/v1/chat/completions'],
  body: 'json',
  request: ChatRequest,
  reply: ChatReply,
  event: ChatChunk,
  check: checkChat,
  example: {
    model: 'builtin-chat',
    messages: [{ role: 'user', content: 'What is 6 times 7?' }],
  },
})
