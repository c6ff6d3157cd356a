/**
 * The slice of Gemini's wire that this gateway writes (https://ai.google.dev/api/generate-content). What upstreams and
 * clients send is read leniently elsewhere; these types are for what goes out.
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
  /** True where the text is a summary of what the model thought. */
  readonly thought?: boolean
  /** Opaque base64; goes back in the part it came with. */
  readonly thoughtSignature?: string
  readonly inlineData?: Blob
  readonly fileData?: { readonly mimeType?: string; readonly fileUri: string }
  readonly functionCall?: FunctionCall
  readonly functionResponse?: {
    readonly id?: string
    readonly name: string
    /** Always an object: `output` holds what is none, `error` a failure. */
    readonly response: unknown
  }
  readonly mediaResolution?: { readonly level: string }
  readonly executableCode?: Readonly<Record<string, unknown>>
  readonly codeExecutionResult?: Readonly<Record<string, unknown>>
}

export interface Content {
  readonly role: 'user' | 'model'
  readonly parts: readonly Part[]
}

export interface GenerateContentRequest {
  readonly contents: readonly Content[]
  readonly systemInstruction?: { readonly parts: readonly Part[] }
  readonly tools?: readonly Readonly<Record<string, unknown>>[]
  readonly toolConfig?: {
    readonly functionCallingConfig?: FunctionCallingConfig
    readonly includeServerSideToolInvocations?: boolean
  }
  readonly generationConfig?: Readonly<Record<string, unknown>>
  readonly serviceTier?: string
}

export interface FunctionCallingConfig {
  readonly mode: 'AUTO' | 'ANY' | 'NONE' | 'VALIDATED'
  /** Only with ANY and VALIDATED. */
  readonly allowedFunctionNames?: readonly string[]
}

/** Whether a stream is asked for as server-sent events (`alt=sse`); without it, it is a JSON array. */
export function isServerSent(query: string): boolean {
  return new URLSearchParams(query).get('alt') === 'sse'
}
