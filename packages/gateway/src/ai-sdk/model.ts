/**
 * The part of the AI SDK's provider specification v4 used here (package @ai-sdk/provider 4). The package is the user's, so
 * nothing is imported from it, and results are read leniently.
 */
export interface ProviderV4 {
  readonly languageModel?: (id: string) => LanguageModelV4
  readonly embeddingModel?: (id: string) => EmbeddingModelV4
  readonly imageModel?: (id: string) => ImageModelV4
  readonly transcriptionModel?: (id: string) => TranscriptionModelV4
  readonly speechModel?: (id: string) => SpeechModelV4
  readonly rerankingModel?: (id: string) => RerankingModelV4
}

/** Provider-specific data under the provider's name, which is not read. Must be sent back unchanged. */
type Metadata = Readonly<Record<string, unknown>>

interface Model {
  readonly specificationVersion: string
}

export interface LanguageModelV4 extends Model {
  readonly supportedUrls?: UrlPatterns | PromiseLike<UrlPatterns>
  doGenerate(options: CallOptions): PromiseLike<unknown>
  doStream(options: CallOptions): PromiseLike<{ readonly stream: ReadableStream<unknown> }>
}

/** URLs that the model fetches itself, by media type or its prefix (`image/*`). */
export type UrlPatterns = Readonly<Record<string, readonly RegExp[]>>

export type FileData =
  | { readonly type: 'data'; readonly data: string }
  | { readonly type: 'url'; readonly url: URL }

export type Part =
  | { readonly type: 'text'; readonly text: string }
  | {
      readonly type: 'file'
      readonly mediaType: string
      readonly data: FileData
      readonly filename?: string
    }
  | { readonly type: 'reasoning'; readonly text: string; readonly providerOptions?: Metadata }
  | {
      readonly type: 'tool-call'
      readonly toolCallId: string
      readonly toolName: string
      readonly input: unknown
      readonly providerOptions?: Metadata
    }
  | {
      readonly type: 'tool-result'
      readonly toolCallId: string
      readonly toolName: string
      readonly output: { readonly type: 'text'; readonly value: string }
    }

export type PromptMessage =
  | { readonly role: 'system'; readonly content: string }
  | { readonly role: 'user' | 'assistant' | 'tool'; readonly content: readonly Part[] }

export interface CallOptions {
  readonly prompt: readonly PromptMessage[]
  readonly abortSignal: AbortSignal
  readonly [option: string]: unknown
}

interface Cancellable {
  readonly abortSignal: AbortSignal
  readonly providerOptions: Metadata
}

export interface EmbeddingModelV4 extends Model {
  doEmbed(options: Cancellable & { readonly values: readonly string[] }): PromiseLike<{
    readonly embeddings: readonly (readonly number[])[]
    readonly usage?: { readonly tokens?: number }
  }>
}

export interface ImageModelV4 extends Model {
  doGenerate(
    options: Cancellable & Readonly<Record<string, unknown>>,
  ): PromiseLike<{ readonly images: readonly (string | Uint8Array)[]; readonly usage?: unknown }>
}

export interface TranscriptionModelV4 extends Model {
  doGenerate(
    options: Cancellable & { readonly audio: Uint8Array; readonly mediaType: string },
  ): PromiseLike<{
    readonly text: string
    readonly segments?: readonly {
      readonly text: string
      readonly startSecond: number
      readonly endSecond: number
    }[]
    readonly language?: string | undefined
    readonly durationInSeconds?: number | undefined
  }>
}

export interface SpeechModelV4 extends Model {
  doGenerate(
    options: Cancellable & Readonly<Record<string, unknown>>,
  ): PromiseLike<{ readonly audio: string | Uint8Array }>
}

export interface RerankingModelV4 extends Model {
  doRerank(options: Cancellable & Readonly<Record<string, unknown>>): PromiseLike<{
    readonly ranking: readonly { readonly index: number; readonly relevanceScore: number }[]
  }>
}
