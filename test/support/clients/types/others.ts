/** Responses of the other client formats as the types of their SDKs have them, closed. */
import type Anthropic from '@anthropic-ai/sdk'
import type { GenerateContentResponse } from '@google/genai'
import type OpenAI from 'openai'

/**
 * The SDKs read a member that is absent as null. `caller` is absent from what the API itself sends where the model called a
 * tool directly.
 */
type Absent<T> = T extends string
  ? T
  : T extends readonly (infer Item)[]
    ? readonly Absent<Item>[]
    : T extends object
      ? {
          readonly [Field in keyof T as Field extends Absentable<T> ? never : Field]: Absent<
            T[Field]
          >
        } & { readonly [Field in Absentable<T>]?: Absent<T[Field]> }
      : T
type Absentable<T> = {
  [Field in keyof T]-?: null extends T[Field] ? Field : Field extends 'caller' ? Field : never
}[keyof T]

/** Calls of MCP servers are in the types of Anthropic's beta. */
type Block = Absent<
  | Anthropic.ContentBlock
  | Anthropic.Beta.Messages.BetaMCPToolUseBlock
  | Anthropic.Beta.Messages.BetaMCPToolResultBlock
>
type Begun = Anthropic.RawContentBlockStartEvent

export type MessageAnswer = Omit<Absent<Anthropic.Message>, 'content'> & {
  readonly content: readonly Block[]
}
export type MessageEvent =
  | Absent<Exclude<Anthropic.RawMessageStreamEvent, Begun>>
  | (Omit<Begun, 'content_block'> & { readonly content_block: Block })
  | { readonly type: 'ping' }

/**
 * The API sends null for what a request did not set, where the types only allow it to be absent, and it sends `store`. The SDK adds
 * `output_text` itself.
 */
type Response = Absent<Omit<OpenAI.Responses.Response, 'output_text' | Unset>> & {
  readonly [Field in Unset]?: OpenAI.Responses.Response[Field] | null
} & { readonly store: boolean }
type Unset = 'prompt_cache_key' | 'safety_identifier' | 'usage' | 'user'

type Whole<T> = T extends { response: OpenAI.Responses.Response }
  ? Omit<T, 'response'> & { readonly response: Response }
  : T extends OpenAI.Responses.ResponseFunctionCallArgumentsDoneEvent
    ? // openai-python requires it (ResponseFunctionCallArgumentsDoneEvent).
      T & { readonly name?: string }
    : T

export type ResponseAnswer = Response
export type ResponseEvent = Whole<OpenAI.Responses.ResponseStreamEvent>

/** Without methods and accessors, and with the values of enumerations as the texts that they are on the wire. */
type Wire<T> = T extends string
  ? `${T}`
  : T extends readonly (infer Item)[]
    ? readonly Wire<Item>[]
    : T extends (...given: never[]) => unknown
      ? never
      : T extends object
        ? { readonly [Field in keyof T]: Wire<T[Field]> }
        : T

export type ContentAnswer = Wire<
  Pick<
    GenerateContentResponse,
    'candidates' | 'modelVersion' | 'promptFeedback' | 'responseId' | 'usageMetadata'
  >
>
export type ContentEvent = ContentAnswer
