/**
 * Chat completions as their clients' types have them, closed: a member or a value that they do not know is an error. What
 * is written beyond OpenAI's types is listed here, with its definition.
 */
import type OpenAI from 'openai'

/** litellm/types/llms/openai.py: ChatCompletionThinkingBlock, ChatCompletionRedactedThinkingBlock. */
type ThinkingBlock =
  | { readonly type: 'thinking'; readonly thinking?: string; readonly signature?: string | null }
  | { readonly type: 'redacted_thinking'; readonly data?: string }

/** OpenRouter, reasoning tokens: the types of `reasoning_details`. */
type ReasoningDetail = {
  readonly id?: string | null
  readonly format?:
    | 'unknown'
    | 'openai-responses-v1'
    | 'azure-openai-responses-v1'
    | 'xai-responses-v1'
    | 'anthropic-claude-v1'
    | 'google-gemini-v1'
    | null
  readonly index?: number
} & (
  | { readonly type: 'reasoning.summary'; readonly summary: string }
  | { readonly type: 'reasoning.encrypted'; readonly data: string }
  | {
      readonly type: 'reasoning.text'
      readonly text?: string | null
      readonly signature?: string | null
    }
)

/** Gemini API, OpenAI compatibility: thought signatures. */
interface ExtraContent {
  readonly google: { readonly thought_signature: string }
}

/** OpenRouter, web search: `content` holds the cited text. LiteLLM's types (ChatCompletionAnnotation) allow only this type. */
interface Annotation {
  readonly type: 'url_citation'
  readonly url_citation: OpenAI.ChatCompletionMessage.Annotation['url_citation'] & {
    readonly content?: string
  }
}

/** litellm/types/llms/openai.py: ImageURLListItem, in which every field is required. */
interface Image {
  readonly type: 'image_url'
  readonly image_url: { readonly url: string; readonly detail?: string }
  readonly index: number
}

/** This gateway's own fields, which no other program has defined. */
interface Own {
  readonly file_citations?: readonly { readonly type: string; readonly [field: string]: unknown }[]
  readonly server_tool_calls?: readonly {
    readonly id: string
    readonly type: string
    readonly name?: string
    readonly server_label?: string
    readonly input: Readonly<Record<string, unknown>>
    readonly output?: unknown
    readonly is_error?: boolean
  }[]
}

/** Fields that other programs have added to messages and deltas. */
interface Added extends Own {
  /** DeepSeek, vLLM, LiteLLM. */
  readonly reasoning_content?: string
  readonly thinking_blocks?: readonly ThinkingBlock[]
  readonly reasoning_details?: readonly ReasoningDetail[]
  readonly extra_content?: ExtraContent
  readonly annotations?: readonly Annotation[]
  readonly images?: readonly Image[]
}

type Call<C> = C extends object ? C & { readonly extra_content?: ExtraContent } : never

type Message = Omit<OpenAI.ChatCompletionMessage, 'annotations' | 'tool_calls'> &
  Added & { readonly tool_calls?: readonly Call<OpenAI.ChatCompletionMessageToolCall>[] }

type Delta = Omit<OpenAI.ChatCompletionChunk.Choice.Delta, 'tool_calls'> &
  Added & {
    readonly audio?: object
    /** LiteLLM (ChatCompletionDeltaToolCall) requires a function in every piece. */
    readonly tool_calls?: readonly (Call<OpenAI.ChatCompletionChunk.Choice.Delta.ToolCall> & {
      readonly function: object
    })[]
  }

/** OpenAI's, and the contract's and LiteLLM's further counts (Usage, PromptTokensDetailsWrapper). */
type Usage = Omit<OpenAI.CompletionUsage, 'prompt_tokens_details' | 'completion_tokens_details'> & {
  readonly prompt_tokens_details: OpenAI.CompletionUsage.PromptTokensDetails & Counts
  readonly completion_tokens_details: OpenAI.CompletionUsage.CompletionTokensDetails & Counts
  readonly server_tool_use?: Readonly<Record<string, number>>
}
interface Counts {
  readonly text_tokens?: number
  readonly image_tokens?: number
  readonly cache_creation_token_details?: {
    readonly ephemeral_5m_input_tokens: number
    readonly ephemeral_1h_input_tokens: number
  }
}

/** The sequence that stopped the model, which Anthropic reports. */
interface Stopped {
  readonly stop_sequence?: string | null
}

type Envelope<T> = Omit<T, 'choices' | 'usage' | 'system_fingerprint' | 'service_tier'> & {
  readonly system_fingerprint?: string | null
  readonly service_tier?: string | null
}

export type ChatAnswer = Envelope<OpenAI.ChatCompletion> & {
  readonly choices: readonly (Omit<OpenAI.ChatCompletion.Choice, 'message'> &
    Stopped & { readonly message: Message })[]
  readonly usage: Usage
}

export type ChatEvent = Envelope<OpenAI.ChatCompletionChunk> & {
  readonly choices: readonly (Omit<OpenAI.ChatCompletionChunk.Choice, 'delta'> &
    Stopped & { readonly delta: Delta })[]
  readonly usage?: Usage | null
}

/**
 * What LangChain reads of a message (langchain_openai/chat_models/base.py, _convert_dict_to_message and
 * _create_usage_metadata). It ignores other members.
 */
export interface LangChainAnswer {
  readonly choices: readonly {
    readonly finish_reason: string
    readonly message: {
      readonly role: 'assistant'
      readonly content: string | null
      readonly refusal?: string | null
      readonly tool_calls?: readonly {
        readonly id: string
        readonly type: 'function' | 'custom'
        readonly function?: { readonly name: string; readonly arguments: string }
        readonly [field: string]: unknown
      }[]
      readonly [field: string]: unknown
    }
    readonly [field: string]: unknown
  }[]
  readonly usage: {
    readonly prompt_tokens: number
    readonly completion_tokens: number
    readonly total_tokens: number
    readonly [field: string]: unknown
  }
  readonly [field: string]: unknown
}
