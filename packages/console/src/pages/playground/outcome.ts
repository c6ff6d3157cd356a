/** A tool that a model wants to be called. */
export interface ToolCall {
  readonly id: string
  readonly name: string
  /** JSON, as the model wrote it. */
  readonly arguments: string
}

/** What came of a request so far. */
export interface Outcome {
  readonly text: string
  readonly reasoning: string
  /** The events of a stream, or the answer, as they came. */
  readonly events: readonly string[]
  readonly toolCalls: readonly ToolCall[]
  /** Addresses of sound, pictures and clips that came. */
  readonly media: readonly { readonly kind: 'audio' | 'image' | 'video'; readonly url: string }[]
  /** Of a video, from 0 to 100. */
  readonly progress?: number
  readonly firstMs?: number
  readonly totalMs?: number
  readonly inputTokens?: number
  readonly outputTokens?: number
  readonly costMicroUsd?: number | null
  readonly error?: string
  readonly isRunning: boolean
}

export const nothingYet: Outcome = {
  text: '',
  reasoning: '',
  events: [],
  toolCalls: [],
  media: [],
  isRunning: false,
}
