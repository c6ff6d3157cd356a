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
  Tool,
  ToolCall,
  Type,
} from '@sluice/contract'
import type { Static, TObject, TProperties } from 'typebox'

const Stop = Type.Union([Type.String(), Type.Array(Type.String(), { maxItems: 4 })])

/** The one call that an answer could hold before there were tools. */
const FunctionCall = Type.Object({ name: Type.String(), arguments: Type.String() })

/**
 * The object with null allowed for every field that may be absent: clients that send back what they were given leave
 * such fields in. The types say what remains once `withoutNullFields` took them out.
 */
function nullable<P extends TProperties>(object: TObject<P>): TObject<P> {
  const required: ReadonlySet<unknown> = new Set((object.required as undefined | string[]) ?? [])
  const fields = Object.entries(object.properties as TProperties).map(([name, schema]) => [
    name,
    required.has(name) ? schema : optional(schema),
  ])
  // The same fields, none of which became another.
  return Type.Object(Object.fromEntries(fields)) as unknown as TObject<P>
}

/** A part of a message; `thinking` is how Mistral's models answer, and comes back from their callers. */
const ChatCompletionPart = Type.Object({
  ...nullable(ContentPart).properties,
  type: Type.Union([ContentPart.properties.type, Type.Literal('thinking')]),
  thinking: Type.Optional(Type.Unknown()),
})

const ChatCompletionMessage = Type.Object({
  ...Message.properties,
  content: Type.Optional(Type.Union([Type.String(), Type.Array(ChatCompletionPart), Type.Null()])),
  tool_calls: optional(Type.Array(nullable(ToolCall))),
  role: oneOf([...messageRoles, 'function']),
  function_call: optional(FunctionCall),
  reasoning: Type.Optional(Type.Unknown()),
  /** Pictures of an earlier answer. */
  images: optional(Type.Array(AnyObject)),
  /** Of an earlier answer: told to the model in words. */
  server_tool_calls: optional(Type.Array(ServerToolCall)),
})
/** Once its parts of thinking were taken out. */
export type ChatCompletionMessage = Omit<Static<typeof ChatCompletionMessage>, 'content'> &
  Pick<Message, 'content'>

const { server_tools: _, ...fields } = ChatRequest.properties

/**
 * A chat request as OpenAI's clients write it (contract, ChatCompletionRequest): the canonical form, the words that
 * OpenAI has deprecated beside it, and a schema with a name or, as the contract has it, without one.
 */
export const ChatCompletionRequest = Type.Object({
  ...fields,
  messages: Type.Array(ChatCompletionMessage, { minItems: 1 }),
  /** Tools of a provider's own have its types, or none. */
  tools: optional(
    Type.Array(Type.Object({ ...Tool.properties, type: Type.Optional(Type.String()) }), {
      maxItems: 128,
    }),
  ),
  stop: optional(Stop),
  max_tokens: optional(Type.Integer({ minimum: 1 })),
  functions: optional(Type.Array(AnyObject, { minItems: 1, maxItems: 128 })),
  /** OpenRouter's, in whatever form: what the gateway knows in it says how much to think, and whether to show it. */
  reasoning: Type.Optional(Type.Unknown()),
  /** Anthropic's, in the same way. */
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

const { text_places: _places, ...answerFields } = AnswerMessage.properties

/** The answer, for the OpenAPI document: those who asked with functions read `function_call` in it. */
export const ChatCompletion = Type.Object({
  ...ChatReply.properties,
  choices: Type.Array(
    Type.Object({
      ...choice,
      message: Type.Object({
        ...answerFields,
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
        function_call: Type.Optional(Type.Partial(FunctionCall)),
      }),
      finish_reason: Type.Union([FinishReason, Type.Null()]),
    }),
  ),
})

/** A text completion request as OpenAI's clients write it: a single stop sequence may stand alone. */
export const CompletionRequest = Type.Object({
  ...CompleteRequest.properties,
  stop: optional(Stop),
})
export type CompletionRequest = Static<typeof CompletionRequest>
