import { type Static, Type } from 'typebox'
import { AnyObject, oneOf, optional } from './schema.ts'

const imageDetails = ['low', 'high', 'auto', 'original'] as const

/** The types of parts (contract, MessageContent; `refusal` is OpenAI's, in assistant history). */
export const contentPartTypes = [
  'text',
  'image_url',
  'input_audio',
  'file',
  'video_url',
  'refusal',
] as const

/** A part of a message. */
export const ContentPart = Type.Object({
  type: oneOf(contentPartTypes),
  text: Type.Optional(Type.String()),
  refusal: Type.Optional(Type.String()),
  image_url: Type.Optional(
    Type.Object({ url: Type.String(), detail: optional(oneOf(imageDetails)) }),
  ),
  input_audio: Type.Optional(Type.Object({ data: Type.String(), format: oneOf(['wav', 'mp3']) })),
  file: Type.Optional(
    Type.Object({
      filename: optional(Type.String()),
      file_data: optional(Type.String()),
      file_id: optional(Type.String()),
    }),
  ),
  video_url: Type.Optional(Type.Object({ url: Type.String() })),
  /** Anthropic's cache breakpoint, carried as an extension (wire format of several gateways). */
  cache_control: optional(AnyObject),
})
export type ContentPart = Static<typeof ContentPart>

/** Google's own OpenAI-compatible endpoint carries a signature in `extra_content.google.thought_signature`. */
export const ToolCall = Type.Object({
  id: Type.String(),
  type: Type.Optional(oneOf(['function', 'custom'])),
  function: Type.Optional(Type.Object({ name: Type.String(), arguments: Type.String() })),
  custom: Type.Optional(Type.Object({ name: Type.String(), input: Type.String() })),
  extra_content: optional(AnyObject),
})
export type ToolCall = Static<typeof ToolCall>

/**
 * Reasoning that must go back to its provider unchanged, with its kind. `thinking` and `redacted_thinking` are Anthropic's
 * blocks; `reasoning` is a Responses item; `thought` is a Gemini text part's signature. A codec sends back only its own
 * provider's kinds. Responses to clients have the kinds in the fields of those who defined them.
 */
export const ThinkingBlock = Type.Object({
  type: oneOf(['thinking', 'redacted_thinking', 'reasoning', 'thought']),
  thinking: Type.Optional(Type.String()),
  signature: optional(Type.String()),
  data: Type.Optional(Type.String()),
  id: Type.Optional(Type.String()),
  summary: Type.Optional(Type.Array(Type.String())),
  encrypted_content: optional(Type.String()),
  /** Its place in the message: 0, the default, at the beginning; 1 after the text; 1 + n after n calls. */
  place: Type.Optional(Type.Integer({ minimum: 0 })),
})
export type ThinkingBlock = Static<typeof ThinkingBlock>

/**
 * A call of a tool that the provider ran itself, with its result: an extension of responses, because what a format cannot
 * express would be lost. Such a call is not the caller's, and nobody waits for its result.
 */
export const ServerToolCall = Type.Object({
  id: Type.String(),
  /** `web_search`, `web_fetch`, `file_search`, `code_execution`, `mcp`, or the provider's own name for the tool. */
  type: Type.String(),
  /** The tool's own name: that of a tool of an MCP server, or the provider's name if `type` is another one. */
  name: Type.Optional(Type.String()),
  /** The MCP server. */
  server_label: Type.Optional(Type.String()),
  /** `{query}` or `{queries}`, `{url}`, `{code}`, or the tool's own parameters. */
  input: AnyObject,
  /**
   * `[{url, title}]` of a search, `{stdout, stderr, return_code}` of code, or the tool's own result. Contents that only the
   * provider can read are left out. Absent if the provider does not report it.
   */
  output: Type.Optional(Type.Unknown()),
  is_error: Type.Optional(Type.Boolean()),
})
export type ServerToolCall = Static<typeof ServerToolCall>

export const messageRoles = ['system', 'user', 'assistant', 'tool', 'developer'] as const

/** One message of a conversation (contract, Message). */
export const Message = Type.Object({
  role: oneOf(messageRoles),
  content: Type.Optional(
    Type.Union([Type.String(), Type.Array(ContentPart, { minItems: 1 }), Type.Null()]),
  ),
  name: optional(Type.String()),
  tool_calls: optional(Type.Array(ToolCall)),
  tool_call_id: optional(Type.String()),
  reasoning_content: optional(Type.String()),
  thinking_blocks: optional(Type.Array(ThinkingBlock)),
  refusal: optional(Type.String()),
  audio: optional(Type.Object({ id: Type.String() })),
})
export type Message = Static<typeof Message>

/** Longer and with more characters than any upstream accepts: names are shortened if necessary. */
const functionName = Type.String({ minLength: 1, maxLength: 512 })

/** A function or a free-form tool that the model may call (contract, Tool; `custom` is OpenAI's). */
export const Tool = Type.Object({
  type: oneOf(['function', 'custom']),
  function: Type.Optional(
    Type.Object({
      name: functionName,
      description: optional(Type.String()),
      parameters: optional(AnyObject),
      strict: optional(Type.Boolean()),
    }),
  ),
  custom: Type.Optional(
    Type.Object({
      name: functionName,
      description: optional(Type.String()),
      format: optional(AnyObject),
    }),
  ),
  cache_control: optional(AnyObject),
})
export type Tool = Static<typeof Tool>

/**
 * A tool that a provider runs itself, in the form of its own API, except a web search, for which chat has an option. Tools
 * that several providers offer have the same `type` everywhere: `code_execution`, `web_fetch`.
 */
export const ServerTool = Type.Object({
  type: Type.String(),
  /** The API whose form `tool` has: Anthropic's, Gemini's, Responses, or that of a server that extends chat completions. */
  api: oneOf(['anthropic', 'gemini', 'responses', 'chat']),
  tool: AnyObject,
})
export type ServerTool = Static<typeof ServerTool>

export const ToolChoice = Type.Union([
  oneOf(['none', 'auto', 'required']),
  Type.Object({
    type: oneOf(['function', 'custom', 'allowed_tools']),
    function: Type.Optional(Type.Object({ name: Type.String() })),
    custom: Type.Optional(Type.Object({ name: Type.String() })),
    allowed_tools: Type.Optional(
      Type.Object({ mode: oneOf(['auto', 'required']), tools: Type.Array(AnyObject) }),
    ),
  }),
])
export type ToolChoice = Static<typeof ToolChoice>

/** The required form of the content. A schema always has a name. */
export const ResponseFormat = Type.Union([
  Type.Object({ type: Type.Literal('text') }),
  Type.Object({ type: Type.Literal('json_object') }),
  Type.Object({
    type: Type.Literal('json_schema'),
    json_schema: Type.Object({
      name: Type.String(),
      description: optional(Type.String()),
      schema: AnyObject,
      strict: optional(Type.Boolean()),
    }),
  }),
])
export type ResponseFormat = Static<typeof ResponseFormat>
