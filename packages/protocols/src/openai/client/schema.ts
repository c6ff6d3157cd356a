import {
  AnswerMessage,
  AnyObject,
  ChatChunk,
  ChatDelta,
  ChatReply,
  ChatRequest,
  CompleteRequest,
  ContentPart,
  finishReasons,
  Message,
  messageRoles,
  oneOf,
  optional,
  ServerToolCall,
  StopSequences,
  Tool,
  ToolCall,
  Type,
} from '@sluice/contract'
import type { Static, TObject, TProperties } from 'typebox'

const Stop = Type.Union([Type.String(), StopSequences])

/** The single call that a response could contain before there were tools. */
const FunctionCall = Type.Object({ name: Type.String(), arguments: Type.String() })

/**
 * The object with null allowed for every optional field, because clients that send back what they received leave such fields
 * in. The types describe what remains after `withoutNullFields`.
 */
function nullable<P extends TProperties>(object: TObject<P>): TObject<P> {
  const required: ReadonlySet<unknown> = new Set((object.required as undefined | string[]) ?? [])
  const fields = Object.entries(object.properties as TProperties).map(([name, schema]) => [
    name,
    required.has(name) ? schema : optional(schema),
  ])
  // The same fields; only null is allowed in addition.
  return Type.Object(Object.fromEntries(fields)) as unknown as TObject<P>
}

/**
 * A part of a message. `thinking` comes from the responses of Mistral's models, and callers send it back. Parts of other types are
 * those of some servers, which get them unchanged; no other target takes them.
 */
const ChatCompletionPart = Type.Object({
  ...nullable(ContentPart).properties,
  type: Type.String(),
  thinking: Type.Optional(Type.Unknown()),
})

const ChatCompletionMessage = Type.Object({
  ...Message.properties,
  content: Type.Optional(Type.Union([Type.String(), Type.Array(ChatCompletionPart), Type.Null()])),
  tool_calls: optional(Type.Array(nullable(ToolCall))),
  role: oneOf([...messageRoles, 'function']),
  function_call: optional(FunctionCall),
  reasoning: Type.Optional(Type.Unknown()),
  /** Images of an earlier response. */
  images: optional(Type.Array(AnyObject)),
  /** Reasoning of an earlier response, see message-state.ts. */
  extra_content: Type.Optional(Type.Unknown()),
  reasoning_details: Type.Optional(Type.Unknown()),
  /** Citations of an earlier response. */
  file_citations: Type.Optional(Type.Unknown()),
  /** From an earlier response; described to the model as text. */
  server_tool_calls: optional(Type.Array(ServerToolCall)),
})
/** After its thinking parts were removed. */
export type ChatCompletionMessage = Omit<Static<typeof ChatCompletionMessage>, 'content'> &
  Pick<Message, 'content'>

const { server_tools: _, ...fields } = ChatRequest.properties

/**
 * A chat request in the form of OpenAI's clients (contract, ChatCompletionRequest): the canonical form, the fields that OpenAI
 * has deprecated, and a schema with a name or, as the contract has it, without one.
 */
export const ChatCompletionRequest = Type.Object({
  ...fields,
  messages: Type.Array(ChatCompletionMessage, { minItems: 1 }),
  /** Tools that a provider runs have that provider's types, or none. */
  tools: optional(
    Type.Array(Type.Object({ ...Tool.properties, type: Type.Optional(Type.String()) }), {
      maxItems: 128,
    }),
  ),
  stop: optional(Stop),
  max_tokens: optional(Type.Integer({ minimum: 1 })),
  functions: optional(Type.Array(AnyObject, { minItems: 1, maxItems: 128 })),
  /** OpenRouter's field, in any form. What the gateway recognizes in it says how much to think and whether to show it. */
  reasoning: Type.Optional(Type.Unknown()),
  /** Anthropic's field, handled in the same way. */
  thinking: Type.Optional(Type.Unknown()),
  function_call: optional(
    Type.Union([oneOf(['none', 'auto']), Type.Object({ name: Type.String() })]),
  ),
  response_format: optional(
    Type.Object({
      type: oneOf(['text', 'json_object', 'json_schema']),
      json_schema: optional(AnyObject),
    }),
  ),
})
export type ChatCompletionRequest = Static<typeof ChatCompletionRequest>

const choice = ChatReply.properties.choices.items.properties
const delta = ChatChunk.properties.choices.items.properties
const FinishReason = oneOf([...finishReasons, 'function_call'])

/** What responses contain beyond OpenAI's fields, each in the form of those who defined it (message-state.ts). */
const stateFields = {
  /** Anthropic's blocks (LiteLLM). */
  thinking_blocks: Type.Optional(
    Type.Array(
      Type.Union([
        Type.Object({
          type: Type.Literal('thinking'),
          thinking: Type.String(),
          signature: Type.Optional(Type.String()),
        }),
        Type.Object({ type: Type.Literal('redacted_thinking'), data: Type.String() }),
      ]),
    ),
  ),
  /** The signature of Gemini's text (Google). */
  extra_content: Type.Optional(AnyObject),
  /** All other reasoning that must be sent back (OpenRouter). */
  reasoning_details: Type.Optional(Type.Array(AnyObject)),
  /** Citations of anything but pages. */
  file_citations: Type.Optional(Type.Array(AnyObject)),
  /** Images that a model made, as data URLs (OpenRouter, LiteLLM). */
  images: Type.Optional(
    Type.Array(
      Type.Object({
        type: Type.Literal('image_url'),
        image_url: Type.Object({ url: Type.String() }),
        index: Type.Integer(),
      }),
    ),
  ),
}

const { text_places: _places, ...answerFields } = AnswerMessage.properties

/** The response, for the OpenAPI document. Callers that sent `functions` read `function_call` in it. */
export const ChatCompletion = Type.Object({
  ...ChatReply.properties,
  choices: Type.Array(
    Type.Object({
      ...choice,
      message: Type.Object({
        ...answerFields,
        ...stateFields,
        function_call: Type.Optional(FunctionCall),
      }),
      finish_reason: FinishReason,
    }),
  ),
})

export const ChatCompletionChunk = Type.Object({
  ...ChatChunk.properties,
  choices: Type.Array(
    Type.Object({
      ...delta,
      delta: Type.Object({
        ...ChatDelta.properties,
        ...stateFields,
        function_call: Type.Optional(Type.Partial(FunctionCall)),
      }),
      finish_reason: Type.Union([FinishReason, Type.Null()]),
    }),
  ),
})

/** A text completion request in the form of OpenAI's clients: a single stop sequence may be given without a list. */
export const CompletionRequest = Type.Object({
  ...CompleteRequest.properties,
  stop: optional(Stop),
})
export type CompletionRequest = Static<typeof CompletionRequest>
