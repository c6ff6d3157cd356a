import {
  isObject,
  listOf,
  type Step,
  type TranscribeReply,
  type TypedEvent,
  type Usage,
} from '@sluice/contract'

/**
 * The events for a transcript that came whole although the caller asked for a stream: its segments if it names speakers, its
 * text in one piece, and the end with the usage (OpenAI API, transcript.text.delta and .done).
 */
export function transcriptSteps(
  { text, segments, logprobs, usage: said }: TranscribeReply,
  usage: Usage | undefined,
): readonly Step<TypedEvent>[] {
  const used = said ?? (usage && usageOf(usage))
  const more = Array.isArray(logprobs) ? { logprobs } : {}
  return [
    ...listOf(segments).flatMap((segment) =>
      isObject(segment) && segment['type'] === 'transcript.text.segment'
        ? [{ event: { ...segment, type: 'transcript.text.segment' } }]
        : [],
    ),
    { event: { type: 'transcript.text.delta', delta: text, ...more } },
    { event: { type: 'transcript.text.done', text, ...more, ...(used && { usage: used }) } },
  ]
}

/** OpenAI API, TranscriptTextUsageTokens and TranscriptTextUsageDuration. */
function usageOf({ inputTokens, outputTokens, audioInputTokens, seconds }: Usage): object {
  if (inputTokens === 0 && outputTokens === 0 && seconds !== undefined)
    return { type: 'duration', seconds: Math.ceil(seconds) }
  return {
    type: 'tokens',
    input_tokens: inputTokens,
    output_tokens: outputTokens,
    total_tokens: inputTokens + outputTokens,
    ...(audioInputTokens !== undefined && {
      input_token_details: {
        audio_tokens: audioInputTokens,
        text_tokens: inputTokens - audioInputTokens,
      },
    }),
  }
}
