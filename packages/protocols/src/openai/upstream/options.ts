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

/**
 * A server for open models: vLLM, SGLang, llama.cpp and others. They ignore what they do not know, and some models require their
 * reasoning and signatures back.
 */
export const modelServer: ChatOptions = {
  takesAnything: true,
  knows: [
    'top_k',
    'cache_control',
    'reasoning_content',
    'thinking_blocks',
    'reasoning_details',
    'extra_content',
    'video_url',
  ],
}

/** A server of one's own, of which nothing is known: it may also be a proxy or another gateway before any model. */
export const ownServer: ChatOptions = { ...modelServer, servesOpenAIs: true }

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
   * Whether nothing is known about the server, so that it gets whatever a caller of chat completions writes. `knows` is then what
   * common servers take from a translated request. Default false.
   */
  readonly takesAnything?: boolean
  /** Whether OpenAI's own models may be behind it, whose rules then hold. Default: whether it has no extensions. */
  readonly servesOpenAIs?: boolean
  /**
   * Other providers' objects in which the upstream accepts the amount of thinking. For all other upstreams they become
   * `reasoning_effort`. Default: none.
   */
  readonly effortIn?: readonly EffortObject[]
}

export function servesOpenAIs({ knows, servesOpenAIs: isSaid }: ChatOptions): boolean {
  return isSaid ?? knows === undefined
}
