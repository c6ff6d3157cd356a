import type { OperationName } from '@sluice/contract'
import type { Codec, CodecContext } from '../../protocol.ts'

/** A codec for an upstream with other paths. `pathOf` maps the usual one, such as `/chat/completions`, to the upstream's. */
export function withPath<O extends OperationName>(
  codec: Codec<O>,
  pathOf: (usual: string, context: CodecContext) => string,
): Codec<O> {
  return {
    ...codec,
    encode(request, context) {
      const encoded = codec.encode(request, context)
      return { ...encoded, path: pathOf(encoded.path, context) }
    },
  }
}

/**
 * What an upstream understands beyond OpenAI's own chat request. What it does not understand is left out if it is only a hint
 * or opaque (`cache_control`, `reasoning_content`, `thinking_blocks`, `reasoning_details`, `extra_content`), sent in another form (`images`),
 * rejected if it matters (`top_k`, `video_url`), or translated into OpenAI's fields (`thinking_budget` becomes
 * `reasoning_effort`).
 */
export type ChatExtension = (typeof chatExtensions)[number] | (typeof ownForms)[number]

/** Forms in which some upstreams accept what a gateway accepts as `thinking_blocks`, `reasoning_content` or a search. */
const ownForms = ['reasoning', 'thinking_parts', 'search_settings'] as const

/** A gateway like this one understands all of these. */
export const chatExtensions = [
  'top_k',
  'thinking_budget',
  'cache_control',
  'reasoning_content',
  'thinking_blocks',
  'reasoning_details',
  'server_tool_calls',
  'images',
  'extra_content',
  'video_url',
  'search_domains',
] as const

/** OpenRouter's and Anthropic's. */
export const effortObjects = ['reasoning', 'thinking'] as const

type EffortObject = (typeof effortObjects)[number]

export interface ChatOptions {
  /**
   * Request fields that the upstream does not support. They are rejected, or left out if they only advise or have the default
   * value.
   */
  readonly lacks?: readonly string[]
  /** The greatest number of stop sequences. Default: that of the model's family; unknown models accept any number. */
  readonly stopsMax?: number
  /** Default: none, as for OpenAI. */
  readonly knows?: readonly ChatExtension[]
  /**
   * Other providers' objects in which the upstream accepts the amount of thinking. For all other upstreams they become
   * `reasoning_effort`. Default: none.
   */
  readonly effortIn?: readonly EffortObject[]
}
