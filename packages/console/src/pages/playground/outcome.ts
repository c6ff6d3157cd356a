/** A tool call of a model. */
export interface ToolCall {
  readonly id: string
  readonly name: string
  /** JSON, as written by the model. */
  readonly arguments: string
}

/** The result of a request so far. */
export interface Outcome {
  readonly text: string
  readonly reasoning: string
  /** The events of a stream, or the response, as received. */
  readonly events: readonly string[]
  readonly toolCalls: readonly ToolCall[]
  /** The URLs of received audio, images and videos. */
  readonly media: readonly { readonly kind: 'audio' | 'image' | 'video'; readonly url: string }[]
  /** The progress of a video, from 0 to 100. */
  readonly progress?: number
  readonly firstMs?: number
  readonly totalMs?: number
  readonly inputTokens?: number
  readonly outputTokens?: number
  readonly costMicroUsd?: number | null
  /** The gateway's id of the request, if the user may look at its record. */
  readonly requestId?: string
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
