import type { Fields } from '@sluice/contract'
/**
 * The part of Gemini's wire format that the gateway writes (https://ai.google.dev/api/generate-content). What upstreams and
 * clients send is read leniently elsewhere; these types describe what the gateway sends.
 */

export interface Blob {
  readonly mimeType: string
  /** Standard base64. */
  readonly data: string
}

interface FunctionCall {
  readonly id?: string
  readonly name: string
  readonly args: unknown
}

export interface Part {
  readonly text?: string
  /** True if the text is a summary of the model's thoughts. */
  readonly thought?: boolean
  /** Opaque base64. It must be sent back in the part that it came with. */
  readonly thoughtSignature?: string
  readonly inlineData?: Blob
  readonly fileData?: { readonly mimeType?: string; readonly fileUri: string }
  readonly functionCall?: FunctionCall
  readonly functionResponse?: {
    readonly id?: string
    readonly name: string
    /** Always an object: `output` holds any other value, `error` a failure. */
    readonly response: unknown
  }
  readonly mediaResolution?: { readonly level: string }
  readonly executableCode?: Fields
  readonly codeExecutionResult?: Fields
}

export interface Content {
  readonly role: 'user' | 'model'
  readonly parts: readonly Part[]
}

export interface GenerateContentRequest {
  readonly contents: readonly Content[]
  readonly systemInstruction?: { readonly parts: readonly Part[] }
  readonly tools?: readonly Fields[]
  readonly toolConfig?: {
    readonly functionCallingConfig?: FunctionCallingConfig
    readonly includeServerSideToolInvocations?: boolean
  }
  readonly generationConfig?: Fields
  readonly serviceTier?: string
}

export interface FunctionCallingConfig {
  readonly mode: 'AUTO' | 'ANY' | 'NONE' | 'VALIDATED'
  /** Only with ANY and VALIDATED. */
  readonly allowedFunctionNames?: readonly string[]
}

/** Whether the request asks for a stream of server-sent events (`alt=sse`); without it the stream is a JSON array. */
export function isServerSent(query: string): boolean {
  return new URLSearchParams(query).get('alt') === 'sse'
}
