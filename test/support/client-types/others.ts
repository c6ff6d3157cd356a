/** Responses of the other client formats as the types of their SDKs have them, closed. */
import type Anthropic from '@anthropic-ai/sdk'
import type { GenerateContentResponse } from '@google/genai'
import type OpenAI from 'openai'

export type MessageAnswer = Anthropic.Message
export type MessageEvent = Anthropic.RawMessageStreamEvent | { readonly type: 'ping' }

export type ResponseAnswer = OpenAI.Responses.Response
export type ResponseEvent = OpenAI.Responses.ResponseStreamEvent

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
