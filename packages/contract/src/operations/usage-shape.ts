import { type Static, Type } from 'typebox'
import type { Usage } from '../core/usage.ts'
import { countOf, objectOf } from '../wire/reading.ts'

/** The usage object of chat and text completions (contract, Usage). */
export const ChatUsage = Type.Object({
  prompt_tokens: Type.Integer(),
  completion_tokens: Type.Integer(),
  total_tokens: Type.Integer(),
  prompt_tokens_details: Type.Object({
    cached_tokens: Type.Integer(),
    text_tokens: Type.Integer(),
    audio_tokens: Type.Integer(),
    image_tokens: Type.Integer(),
    cache_write_tokens: Type.Optional(Type.Integer()),
    /** The written tokens by how long they are cached: an extension, present if the upstream reports it. */
    cache_creation_token_details: Type.Optional(
      Type.Object({
        ephemeral_5m_input_tokens: Type.Integer(),
        ephemeral_1h_input_tokens: Type.Integer(),
      }),
    ),
  }),
  completion_tokens_details: Type.Object({
    text_tokens: Type.Integer(),
    audio_tokens: Type.Integer(),
    reasoning_tokens: Type.Integer(),
    accepted_prediction_tokens: Type.Optional(Type.Integer()),
    rejected_prediction_tokens: Type.Optional(Type.Integer()),
  }),
  /** `{web_search_requests: 2}`, as at Anthropic and OpenRouter: an extension, absent without such calls. */
  server_tool_use: Type.Optional(Type.Record(Type.String(), Type.Integer())),
})
export type ChatUsage = Static<typeof ChatUsage>

/** The internal form as the usage of a chat completion. Text tokens are what the other modalities leave of the total. */
export function chatUsage(usage: Usage): ChatUsage {
  const { inputTokens, outputTokens } = usage
  const image = usage.imageInputTokens ?? 0
  const audioIn = usage.audioInputTokens ?? 0
  const audioOut = usage.audioOutputTokens ?? 0
  const reasoning = usage.reasoningTokens ?? 0
  return {
    prompt_tokens: inputTokens,
    completion_tokens: outputTokens,
    total_tokens: inputTokens + outputTokens,
    prompt_tokens_details: {
      cached_tokens: usage.cachedInputTokens ?? 0,
      text_tokens: Math.max(0, inputTokens - image - audioIn),
      audio_tokens: audioIn,
      image_tokens: image,
      ...(usage.cacheWriteTokens === undefined
        ? {}
        : { cache_write_tokens: usage.cacheWriteTokens }),
      ...(usage.longCacheWriteTokens === undefined
        ? {}
        : { cache_creation_token_details: cacheCreation(usage) }),
    },
    completion_tokens_details: {
      text_tokens: Math.max(0, outputTokens - audioOut - reasoning),
      audio_tokens: audioOut,
      reasoning_tokens: reasoning,
    },
    ...(usage.serverToolCalls === undefined
      ? {}
      : { server_tool_use: serverToolUse(usage.serverToolCalls) }),
  }
}

/** Tokens written to a cache, by how long they are cached, in the form of Anthropic's usage. */
export function cacheCreation({
  cacheWriteTokens: written = 0,
  longCacheWriteTokens: long = 0,
}: Usage): Readonly<Record<'ephemeral_5m_input_tokens' | 'ephemeral_1h_input_tokens', number>> {
  return {
    ephemeral_5m_input_tokens: Math.max(0, written - long),
    ephemeral_1h_input_tokens: long,
  }
}

const requests = '_requests'

/** The calls by tool, in the form of Anthropic's usage. */
function serverToolUse(calls: Readonly<Record<string, number>>): Record<string, number> {
  return Object.fromEntries(Object.entries(calls).map(([tool, count]) => [tool + requests, count]))
}

/** The reverse translation. Fields that are not counts of requests are ignored. */
export function readServerToolUse(value: unknown): Readonly<Record<string, number>> {
  return Object.fromEntries(
    Object.entries(objectOf(value)).flatMap(([name, said]) => {
      const count = countOf(said)
      return count === undefined || !name.endsWith(requests)
        ? []
        : [[name.slice(0, -requests.length), count]]
    }),
  )
}
