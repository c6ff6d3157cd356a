import type { CodecContext } from '../../protocol.ts'

/** Where an operation is at an upstream: its usual path, such as `/chat/completions`, to the one to call. */
export type PathOf = (path: string, context: CodecContext) => string

/**
 * What an upstream understands beyond OpenAI's own chat request. What it does not know is left out where it is only
 * a hint or opaque to it (`cache_control`, `reasoning_content`, `thinking_blocks`, `extra_content`), shown otherwise (`images`), refused where it
 * matters (`top_k`, `video_url`), or said in OpenAI's words (`thinking_budget` becomes `reasoning_effort`).
 */
export type ChatExtension = (typeof chatExtensions)[number] | (typeof ownForms)[number]

/** Forms of their own in which upstreams take back what a gateway takes as `thinking_blocks` or `reasoning_content`. */
const ownForms = ['reasoning', 'reasoning_details', 'thinking_parts'] as const

/** All of which a gateway like this one understands. */
export const chatExtensions = [
  'top_k',
  'thinking_budget',
  'cache_control',
  'reasoning_content',
  'thinking_blocks',
  'server_tool_calls',
  'images',
  'extra_content',
  'video_url',
  'search_domains',
] as const

/** OpenRouter's, and Anthropic's. */
export const effortObjects = ['reasoning', 'thinking'] as const

type EffortObject = (typeof effortObjects)[number]

export interface ChatOptions {
  readonly path?: PathOf
  /** Request fields that the upstream does not have; refused unless their value is what it does anyway. */
  readonly lacks?: readonly string[]
  /** Default: none, as OpenAI. */
  readonly knows?: readonly ChatExtension[]
  /**
   * Objects of other makers in which the upstream takes how much to think, as it may come in a request; elsewhere they
   * become `reasoning_effort`. Default: none.
   */
  readonly effortIn?: readonly EffortObject[]
}

export const usualPath: PathOf = (path) => path
